"""Draw panels as SVG, PNG or PDF. This module alone imports matplotlib.

The same panels and caption give the same bytes: no date, no random ids. The caption is also the title of the file. SVG
and PDF have text as text. The colours are of Okabe and Ito: a dark and a light one. The chosen items have a hatched
ground. So a figure can be read in grey.

Tried: pygal puts scripts and remote addresses into SVG, and has no PDF. Altair with vl-convert has no hatches.
"""

from __future__ import annotations

import io
import re
import textwrap
import threading
import unicodedata
import warnings
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from corpus_spider.figures.panels import Numbers, Panel

FORMS = ("svg", "png", "pdf")
MAX_ITEMS = 50_000
"""Columns or points of a panel. A figure of more takes megabytes, and none of them can be seen."""
CUT = 2.0
"""Length of a column against the longest one of the text, from which it is cut off."""
WIDTH, HEIGHT = 7.2, 2.7
"""Inches: the width of a page of two columns, and the height of a panel."""
DOTS = 300
"""Dots per inch of a PNG."""
DARK, LIGHT, LINE, GROUND = "#0072B2", "#E69F00", "#000000", "#EDEDED"
_FONTS = (
    "DejaVu Sans",
    *(f"Noto Sans {name}" for name in ("Arabic", "Hebrew", "Thai", "Lao", "Khmer", "Myanmar", "Devanagari", "Bengali")),
    *("Noto Naskh Arabic", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Loma", "Garuda"),
)
"""Fonts for all scripts, those that are installed."""
_MISSING = "figures need the package matplotlib"
_HOW = "Install the extra `figures`: make figures, or pip install 'corpus-spider[figures]'."
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that XML or the direction of a line do not allow."""
_unreadable: set[str] = set()
"""Files of fonts that matplotlib cannot read."""
_one_at_a_time = threading.Lock()
"""Settings of matplotlib belong to the process."""


def require_library() -> None:
    """Raise ConfigError if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ConfigError(_MISSING, do=_HOW) from error


def draw(panels: Sequence[Panel], title: str, caption: str, form: str = "svg") -> bytes:
    """Draw panels below each other, with the title of the page above and a caption below.

    A title in a script without an installed font is left out of PNG and PDF. Raises ConfigError if matplotlib is not
    installed or a panel has more than ``MAX_ITEMS`` items.
    """
    require_library()
    for panel in panels:
        items = max([len(drawn.values) for drawn in panel.columns] + [len(curve.x) for curve in panel.curves])
        if items > MAX_ITEMS:
            do = "`plot --json` prints the numbers."
            raise ConfigError(f"the page has {items:,} items; a figure shows {MAX_ITEMS:,} at most", do=do)
    from matplotlib import rc_context

    with _one_at_a_time, rc_context(_settings()), warnings.catch_warnings():
        # SVG names no font for a script: the program that shows it has one.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = figure_of(panels, _shown(title, form), _clean(caption))
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=DOTS, metadata={**_METADATA[form], "Title": _clean(caption)})
        return out.getvalue()


def draw_words(words: Sequence[tuple[str, float, float, float]], size: tuple[float, float], caption: str) -> bytes:
    """Draw words as PNG: each with the middle of its base line from the top left, and its font size, in pixels.

    ``size``: width and height of the picture, also in pixels. Raises ConfigError if matplotlib or a font for a word is
    not installed.
    """
    require_library()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    for word, *_ in words:
        if not _has_glyphs(_clean(word)):
            do = "Install a Noto font for the script (fonts-noto), or write .svg or .html."
            raise ConfigError("no installed font has the letters", where=word, do=do)

    lines = textwrap.wrap(_clean(caption), 140)
    width, height = size[0], size[1] + 14 * len(lines) + 8
    with _one_at_a_time, rc_context(_settings()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(width / _PIXELS, height / _PIXELS))
        points = 72 / _PIXELS
        for word, x, y, font in words:
            figure.text(x / width, 1 - y / height, _clean(word), ha="center", va="baseline", fontsize=font * points)
        for number, line in enumerate(lines):
            figure.text(0.02, 1 - (size[1] + 14 * (number + 1)) / height, line, fontsize=11 * points)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=2 * _PIXELS, metadata={**_METADATA["png"], "Title": _clean(caption)})
        return out.getvalue()


_PIXELS = 96
"""Pixels of an inch, as in CSS. A PNG has two dots a pixel."""


def _settings() -> dict[Any, Any]:
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "corpus-spider",
        "pdf.fonttype": 42,
        "path.simplify": False,
        "font.family": "sans-serif",
        "font.sans-serif": _installed(),
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 0.4,
        "legend.frameon": False,
        "text.parse_math": False,
    }


_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def figure_of(panels: Sequence[Panel], title: str, caption: str) -> Figure:
    """Build the figure of some panels."""
    from matplotlib.figure import Figure

    lines = textwrap.wrap(caption, 118)
    below = 0.14 * len(lines) + 0.15
    figure = Figure(figsize=(WIDTH, HEIGHT * len(panels) + below + (0.25 if title else 0.0)))
    height = figure.get_figheight()
    for place, panel in enumerate(panels):
        bottom = below + HEIGHT * (len(panels) - 1 - place) + 0.5
        axes = figure.add_axes((0.1, bottom / height, 0.87, (HEIGHT - 0.95) / height))
        _plot(axes, panel)
    if title:
        figure.text(0.5, 1 - 0.2 / height, title, ha="center", va="center", fontsize=9, gid="title")
    for number, line in enumerate(lines):
        figure.text(0.02, (below - 0.14 * (number + 1)) / height, line, fontsize=7, gid=f"caption-{number}")
    return figure


