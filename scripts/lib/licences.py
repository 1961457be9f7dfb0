"""Collects the licences of everything that the programs consist of, as debian/copyright (DEP-5).

    licences.py CHECKOUTS RESOLVED SWIFT ICU OUTPUT

CHECKOUTS has the sources of the packages that RESOLVED (Package.resolved) names, and SWIFT is the licence of Swift's own libraries, which are
linked in, and ICU that of the ICU in them. A package without a licence is an error, and so are sources in it that are somebody else's and that no row of
COPIED accounts for.
"""

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

# What only makes documentation is in no program.
LEFT_OUT = {"swift-docc-plugin", "swift-docc-symbolkit"}
NOT_IN_PROGRAMS = {".git", "Tests", "Benchmarks", "Examples", "Utils", "SQLiteCustom", "Documentation"}
NAME = re.compile(r"(?i)(license|licence|notice|copying)")
HOLDER = re.compile(r"(?i)\bcopyright\b\s*(?:\(c\)|©)?\s*(.*\b\d{4}\b.*)")
YEARS = re.compile(r"(\d{4})(?:\s*[-–]\s*(\d{4}))?\s*,?\s*")

SOURCES = {".c", ".h", ".cc", ".cpp", ".hpp", ".inc", ".S", ".m", ".macros"}
# How a package marks its own sources.
OWN = re.compile(r"Licensed under (?:the )?Apache License|See (?:LICENSE\.txt|https?://swift\.org/LICENSE\.txt) for license")
# A notice of something that a package contains: its licence and its homepage.
NOTICE = re.compile(r"\* LICENSE \(([^)]*)\):?\s*\* \S+\s*\* HOMEPAGE:\s*\* (\S+)")
# So many characters at a file's beginning say whose it is.
HEAD = 3_000


class Copied(NamedTuple):
    """Sources that packages have from elsewhere, and that are in the programs."""

    places: tuple
    """The folders and files in the checkouts."""
    licence: str
    owners: tuple = ()
    """Whose they are; without it those whom their files name."""
    header: str = ""
    """A file of the first place whose first comment with a copyright is the licence."""
    comment: str = ""


COPIED = [
    Copied(("Yams/Sources/CYaml",), "Expat", ("2006-2016 Kirill Simonov", "2017-2020 Ingy döt Net"), comment="libyaml"),
    Copied(("swift-nio/Sources/CNIOSHA1",), "BSD-3-Clause-WIDE", header="c_nio_sha1.c", comment="sha1.c of FreeBSD"),
    Copied(
        ("swift-nio/Sources/CNIOAtomics/src/cpp_magic.h",), "Expat", ("2014 Thomas Nixon", "2014 Jonathan Heathcote"), comment="uSHET"),
    Copied(("swift-nio-extras/Sources/CNIOExtrasZlib",), "Zlib", header="include/nioextras-zlib.h"),
    Copied(("swift-nio-ssl/Sources/CNIOBoringSSL", "swift-crypto/Sources/CCryptoBoringSSL"), "Apache-2.0", comment=(
        "BoringSSL. The implementation of Poly1305 for ARM is in the public domain (D. J. Bernstein and Peter Schwabe).")),
    Copied(
        ("swift-nio-ssl/Sources/CNIOBoringSSL/third_party/fiat", "swift-crypto/Sources/CCryptoBoringSSL/third_party/fiat"), "Expat",
        ("2015-2020 the fiat-crypto authors (https://github.com/mit-plv/fiat-crypto/blob/master/AUTHORS)",)),
    Copied(
        ("swift-crypto/Sources/CXKCP",), "CC0-1.0", ("Guido Bertoni, Joan Daemen, Michaël Peeters, Gilles Van Assche and Ronny Van Keer",), comment=(
            "The eXtended Keccak Code Package. Its implementers have waived all copyright to the extent possible under law.")),
    Copied(("swift-crypto/Sources/CXKCP/FIPS202-opt64/brg_endian.h",), "BSD-3-Clause-Gladman"),
    Copied(
        ("swift-certificates/Sources/X509/X509BaseTypes/TimeCalculations.swift",), "Expat", ("2005-2020 Rich Felker, et al.",), comment=(
            "Derived from musl.")),
    Copied(("swift-nio-http2/Sources/NIOHPACK/HuffmanTables.swift",), "Expat", ("2013 Tatsuhiro Tsujikawa",), comment="Derived from nghttp2."),
]
# What the packages' notices name under other licences than Apache's, by the homepage: in a row above, in a folder with a licence of its own, in no
# program, or under Apache's licence in truth.
NOTICED = {
    "https://github.com/18sg/uSHET", "https://github.com/freebsd/freebsd-src", "https://boringssl.googlesource.com/boringssl/", "https://www.zlib.net/",
    "https://musl.libc.org", "https://github.com/nodejs/llhttp", "https://github.com/briansmith/webpki/", "https://github.com/http2jp/hpack-test-case",
    "https://github.com/swiftlang/swift-foundation/"}
