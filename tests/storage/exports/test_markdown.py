"""Markdown: readers show a text as it is stored, and nothing in it is markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import structs

from storage.exports import export
from storage.exports.formats.markdown import body, page
from tests.storage.export_samples import ODD_TEXTS, a_document, documents

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = (
    "[a](javascript:alert(1)) ![b](http://tracker.example/x.png) <script>alert(1)</script> <!-- c -->",
    "# no heading #",
    "#",
    "##",
    "a \\# b #",
    "---",
    "===",
    "```",
    "~~~ yaml",
    "> quoted",
    "- a",
    "1) one",
    "2026. was a year",
    "    indented",
    "\tindented",
    "| a | b |",
    "[x]: https://example.org 'y'",
    "*a* _b_ __c__ `d` ~~e~~ &lt; &#35; &amp;",
    "ends with a backslash\\",
    "two spaces  ",
    "https://example.org www.example.org a@example.org <https://example.org>",
    "$x$ {{ y }} ^z^",
    ": definition",
    "% title",
    "+ plus",
)


def tokens(text: str) -> list[Token]:
    return READER.parse(text)


def shown(text: str) -> list[str]:
    """The paragraphs that a reader shows. Anything but plain text in them fails the test."""
    lines = []
    for token in tokens(text):
        if token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text"}, token.content
            lines.append("".join(child.content for child in token.children or ()))
    return lines


def kinds_of(text: str) -> set[str]:
    return {token.type for token in tokens(text)} - {"inline"}


@pytest.mark.parametrize("line", HOSTILE)
@pytest.mark.parametrize("kind", ["p", "h", "l", "q", "t", ""])
def test_a_line_is_shown_as_it_is_stored(line: str, kind: str) -> None:
    """In any form: links, pictures, HTML and lists stay letters."""
    made = body(line, kind)
    assert shown(made) == [re.sub("[ \t]+", " ", line).strip()] or shown(made) == [line.strip()]
    opened = {"h": {"heading"}, "l": {"bullet_list", "list_item", "paragraph"}, "q": {"blockquote", "paragraph"}}
    names = opened.get(kind, {"paragraph"})
    assert kinds_of(made) == {f"{name}_{end}" for name in names for end in ("open", "close")}


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Zl", "Zp", "Zs", "Cc"]) | st.sampled_from("#*-`_[]()<>\\!| "),
        max_size=40,
    ),
    st.sampled_from("phlq"),
)
@example("#\\#", "h")
@example("\\", "h")
@example("a`" * 3, "q")
def test_any_line_is_shown_as_it_is_stored(line: str, kind: str) -> None:
    """For every text, not only for those that somebody thought of."""
    made = body(line, kind)
    assert [re.sub(" +", " ", each) for each in shown(made)] == (
        [re.sub(" +", " ", line).strip()] if line.strip() else []
    )


@given(st.lists(st.tuples(st.sampled_from(HOSTILE), st.sampled_from("phlqtc")), max_size=6))
def test_lines_of_all_kinds_stand_beside_each_other(lines: list[tuple[str, str]]) -> None:
    """Neighbouring lines do not become one block of another kind, and no line is lost."""
    made = body("\n".join(line for line, _ in lines), "".join(kind for _, kind in lines))
    assert len(shown(made)) == sum(kind != "c" for _, kind in lines)
    fences = [token.content for token in tokens(made) if token.type == "fence"]
    code = "".join(f"{line.rstrip(' ')}\n" for line, kind in lines if kind == "c")
    assert "".join(fences) == code.replace("\t", " ")
    assert not {"html_block", "code_block", "hr", "table_open"} & {token.type for token in tokens(made)}


def test_kinds_of_lines_become_headings_and_lists() -> None:
    """Two items are one list; the quotation of two paragraphs is one quotation."""
    made = body("Today\nText.\none\ntwo\nsaid\nmore\nx = 1", "hpllqqc")
    assert made == "## Today\n\nText.\n\n- one\n- two\n\n> said\n>\n> more\n\n```\nx = 1\n```\n"


def test_a_page_has_its_fields_in_front() -> None:
    """Any reader of YAML gives back what is stored, also quotation marks, line breaks and signs of other readers."""
    title = 'He said: "no" --- `a` \u2028\x85\ufeff # x'
    made = page(structs.replace(a_document(1, "Text."), title=title))
    _, front, rest = re.split("^---\n", made, maxsplit=2, flags=re.MULTILINE)
    values = yaml.safe_load(front)
    assert (values["title"], values["url"]) == (title, "https://paper.example/1")
    assert "text" not in values
    assert rest.endswith("\n\n## Text.\n")
    assert shown(rest)[-1] == "Text."


def test_a_file_of_many_documents_has_a_heading_for_each(tmp_path: Path) -> None:
    """The fields are a fenced block: a reader shows them as they are, wherever they stand in the file."""
    hostile = [structs.replace(one, title=f"```\n# {one.id} [x](y)") for one in documents(ODD_TEXTS)]
    export(hostile, tmp_path / "out.md")
    made = (tmp_path / "out.md").read_text()
    titles = [token for token in tokens(made) if token.type == "heading_open" and token.tag == "h1"]
    fields = [yaml.safe_load(token.content) for token in tokens(made) if token.type == "fence" and token.info == "yaml"]
    assert len(titles) == len(hostile)
    assert [each["id"] for each in fields] == [one.id for one in hostile]
    assert [each["title"] for each in fields] == [one.title for one in hostile]


def test_a_folder_has_a_page_for_each_document(tmp_path: Path) -> None:
    """As with plain texts: named by the id, with an index; the next export may replace it."""
    for _ in range(2):
        export(documents(["a", "b"]), f"{tmp_path}/out/", format_name="md", overwrite=True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "doc-000000.md",
        "doc-000001.md",
        "index.jsonl",
    ]
    assert (tmp_path / "out" / "doc-000001.md").read_text().startswith("---\nid: ")


def test_a_folder_is_markdown_by_its_name_too(tmp_path: Path) -> None:
    """As the folder of a release is of the format that its name says; any other name is a folder of texts."""
    assert export(documents(["a"]), f"{tmp_path}/out.md/").format == "md"
    assert export(documents(["a"]), f"{tmp_path}/out.csv/").format == "txt"
