"""Figures of single pages: what is drawn are the numbers of the explanation."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from corpus_spider.figures import drawing
from corpus_spider.figures.page_figure import PageFigure
from corpus_spider.figures.panels import panels_of, stretches
from pipelines.extractors.base import DEFAULT_OPTIONS
from pipelines.extractors.explanation import Explanation, Series
from pipelines.extractors.registry import EXTRACTORS, explainer
from storage.errors import ConfigError
from storage.records import Extraction
from tests.extras import need

need("figures")

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from corpus_spider.figures.panels import Panel

EXPLAINED = sorted(name for name, extractor in EXTRACTORS.items() if extractor.explain)
SENTENCE = "حذر الأطباء من موجة الحر الجديدة ودعوا كبار السن إلى البقاء في البيوت. "
PAGE = "\n".join(
    (
        "<title>حذر الأطباء</title><body><ul>",
        *[f"<li><a href=/{number}>Menu {number} {'x' * 3 * number}</a></li>" for number in range(12)],
        "</ul><article><h1>حذر الأطباء</h1>",
        *[f"<p>{SENTENCE * times}</p>\n<img src=a>" for times in (3, 1, 5, 2)],
        f"</article><div>{'<b>y</b>' * 90}</div><script>{'code;' * 900}</script>",
        *[f"<p><a href=/{number}>{SENTENCE}</a></p>" for number in range(4)],
        "<p>Copyright</p>",
    )
)
SVG = "{http://www.w3.org/2000/svg}"
POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")


def explained(name: str, html: str = PAGE) -> Explanation:
    return explainer(name)(html, DEFAULT_OPTIONS)


def paths(svg: bytes) -> dict[str, list[list[tuple[float, float]]]]:
    """Return the lines and areas of an SVG by the id of their group: the points of each part."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        drawn = [child.get("d", "") for child in group if child.tag == f"{SVG}path"]
        parts = [part for path in drawn for part in path.split("M")[1:]]
        found[group.get("id", "")] = [[(float(x), float(y)) for x, y in POINT.findall(part)] for part in parts]
    return found


def axes_of(panels: tuple[Panel, ...], explanation: Explanation) -> list[Axes]:
    """Return the axes of a figure, to translate points into numbers."""
    figure = drawing.figure_of(panels, explanation.title, PageFigure("page.html", explanation).caption)
    figure.set_dpi(72)  # points, as in SVG
    figure.canvas.draw()
    return figure.axes


