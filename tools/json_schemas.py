"""Make the JSON Schemas of all `--json` outputs, and their page of the documentation, from the types of the results.

    python tools/json_schemas.py          write them
    python tools/json_schemas.py --check  exit code 1 if a file differs from its types

`corpus_spider/cli/json_outputs.py` names the types. Descriptions are the docstrings of classes and fields.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
import typing
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from corpus_spider.cli.json_outputs import OUTPUTS, Output

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "corpus_spider" / "cli" / "schemas"
PAGE = ROOT / "docs" / "reference" / "json.md"
PACKAGES = ("corpus_spider", "pipelines", "storage")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
HEX = {"type": "string", "pattern": "^[0-9a-f]*$"}
INTRODUCTION = """# JSON outputs

Each command with `--json` writes one JSON value on standard output. Its form is a JSON Schema (draft 2020-12) with a
version. `corpus-spider schema` lists the schemas, and `corpus-spider schema status` prints that of `status`. A schema
has no network address: its `$id` is a name such as `urn:corpus-spider:status:1`.

A version changes when a field is removed, renamed, or gets another type or meaning. New fields leave it: accept fields
that you do not know. Errors are messages on standard error with an [exit code](exit-codes.md), never JSON.

Times are ISO 8601 with their zone, and `next_try` is in seconds since 1970. Byte strings are hexadecimal. Paths are
text. Fields of documents are those of [exports](fields.md).

| command | schema | version |
| --- | --- | --- |
"""


def main() -> int:
    """Write or check all files. Return the exit code."""
    resolve_annotations()
    made = {SCHEMAS / f"{output.name}.json": text_of(schema(output)) for output in OUTPUTS}
    made[PAGE] = page()
    old = set(SCHEMAS.glob("*.json")) - set(made)
    if "--check" in sys.argv[1:]:
        stale = [file for file, text in made.items() if not file.exists() or file.read_text("utf-8") != text]
        for file in (*stale, *old):
            sys.stderr.write(f"{file.relative_to(ROOT)} differs from the types. Run `python tools/json_schemas.py`.\n")
        return 1 if stale or old else 0
    SCHEMAS.mkdir(exist_ok=True)
    PAGE.parent.mkdir(exist_ok=True)
    for file, text in made.items():
        file.write_text(text, "utf-8")
    for file in old:
        file.unlink()
    return 0


def resolve_annotations() -> None:
    """Import what the modules of the program import for type checkers only. msgspec reads annotations at run time."""
    modules = [(name, module) for name, module in sys.modules.items() if name.partition(".")[0] in PACKAGES]
    # Twice: some of these names are themselves defined for type checkers only.
    for name, module in modules * 2:
        if not (getattr(module, "__file__", None) or "").endswith(".py"):
            continue
        for block in ast.parse(inspect.getsource(module)).body:
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                for statement in block.body:
                    with suppress(ImportError, TypeError):
                        exec(compile(ast.Module([statement], []), name, "exec"), vars(module))


def schema(output: Output) -> dict[str, Any]:
    """Return the JSON Schema of an output."""
    named = {f"more_{name}": kind for name, kind in output.more.items()}
    (first, *others), parts = msgspec.json.schema_components(
        (output.type, *named.values()), schema_hook=of_other_type, ref_template="#/$defs/{name}"
    )
    classes = classes_in(output.type)
    for kind in output.more.values():
        classes_in(kind, classes)
    for name, part in parts.items():
        complete(classes[name.partition("_")[0]], part)
    if output.more:
        own = parts.pop(first["$ref"].rpartition("/")[2])
        own["properties"] |= dict(zip(output.more, others, strict=True))
        own["required"] = [*own["required"], *output.more]
        first = own
    elif "$ref" in first:
        first = parts.pop(first["$ref"].rpartition("/")[2])
    first.pop("title", None)
    whole = {
        "$schema": DIALECT,
        "$id": f"urn:corpus-spider:{output.name}:{output.version}",
        "title": title(output),
        **first,
    }
    if parts:
        whole["$defs"] = dict(sorted(parts.items()))
    return dict(plain(whole))


def of_other_type(kind: Any) -> dict[str, Any]:
    """Return the schema of a type that msgspec does not know."""
    if kind is Counter:
        return {"type": "object", "additionalProperties": {"type": "integer"}}
    if kind is object:
        return {"type": ["string", "number", "boolean", "null"]}
    if isinstance(kind, type) and issubclass(kind, Path):
        return {"type": "string"}
    raise NotImplementedError(kind)


def classes_in(kind: Any, found: dict[str, type] | None = None) -> dict[str, type]:
    """Return the classes of the program that a type consists of, by name."""
    known = {} if found is None else found
    for part in typing.get_args(kind):
        classes_in(part, known)
    # Of a generic class, such as a table of rows, the class itself.
    kind = typing.get_origin(kind) or kind
    if isinstance(kind, type) and kind.__module__.partition(".")[0] in PACKAGES and kind.__name__ not in known:
        known[kind.__name__] = kind
        for part in hints_of(kind):
            classes_in(part, known)
    return known


def hints_of(kind: type) -> list[Any]:
    """Return the types of the fields of a class. msgspec knows those of a class that is one of a generic one."""
    if issubclass(kind, msgspec.Struct):
        return [each.type for each in msgspec.structs.fields(kind)]
    return list(typing.get_type_hints(kind).values())


def complete(kind: type, part: dict[str, Any]) -> None:
    """Require the fields that a class always writes, and describe fields by their docstrings."""
    texts: dict[str, str] = {}
    if not typing.is_typeddict(kind):
        # A field that is not set is not written.
        unset = {name for name, value in vars(kind).get("__dataclass_fields__", {}).items() if value.default is UNSET}
        part["required"] = [name for name in part.get("properties", {}) if name not in unset]
    for each in reversed(kind.__mro__):
        if each.__module__.partition(".")[0] in PACKAGES:
            texts |= docstrings(each)
    for field, described in part.get("properties", {}).items():
        described.pop("default", None)
        if field in texts:
            described["description"] = texts[field]


def docstrings(kind: type) -> dict[str, str]:
    """Return the docstrings of the fields of a class."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    except OSError:
        # Made by a call, because a field has the name of a keyword.
        return {}
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = ast.literal_eval(following.value) if isinstance(following.value, ast.Constant) else ""
            found[ast.unparse(statement.target)] = " ".join(str(text).split())
    return found


