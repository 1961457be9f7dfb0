#!/usr/bin/env python3
"""Writes the table of the HTML standard's named character references as text, from Python's own copy of it (html.entities.html5).

    scripts/lib/html_entities.py > Sources/Producing/Questions/HTMLEntities.txt

With --check it compares that file with what it would write, and ends with status 1 where they differ.
"""

import sys
from html.entities import html5
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "Sources/Producing/Questions/HTMLEntities.txt"


def table():
    """One line a name, sorted by its bytes: the name, `;` or, where the semicolon may be missing, `,`, and the code points."""
    entries = []
    for name, characters in html5.items():
        if name.endswith(";"):
            separator = "," if name[:-1] in html5 else ";"
            entries.append((name[:-1].encode(), separator, " ".join(f"{ord(character):X}" for character in characters)))
    assert len(entries) + sum(1 for entry in entries if entry[1] == ",") == len(html5)
    return "".join(f"{name.decode()}{separator}{points}\n" for name, separator, points in sorted(entries))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != table())
    sys.stdout.write(table())
