"""Takes out of programs what depends on the folder in which they were built, and what no program needs when it runs.

    placeless.py PROGRAM...

The compiler writes digests of its options into `.swift_modhash`, and with them the paths of the build: they become zeros. The linker's build ID is a
digest of all that, and of debug information: it becomes one of what is left. Nothing moves: if a section were removed, binutils would lose the part of
the program that is read-only after it was loaded.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

OPTIONS, IDENTITY = ".swift_modhash", ".note.gnu.build-id"
# The head of the note, which says its owner, kind and length (ELF, 2-4).
NOTE = 16


def sections(path):
    """Where the sections of a program are: offset and size."""
    said = subprocess.run(["readelf", "--section-headers", "--wide", path], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+([0-9a-f]+)\s+([0-9a-f]+)\s", said, re.MULTILINE)
    return {name: (int(offset, 16), int(size, 16)) for name, offset, size in rows}


def main():
    for path in map(Path, sys.argv[1:]):
        places, data = sections(path), bytearray(path.read_bytes())
        for name, kept in ((OPTIONS, 0), (IDENTITY, NOTE)):
            if name in places:
                start, size = places[name]
                data[start + kept:start + size] = bytes(size - kept)
        if IDENTITY in places:
            start, size = places[IDENTITY]
            data[start + NOTE:start + size] = hashlib.sha256(data).digest()[:size - NOTE]
        path.write_bytes(data)


main()