def _plot(axes: Axes, panel: Panel) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.ticker import MaxNLocator

    ground = _boxes([(begin, end - begin, 1.0) for begin, end in panel.chosen])
    style: dict[str, Any] = {"facecolor": GROUND, "edgecolor": "#B0B0B0", "hatch": "////", "linewidth": 0}
    named = f"{panel.name}-{{}}".format
    if panel.chosen:
        label, across = "chosen for the text", axes.get_xaxis_transform()
        axes.add_patch(PathPatch(ground, transform=across, label=label, gid=named("chosen"), zorder=0, **style))
    for drawn in panel.columns:
        path = _boxes([(place + 0.5, 1.0, value) for place, value in enumerate(drawn.values) if value])
        colour = DARK if drawn.content else LIGHT
        axes.add_patch(
            PathPatch(path, facecolor=colour, linewidth=0, label=drawn.label, gid=named(drawn.name), zorder=2)
        )
    for number, curve in enumerate(panel.curves):
        style = {"color": LINE, "linewidth": 0.7, "linestyle": "-" if number or len(curve.x) > 2 else "--"}
        axes.plot(curve.x, curve.y, label=curve.label, gid=named(curve.name), zorder=3, **style)
    axes.axhline(0, color=LINE, linewidth=0.6, zorder=1)
    lowest, highest, cut = _limits(panel)
    for name, place in panel.marks:
        axes.plot([place], [highest], marker="v", color=LINE, clip_on=False, linestyle="", label=name, markersize=5)
    axes.set_xlim(0.5 if panel.columns else 0, max(panel.size, 1))
    axes.set_ylim(lowest, highest)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(panel.title, loc="left", fontsize=8, pad=17)
    if panel.mirrored:
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    axes.set_xlabel(f"{panel.x_label}; {counted(cut, 'column')} cut off" if cut else panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 0.99), ncols=5, fontsize=7, borderaxespad=0.3, handlelength=1.4)


def _boxes(boxes: Sequence[tuple[float, float, float]]) -> Any:
    """Return one path of rectangles from the axis: left edge, width and height."""
    from matplotlib.path import Path

    vertices = [
        corner
        for left, width, height in boxes
        for corner in ((left, 0), (left, height), (left + width, height), (left + width, 0), (left, 0))
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
    return Path(vertices or [(0.0, 0.0)], codes or [Path.MOVETO])


def _limits(panel: Panel) -> tuple[float, float, int]:
    """Return the ends of the y-axis, and how many columns it cuts off.

    A line of code can be a hundred times as long as the longest line of the text. So columns are cut off at ``CUT``
    times the longest one in the chosen stretches. A limit, a curve that does not follow the columns, stays in sight.
    """
    values = [value for drawn in panel.columns for value in drawn.values] or [0.0]
    values += [value for curve in panel.curves for value in curve.y]
    lowest, highest = float(min(values)), float(max(values))
    by_item = [drawn.values for drawn in panel.columns]
    follows = [bool(by_item) and len(curve.y) == len(by_item[0]) for curve in panel.curves]
    by_item += [curve.y for curve, is_one in zip(panel.curves, follows, strict=True) if is_one]
    most = CUT * max((abs(value) for values in by_item for value in _within(values, panel)), default=0.0)
    if most:
        limits = (curve.y for curve, is_one in zip(panel.curves, follows, strict=True) if not is_one)
        most = max(most, *(abs(value) for values in limits for value in values), 0.0)
        lowest, highest = max(lowest, -most), min(highest, most)
    cut = sum(not lowest <= value <= highest for drawn in panel.columns for value in drawn.values)
    room = 0.04 * ((highest - lowest) or 1.0)
    return (lowest - room if lowest < 0 else 0.0), highest + room, cut


def _within(values: Numbers, panel: Panel) -> list[float]:
    return [value for begin, end in panel.chosen for value in values[int(begin) : int(end)]]


def _installed() -> list[str]:
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    return [name for name in _FONTS if name in known]


def _clean(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(_UNSAFE.sub(" ", text).split()))


def _shown(title: str, form: str) -> str:
    """Return a title as it is drawn: isolated from its surroundings, so that its script sets its direction."""
    title = textwrap.shorten(_clean(title), 100, placeholder="…")
    if form == "svg":
        return f"\u2068{title}\u2069" if title else ""
    return title if _has_glyphs(title) else ""


def _has_glyphs(text: str) -> bool:
    """Return whether the installed fonts have all letters. Fonts that are newer than matplotlib's list are added."""
    return _is_covered(text) or (_add_new_fonts() and _is_covered(text))


def _is_covered(text: str) -> bool:
    from matplotlib import font_manager

    paths = [font_manager.findfont(name, fallback_to_default=False) for name in _installed()]
    known = [font_manager.get_font(path) for path in paths]
    return all(any(font.get_char_index(ord(letter)) for font in known) for letter in text if not letter.isspace())


def _add_new_fonts() -> bool:
    """Add the fonts of the system that matplotlib does not know yet; return whether there are any.

    matplotlib keeps its list of fonts in a file, and reads it again only after an upgrade of itself.
    """
    from matplotlib import font_manager

    known = {font.fname for font in font_manager.fontManager.ttflist} | _unreadable
    new = [path for path in font_manager.findSystemFonts() if path not in known]
    for path in new:
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError):
            _unreadable.add(path)
    return bool(new)