# Files without a mark that are the packages' own: shims for a library of the system, and declarations of the kernel's interface.
OWN_WITHOUT_MARK = {
    "GRDB.swift/Sources/GRDBSQLite", "GRDB.swift/Sources/GRDBSQLCipher", "GRDB.swift/Support", "Yams/Sources/Yams", "swift-system/Sources/CSystem"}


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


def holders_in(folders):
    """Whose the files of folders are, by what they say at their beginnings: each name with its first and its last year."""
    years = {}
    for path in (path for folder in folders for path in sources(folder)):
        for line in holders(head(path)):
            name, found = line, []
            while match := YEARS.match(name):
                found += [int(year) for year in match.groups() if year]
                name = name[match.end():]
            name = re.sub(r"(?i)[.,]?\s*all rights reserved$", "", name).strip()
            if found and name:
                years.setdefault(name, []).extend(found)
    return [
        f"{min(found)}-{max(found)} {name}" if min(found) < max(found) else f"{found[0]} {name}"
        for name, found in sorted(years.items(), key=lambda item: (-len(item[1]), item[0]))]


def sources(folder):
    """The files of a folder, or the file itself, in which a header says whose they are."""
    paths = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    return [path for path in paths if path.suffix in SOURCES and path.is_file()]


def head(path):
    return path.read_text(errors="replace")[:HEAD]


def first_licence(path):
    """The first comment of a file that says whose it is, without the marks of the comment."""
    for match in re.finditer(r"/\*(.*?)\*/", head(path), re.DOTALL):
        if re.search(r"(?i)copyright", match[1]):
            return "\n".join(re.sub(r"^\s*\*?-? ?", "", line).rstrip() for line in match[1].splitlines()).strip()
    raise SystemExit(f"licences: {path} has no licence at its beginning")


def is_apache(text):
    return "Apache License" in text and "Version 2.0" in text


def is_mit(text):
    return "Permission is hereby granted, free of charge" in text and "THE SOFTWARE IS PROVIDED" in text


def indented(text):
    """Text as a field's further lines: with a space before each, and a dot in an empty one."""
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.strip().expandtabs().splitlines())


def paragraph(patterns, owners, licence, comment="", body=""):
    patterns = [patterns] if isinstance(patterns, str) else patterns
    lines = [f"Files: {patterns[0]}", *(f"       {pattern}" for pattern in patterns[1:])]
    lines += [f"Copyright: {owners[0]}", *(f"           {owner}" for owner in owners[1:]), f"License: {licence}"]
    if body:
        lines.append(indented(body))
    if comment:
        lines += ["Comment:", indented(comment)]
    return "\n".join(lines)


def package(name, folder):
    """The paragraphs of a package: one for each licence in it, with its notices."""
    licences = [path for path in texts(folder) if not path.name.upper().startswith("NOTICE")]
    notices = "\n\n".join(path.read_text(errors="replace").strip() for path in texts(folder) if path.name.upper().startswith("NOTICE"))
    if not licences or licences[0].parent != folder:
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


