"""Names of constants."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpus_spider", "pipelines", "storage")
ADJECTIVES = frozenset(
    """
    ABSENT AHEAD ALIKE ALL ALONE ANY APART BEFORE BEHIND BESIDE BEST BIG BUSIEST CERTAIN CLEAN CLEARLY CLOSE COMMON
    CONFIDENT CRITICAL DEEP DEEPEST DIFFERENT DISPUTED DOUBTED DRY ELECTED ENOUGH EVER EXACT FAIR FAMILIAR FAR FEW
    FEWER FEWEST FREE FREQUENT FULL GREAT HALF HARDLY HEADED HELD HIGH HIGHEST HUGE IDLE KEPT LARGE LARGEST LAST LATE
    LATER LATEST LEAST LESS LIKE LIKELY LINKED LITTLE LOGGED LONG LONGEST LOST LOW LOWEST MANY MARKED MAX MEANT MIN
    MISSING MIXED MORE MOST MOSTLY NAMED NEAR NEAREST NEW NEWEST NEXT OFTEN OLD OLDEST OVER PARTIAL PLAIN POOR RARE
    RECENT RELEASED REMEMBERED REPEATED RESTING SAID SAMPLED SCARCE SHORT SHORTEST SHOWN SIMILAR SMALL SMALLEST STALE
    STRANGE SURE SWEPT UNENDED UNFOLDED UNLIKE UNLIMITED UNSEEN UNSURE USUAL WEAK WHOLE WIDE WITHIN
    """.split()
)
"""Words that say how much or which, and not of what."""


def is_number(value: ast.expr | None) -> bool:
    """Return whether an expression is a number, or a sum or product of numbers, or a time."""
    match value:
        case ast.Constant(value=int() | float() as number):
            return not isinstance(number, bool)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.Call(func=ast.Name(id="timedelta")):
            return True
        case _:
            return False


def numbers(module: ast.Module) -> list[str]:
    """Return the names of a module's constants that are numbers."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    for node in module.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs += zip(target.elts, node.value.elts, strict=True)
                else:
                    pairs.append((target, node.value))
        elif isinstance(node, ast.AnnAssign):
            pairs.append((node.target, node.value))
    return [name.id for name, value in pairs if isinstance(name, ast.Name) and name.id.isupper() and is_number(value)]


def without_noun(name: str) -> bool:
    """Return whether each word of a name is an adjective."""
    return ADJECTIVES.issuperset(name.strip("_").split("_"))


def test_names_that_are_reported() -> None:
    """A number is found alone, in a pair, with a type or as a time. A name with a noun passes."""
    code = "MOST = 2\nNEAR, MAX_LINES = 3 * 2, -1\n_FEW: int = 1\nKEPT = timedelta(1)\nSURE = re.compile(1)"
    found = numbers(ast.parse(code))
    assert found == ["MOST", "NEAR", "MAX_LINES", "_FEW", "KEPT"]
    assert [name for name in found if without_noun(name)] == ["MOST", "NEAR", "_FEW", "KEPT"]


def test_the_name_of_a_number_has_a_noun() -> None:
    """`MAX_LINKED_SHARE` says what it bounds, `MOST` does not."""
    found = [
        (path.relative_to(ROOT), name)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in numbers(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(found) > 500
    assert [f"{path}: {name}" for path, name in found if without_noun(name)] == []
