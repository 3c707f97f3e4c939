"""Write the tables of the reference that are made from the program (`docs/tables.py`) into their pages.

python tools/reference_pages.py          write them
python tools/reference_pages.py --check  exit code 1 if a page differs from the program
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
sys.path.insert(0, str(DOCS))

from tables import MARK, expand  # noqa: E402 - the folder must be known first


def main() -> int:
    """Write or check all pages. Return the exit code."""
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
    changed = {page: made for page, text in texts.items() if MARK.search(text) and (made := expand(text)) != text}
    for page, made in changed.items():
        if "--check" in sys.argv[1:]:
            print(f"{page}: differs from the program; run python tools/reference_pages.py")
        else:
            page.write_text(made, encoding="utf-8")
    return int(bool(changed) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