def copied(row, checkouts):
    """The paragraph of sources from elsewhere."""
    missing = [place for place in row.places if not (checkouts / place).exists()]
    if missing:
        raise SystemExit(f"licences: {missing[0]} is gone; take its row out of COPIED, or say where it is now")
    first = checkouts / row.places[0]
    body = first_licence(first / row.header if row.header else first) if row.licence.startswith("BSD") or row.header else ""
    owners = list(row.owners) or holders(body) or holders_in([checkouts / place for place in row.places])
    patterns = [f"{place}/*" if (checkouts / place).is_dir() else place for place in row.places]
    return paragraph(patterns, list(dict.fromkeys(owners)), row.licence, row.comment, body)


def unaccounted(name, folder):
    """The sources of a package that are marked neither as its own nor in a table here, and what else its notices name."""
    accounted = {place for row in COPIED for place in row.places} | OWN_WITHOUT_MARK
    # A folder with a licence of its own is accounted for by that.
    accounted |= {path.parent.relative_to(folder.parent).as_posix() for path in texts(folder) if path.parent != folder}
    found = []
    for path in sources(folder):
        place = path.relative_to(folder.parent)
        if NOT_IN_PROGRAMS & set(place.parts) or accounted & {parent.as_posix() for parent in (place, *place.parents)}:
            continue
        if not OWN.search(head(path)):
            found.append(place.as_posix())
    for path in texts(folder):
        for licence, home in NOTICE.findall(path.read_text(errors="replace")) if path.name.upper().startswith("NOTICE") else ():
            if "Apache" not in licence and home not in NOTICED:
                found.append(f"{home} ({name})")
    return found


APACHE = """Licensed under the Apache License, Version 2.0. On Debian systems, the whole text is in /usr/share/common-licenses/Apache-2.0, and \
everywhere at https://www.apache.org/licenses/LICENSE-2.0."""
EXCEPTION = """As an exception, if you use this Software to compile your source code and portions of this Software are embedded into the binary \
product as a result, you may redistribute such product without providing attribution as would otherwise be required by Sections 4(a), 4(b) and 4(d) \
of the License."""
CC0 = """To the extent possible under law, the implementers have waived all copyright and related or neighboring rights to the source code. On Debian \
systems, the whole text is in /usr/share/common-licenses/CC0-1.0, and everywhere at https://creativecommons.org/publicdomain/zero/1.0/."""
EXPAT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE."""
SWIFT = """Swift's libraries: the standard library, Dispatch and Foundation. Parts of the standard library are LLVM's (Apache-2.0 with the LLVM \
exception, which asks for nothing where they are embedded like this)."""
ICU = """ICU, which is part of Foundation, with Unicode's data. The licences of others that the text names are of data in it, or of files for \
building it."""


def main():
    checkouts, resolved, swift, icu, output = map(Path, sys.argv[1:])
    pins = sorted(pin["location"].rstrip("/").removesuffix(".git").rsplit("/", 1)[1] for pin in json.loads(resolved.read_text())["pins"])
    names = [name for name in pins if name not in LEFT_OUT]
    paragraphs = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Cuelight",
        paragraph("*", ["the authors of Cuelight"], "Apache-2.0")]
    for name in names:
        paragraphs += package(name, checkouts / name)
    paragraphs += [copied(row, checkouts) for row in COPIED]
    unknown = [place for name in names for place in unaccounted(name, checkouts / name)]
    if unknown:
        raise SystemExit(f"licences: nobody says whose these are, and under which licence; add rows to COPIED: {', '.join(unknown[:20])}")
    if "Runtime Library Exception" not in swift.read_text(errors="replace"):
        raise SystemExit(f"licences: {swift} is not Swift's licence")
    paragraphs += [
        paragraph("swift/*", ["Apple Inc. and the Swift project authors"], "Apache-2.0 with Swift exception", SWIFT),
        paragraph("swift/icu/*", ["1995-2016 International Business Machines Corporation and others", "2016-2024 Unicode, Inc."], "Unicode", ICU,
                  icu.read_text()),
        f"License: Apache-2.0\n{indented(APACHE)}", f"License: Apache-2.0 with Swift exception\n{indented(f'{APACHE}{chr(10) * 2}{EXCEPTION}')}",
        f"License: CC0-1.0\n{indented(CC0)}", f"License: Expat\n{indented(EXPAT)}"]
    output.write_text("\n\n".join(paragraphs) + "\n")


if __name__ == "__main__":
    main()