def plain(value: Any) -> Any:
    """Return a schema with byte strings in hexadecimal, as the program writes them."""
    if isinstance(value, dict):
        if value.get("contentEncoding") == "base64":
            return HEX | {key: each for key, each in value.items() if key == "description"}
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def title(output: Output) -> str:
    """Return the command line of an output."""
    when = output.when if output.when.startswith("-") else ""
    return " ".join(filter(None, ("corpus-spider", output.command, when, "--json")))


def page() -> str:
    """Return the page of the documentation."""
    rows = []
    for output in OUTPUTS:
        command = f"`corpus-spider {output.command}`"
        when = f" with `{output.when}`" if output.when.startswith("-") else f" ({output.when})" if output.when else ""
        rows.append(f"| {command}{when} | `{output.name}` | {output.version} |\n")
    return INTRODUCTION + "".join(rows) + "\n" + "\n".join(map(section, OUTPUTS))


def section(output: Output) -> str:
    """Return the fields of an output as a table, and those of the objects in it."""
    whole = schema(output)
    parts = {"": whole, **whole.get("$defs", {})}
    lines = [f"## {output.name}\n"]
    for name, part in parts.items():
        described = part.get("description", "")
        if name or described:
            lines.append(f"{f'`{name}`: ' if name else ''}{' '.join(described.replace('``', '`').split())}\n")
        if name == "" and part.get("type") == "array":
            lines.append(f"A list of {form(part['items'])}.\n")
        if "properties" in part:
            needed = set(part.get("required", ()))
            lines += ["| field | type | |", "| --- | --- | --- |"]
            lines += [
                f"| `{field}`{'' if field in needed else ' (optional)'} | {form(each)} | {note(each)} |"
                for field, each in part["properties"].items()
            ]
            lines.append("")
        elif "enum" in part:
            lines.append(f"One of {', '.join(f'`{each}`' for each in part['enum'])}.\n")
    return "\n".join(lines)


def note(part: dict[str, Any]) -> str:
    """Return the description of a field for a cell of a table."""
    return str(part.get("description", "")).replace("``", "`").replace("|", "\\|")


def form(part: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    if "$ref" in part:
        return f"`{part['$ref'].rpartition('/')[2]}`"
    if "anyOf" in part:
        return ", ".join(form(each) for each in part["anyOf"])
    if "enum" in part:
        return " or ".join(f"`{each}`" for each in part["enum"])
    kind = part.get("type", "any")
    kind = ", ".join(kind) if isinstance(kind, list) else kind
    if kind == "array":
        inner = part.get("items")
        return f"list of {form(inner)}" if isinstance(inner, dict) and inner else "list"
    if kind == "object" and isinstance(part.get("additionalProperties"), dict):
        return f"object of {form(part['additionalProperties'])}"
    return "time" if part.get("format") == "date-time" else kind


def text_of(value: dict[str, Any]) -> str:
    """Return a schema as it is stored."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
