#!/usr/bin/env python3
"""Writes the table of the HTML standard's named character references as Swift, from Python's own copy of it (html.entities.html5).

    scripts/lib/html_entities.py > Sources/Producing/Questions/HTMLEntityTable.swift

With --check it compares that file with what it would write, and ends with status 1 where they differ.
"""

import sys
from html.entities import html5
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "Sources/Producing/Questions/HTMLEntityTable.swift"


def table():
    """One entry a name, sorted by its bytes: the name, `;` or, where the semicolon may be missing, `,`, and the code points."""
    entries = []
    for name, characters in html5.items():
        if name.endswith(";"):
            separator = "," if name[:-1] in html5 else ";"
            entries.append((name[:-1].encode(), separator, " ".join(f"{ord(character):X}" for character in characters)))
    assert len(entries) + sum(1 for entry in entries if entry[1] == ",") == len(html5)
    return [name.decode() + separator + points for name, separator, points in sorted(entries)]


def swift():
    lines, line = [], ""
    for entry in table():
        if len(line) + len(entry) > 130:
            lines.append(line)
            line = ""
        line += entry + "|"
    text = "\\\n".join(f"    {line}" for line in lines + [line])
    return f'''// Written by scripts/lib/html_entities.py; do not edit.

extension HTMLText {{
  /// The named character references of the HTML standard (section 13.5), sorted by the bytes of their names, each ended by a bar: the name; a
  /// semicolon, or a comma where the reference may stand without its semicolon; the code points in hexadecimal.
  static let entityTable = """
{text}
    """
}}
'''


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != swift())
    sys.stdout.write(swift())
