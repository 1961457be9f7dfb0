"""Collects the licences of everything that the programs consist of, as debian/copyright (DEP-5).

    licences.py CHECKOUTS RESOLVED SWIFT OUTPUT

CHECKOUTS has the sources of the packages that RESOLVED (Package.resolved) names, and SWIFT is the licence of Swift's own libraries, which are
linked in.
"""

import json
import re
import sys
from pathlib import Path

# What only makes documentation is in no program.
LEFT_OUT = {"swift-docc-plugin", "swift-docc-symbolkit"}
NOT_IN_PROGRAMS = {".git", "Tests", "Benchmarks"}
NAME = re.compile(r"(?i)(license|licence|notice|copying)")
HOLDER = re.compile(r"(?i)\bcopyright\b\s*(?:\(c\)|©)?\s*(.*\b\d{4}\b.*)")


def texts(folder):
    """The licences and notices of a package, those of sources that it has from elsewhere included."""
    found = [
        path for path in folder.rglob("*")
        if NAME.match(path.name) and path.is_file() and not NOT_IN_PROGRAMS & set(path.relative_to(folder).parts)]
    return sorted(found, key=lambda path: (len(path.relative_to(folder).parts), path.name.lower()))


def holders(text):
    """The lines that say whose it is, without repeats."""
    lines = [match[1].strip().rstrip(".").strip() for match in map(HOLDER.search, text.splitlines()) if match and "[" not in match[1]]
    return list(dict.fromkeys(lines))


def is_apache(text):
    return "Apache License" in text and "Version 2.0" in text


def is_mit(text):
    return "Permission is hereby granted, free of charge" in text and "THE SOFTWARE IS PROVIDED" in text


def indented(text):
    """Text as a field's further lines: with a space before each, and a dot in an empty one."""
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.strip().expandtabs().splitlines())


def paragraph(pattern, owners, licence, comment="", body=""):
    lines = [f"Files: {pattern}", f"Copyright: {owners[0]}", *(f"           {owner}" for owner in owners[1:]), f"License: {licence}"]
    if body:
        lines.append(indented(body))
    if comment:
        lines += ["Comment:", indented(comment)]
    return "\n".join(lines)


def package(name, folder):
    """The paragraphs of a package: one for each licence in it, with its notices."""
    licences = [path for path in texts(folder) if not path.name.upper().startswith("NOTICE")]
    notices = "\n\n".join(path.read_text(errors="replace").strip() for path in texts(folder) if path.name.upper().startswith("NOTICE"))
    if not licences:
        raise SystemExit(f"licences: {name} has no licence in {folder}")
    made = []
    for number, path in enumerate(licences):
        text = path.read_text(errors="replace")
        place = "/".join([name, *path.relative_to(folder).parts[:-1], "*"])
        comment = notices if number == 0 else ""
        if is_apache(text):
            exception = "Runtime Library Exception" in text
            owners = holders(notices) or [f"the authors of {name}"]
            made.append(paragraph(place, owners, f"Apache-2.0{' with Swift exception' if exception else ''}", comment))
        else:
            kind = "Expat" if is_mit(text) else "other"
            made.append(paragraph(place, holders(text) or [f"the authors of {name}"], f"{kind}-{name.lower()}{number or ''}", comment, text))
    return made


APACHE = """Licensed under the Apache License, Version 2.0. On Debian systems, the whole text is in /usr/share/common-licenses/Apache-2.0, and \
everywhere at https://www.apache.org/licenses/LICENSE-2.0."""
EXCEPTION = """As an exception, if you use this Software to compile your source code and portions of this Software are embedded into the binary \
product as a result, you may redistribute such product without providing attribution as would otherwise be required by Sections 4(a), 4(b) and 4(d) \
of the License."""
ICU = """Swift's libraries: the standard library, Dispatch and Foundation, which has parts of ICU (Copyright Unicode, Inc., Unicode-3.0: \
https://www.unicode.org/license.txt)."""


def main():
    checkouts, resolved, swift, output = map(Path, sys.argv[1:])
    pins = sorted(pin["location"].rstrip("/").removesuffix(".git").rsplit("/", 1)[1] for pin in json.loads(resolved.read_text())["pins"])
    paragraphs = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Cuelight",
        paragraph("*", ["the authors of Cuelight"], "Apache-2.0")]
    for name in pins:
        if name not in LEFT_OUT:
            paragraphs += package(name, checkouts / name)
    if "Runtime Library Exception" not in swift.read_text(errors="replace"):
        raise SystemExit(f"licences: {swift} is not Swift's licence")
    paragraphs.append(paragraph(
        "swift/*", ["Apple Inc. and the Swift project authors"], "Apache-2.0 with Swift exception",
        ICU))
    paragraphs += [
        f"License: Apache-2.0\n{indented(APACHE)}", f"License: Apache-2.0 with Swift exception\n{indented(f'{APACHE}{chr(10) * 2}{EXCEPTION}')}"]
    output.write_text("\n\n".join(paragraphs) + "\n")


main()