def numbers(axes: Axes, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Translate points of an SVG, whose y-axis points down, into the numbers of the axes."""
    height = axes.figure.get_figheight() * 72
    turned = axes.transData.inverted().transform([(x, height - y) for x, y in points])
    return [(float(x), float(y)) for x, y in turned]


@pytest.mark.parametrize("name", EXPLAINED)
def test_columns_curves_and_regions_are_drawn_where_the_numbers_are(name: str) -> None:
    """Each path of the SVG, translated back into numbers, is the series of the panel; items of zero have no column."""
    explanation = explained(name)
    panels = panels_of(explanation)
    drawn = paths(PageFigure("page.html", explanation).draw())
    for panel, axes in zip(panels, axes_of(panels, explanation), strict=True):
        exact = max(abs(value) for value in axes.get_ylim()) * 1e-4
        for columns in panel.columns:
            boxes = [numbers(axes, box) for box in drawn[f"{panel.name}-{columns.name}"] if len(box) > 1]
            wanted = [(place, value) for place, value in enumerate(columns.values, 1) if value]
            assert [round((box[0][0] + box[2][0]) / 2) for box in boxes] == [place for place, _ in wanted]
            assert [box[1][1] for box in boxes] == pytest.approx([value for _, value in wanted], abs=exact)
            assert [box[0][1] for box in boxes] == pytest.approx([0] * len(boxes), abs=exact)
        for curve in panel.curves:
            # Where a curve leaves the figure, its path is cut.
            points = [point for part in drawn[f"{panel.name}-{curve.name}"] for point in numbers(axes, part)]
            lowest, highest = axes.get_ylim()
            seen, wanted = (
                [(x, y) for x, y in given if lowest <= y <= highest]
                for given in (points, zip(curve.x, curve.y, strict=True))
            )
            assert [x for x, _ in seen] == pytest.approx([x for x, _ in wanted], abs=0.01)
            assert [y for _, y in seen] == pytest.approx([y for _, y in wanted], abs=exact)
        regions = [numbers(axes, box) for box in drawn[f"{panel.name}-chosen"]]
        assert [(box[0][0], box[2][0]) for box in regions] == [pytest.approx(one, abs=0.01) for one in panel.chosen]


@pytest.mark.parametrize(
    ("name", "panel", "series"),
    [
        ("r2l", "lengths", {"nepl": "nepl", "epl": "-epl"}),
        ("r2l-nepl", "lengths", {"nepl": "nepl", "epl": "-epl"}),
        ("r2l", "differences", {"content": "difference", "other": "difference", "smoothed": "smoothed"}),
        ("dana", "differences", {"content": "difference", "other": "difference", "smoothed": "smoothed"}),
        ("bte", "balance", {"balance": "balance"}),
        ("blocks", "ratios", {"content": "anchor_ratio", "other": "anchor_ratio"}),
        ("blocks", "characters", {"selected": "selected", "rejected": "-rejected"}),
        ("auto", "probability", {"content": "probability", "other": "probability"}),
        ("density", "weights", {"content": "weight", "other": "weight"}),
        ("density", "sum", {"sum": "sum"}),
    ],
)
def test_a_panel_has_the_numbers_of_the_explanation(name: str, panel: str, series: dict[str, str]) -> None:
    """Columns that share a series together have all of it."""
    explanation = explained(name)
    (drawn,) = (one for one in panels_of(explanation) if one.name == panel)
    columns = {one.name: one.values for one in drawn.columns} | {one.name: one.y for one in drawn.curves}
    for own in set(series.values()):
        sign = -1 if own.startswith("-") else 1
        shares = [columns[key] for key, value in series.items() if value == own]
        summed = [sign * sum(share) for share in zip(*shares, strict=True)]
        wanted = list(explanation.values(own.removeprefix("-")))
        assert summed[-len(wanted) :] == pytest.approx(wanted)


def test_the_region_is_marked_where_the_extractor_chose() -> None:
    """The text of the page is the hatched stretch, and the longest column of R2L is in it."""
    explanation = explained("r2l")
    lengths, differences = panels_of(explanation)
    assert SENTENCE.strip() in explanation.extraction.text
    assert lengths.chosen == differences.chosen == stretches(explanation.chosen)
    ((begin, end),) = lengths.chosen
    assert all(begin < place < end for _, place in differences.marks)


@pytest.mark.parametrize("form", drawing.FORMS)
@pytest.mark.parametrize("name", ["r2l", "bte", "blocks", "auto"])
def test_the_same_page_gives_the_same_bytes(name: str, form: str) -> None:
    """No date, no random id, no name of a machine."""
    figure = PageFigure("page.html", explained(name))
    first = figure.draw(form)
    assert first == figure.draw(form)
    assert not re.search(rb"\b20\d\d-\d\d-\d\d|CreationDate|/home/", first)


def test_text_is_text() -> None:
    """An editor can change the labels of SVG and PDF; the caption names page, extractor, version and parameters."""
    figure = PageFigure("page.html", explained("r2l"))
    texts = [one.text or "" for one in ElementTree.fromstring(figure.draw()).iter(f"{SVG}text")]
    caption = " ".join(text for text in texts if text in figure.caption and " " in text)
    assert "page.html. Extractor r2l, version 5 (P = 8)." in caption
    assert "difference (characters)" in texts
    assert any(text.startswith("line of the body, without scripts and styles (number)") for text in texts)
    pdf = figure.draw("pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.parametrize("form", drawing.FORMS)
@pytest.mark.parametrize(
    "title", ["<script>alert(1)</script> & $x^2$", "\x00\x1b[2J\u202eabc\ufffe", "ข่าว", "", "\ud800", "$"]
)
def test_hostile_titles_are_drawn_as_text(title: str, form: str) -> None:
    """No markup, formula, control character or half a character gets out of the title or the name of a page."""
    panels = panels_of(explained("bte"))
    made = drawing.draw(panels, title, title, form)
    if form == "svg":
        tree = ElementTree.fromstring(made)
        assert not list(tree.iter(f"{SVG}script"))
        shown = "".join(one.text or "" for one in tree.iter(f"{SVG}text"))
        assert ("alert(1)" in shown) == ("alert" in title)
        assert ("$x^2$" in shown) == ("$x" in title)


def test_a_title_is_isolated_so_that_its_script_sets_its_direction() -> None:
    """Arabic in SVG is between FSI and PDI (UAX #9), whose full stop then is at its left end."""
    svg = drawing.draw(panels_of(explained("bte")), SENTENCE, "", "svg").decode()
    assert f"\u2068{SENTENCE.strip()}\u2069" in svg


def test_colours_differ_in_grey() -> None:
    """Dark and light columns, and the ground, have other greys (luminance of ITU-R BT.709)."""
    colours = (drawing.LINE, drawing.DARK, drawing.LIGHT, drawing.GROUND)
    channels = [[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in colours]
    greys = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in channels]
    assert all(after - before > 0.2 for before, after in pairwise(greys))


def test_long_columns_of_code_do_not_hide_those_of_the_text() -> None:
    """A line a hundred times as long as those of the text is cut off, and the axis says how many there are."""
    html = PAGE.replace("Copyright", "z" * 100_000)
    explanation = explained("r2l", html)
    panels = panels_of(explanation)
    (lengths, _) = axes_of(panels, explanation)
    longest = max(value for value, own in zip(explanation.values("nepl"), explanation.chosen, strict=True) if own)
    assert -3 * longest < lengths.get_ylim()[0] < 0 < longest < lengths.get_ylim()[1]
    assert re.search(r"; \d+ columns? cut off$", lengths.get_xlabel())


def test_a_limit_stays_in_sight() -> None:
    """The limit of the anchor ratio is drawn inside the axis, although the columns of the text are far below it."""
    article = PAGE.partition("<article>")[2].replace("</p>\n<img src=a>", " <a href=/a>الحر</a></p>")
    found = explained("blocks", f"<body><article>{article}")
    panels = panels_of(found)
    ratios = axes_of(panels, found)[[panel.name for panel in panels].index("ratios")]
    limit = next(curve.y[0] for panel in panels for curve in panel.curves if curve.name == "limit")
    assert ratios.get_ylim()[0] <= 0 < limit < ratios.get_ylim()[1]


@pytest.mark.parametrize("name", EXPLAINED)
@pytest.mark.parametrize("html", ["", "<p>", "word", "<p>كلمة</p>"])
def test_a_page_of_almost_nothing_has_a_figure(name: str, html: str) -> None:
    """Without items, or without a text."""
    assert PageFigure("-", explained(name, html)).draw().startswith(b"<?xml")


def test_a_figure_of_too_many_items_is_refused() -> None:
    """With the way to get the numbers."""
    many = (0,) * (drawing.MAX_ITEMS + 1)
    series = tuple(Series(name, "", many) for name in ("nepl", "epl", "difference", "smoothed"))
    found = Explanation(Extraction((), "r2l", "4"), "line", series, (False,) * len(many))
    with pytest.raises(ConfigError, match=r"(?s)50,001 items.*--json"):
        PageFigure("page.html", found).draw()


def test_no_cell_of_the_numbers_is_a_formula() -> None:
    """A block that begins with an equals sign has an apostrophe before it in CSV, and none in JSON."""
    figure = PageFigure("page.html", explained("blocks", "<p>=1+1 is two</p><p>-1 is a number</p>"))
    last = [line.split(",")[-1] for line in figure.numbers("csv").splitlines()]
    assert last == ["text", "'=1+1 is two"]
    assert "'=" not in figure.numbers("json")
