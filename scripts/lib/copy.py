"""Copies a file with a buffer of one mebibyte and nothing else: what passing a transport stream through is measured against.

    copy.py INPUT OUTPUT
"""

import os
import sys


def main():
    source = os.open(sys.argv[1], os.O_RDONLY)
    target = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    buffer = memoryview(bytearray(1 << 20))
    while count := os.readv(source, [buffer]):
        written = 0
        while written < count:
            written += os.write(target, buffer[written:count])


main()
