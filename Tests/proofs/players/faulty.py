"""Makes a faulty copy of HLS in transport streams: the PMT lists an empty ID3 stream before that of the events, and no PES packet of
the events says that it is aligned.

    python3 -m proofs.players.faulty FOLDER COPY

hls.js takes the first ID3 stream only; video.js takes all; neither asks for the alignment.
"""

import shutil
import sys
from pathlib import Path

from proofs import transport

# A PID that nothing else uses.
EMPTY_PID = 0x1F00
TIMED_ID3 = 0x15


def with_empty_stream(section):
    """A program map section with another ID3 stream in front of the first."""
    length = (section[10] & 0x0F) << 8 | section[11]
    position = 12 + length
    while section[position] != TIMED_ID3:
        position += 5 + ((section[position + 3] & 0x0F) << 8 | section[position + 4])
    entry = bytes([TIMED_ID3, 0xE0 | EMPTY_PID >> 8, EMPTY_PID & 0xFF, 0xF0, 0])
    body = section[:position] + entry + section[position:-4]
    size = len(body) + 4 - 3
    body = body[:1] + bytes([body[1] & 0xF0 | size >> 8, size & 0xFF]) + body[3:]
    return body + transport.crc32_mpeg2(body).to_bytes(4, "big")


def faulty(data):
    """A segment with both faults."""
    (map_pid,) = transport.programs(data).values()
    events_pid, _ = transport.timed_id3(data)
    found = bytearray()
    for pid, packet in transport.packets(data):
        packet = bytearray(packet)
        start = transport.PACKET - len(transport.payload(packet))
        if pid == map_pid and transport.is_start(packet):
            section = start + 1 + packet[start]
            end = section + 3 + ((packet[section + 1] & 0x0F) << 8 | packet[section + 2])
            assert end + 5 <= transport.PACKET, "the program map does not fit its packet"
            changed = with_empty_stream(bytes(packet[section:end]))
            packet[section:section + len(changed)] = changed
        elif pid == events_pid and transport.is_start(packet):
            packet[start + 6] &= ~0x04 & 0xFF
        found += packet
    return bytes(found)


def main():
    folder, copy = map(Path, sys.argv[1:])
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    for segment in sorted(copy.glob("*.ts")):
        segment.write_bytes(faulty(segment.read_bytes()))


if __name__ == "__main__":
    main()
