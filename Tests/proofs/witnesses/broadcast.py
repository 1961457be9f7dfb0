"""Puts metadata into a transport stream of FFmpeg's, as a broadcaster's multiplexer does. Written from ISO/IEC 13818-1."""

from proofs import transport

ROOM = transport.PACKET - 4


def descriptor(tag, data):
    return bytes([tag, len(data)]) + data


def section(table, extension, body):
    """A section of the long form, version 0, the only one of its table (2.4.4)."""
    head = bytes([table]) + (0xB000 | len(body) + 9).to_bytes(2, "big") + extension.to_bytes(2, "big") + b"\xC1\0\0"
    return head + body + transport.crc32_mpeg2(head + body).to_bytes(4, "big")


def stamp(ticks):
    """A PTS in the five bytes of a PES header that has no DTS (2.4.3.6)."""
    ticks %= transport.WRAP
    return bytes([0x21 | ticks >> 29 & 0x0E, ticks >> 22 & 0xFF, ticks >> 14 & 0xFE | 1, ticks >> 7 & 0xFF, ticks << 1 & 0xFE | 1])


def pes(stream, ticks, payload):
    """A PES packet that is aligned and has a PTS; private stream 1 is 0xBD, the metadata stream 0xFC."""
    body = b"\x84\x80\x05" + stamp(ticks) + payload
    return bytes([0, 0, 1, stream]) + len(body).to_bytes(2, "big") + body


class Stream:
    """A stream of metadata: how the PMT lists it, and what it carries: pairs of a time in seconds and a section or PES packet."""

    def __init__(self, kind, pid, units, descriptors=b"", is_sections=False):
        self.kind, self.pid, self.descriptors = kind, pid, descriptors
        # A section has a pointer in front of it, and nothing after it but stuffing.
        self.units = sorted([(time, b"\0" + data if is_sections else data) for time, data in units], key=lambda unit: unit[0])
        self.is_sections, self.counter = is_sections, 0

    def packets(self, data):
        """A unit in packets: a section is followed by bytes of ones, a PES packet is filled by an adaptation field."""
        for start in range(0, len(data), ROOM):
            part = data[start:start + ROOM]
            missing = ROOM - len(part)
            field = b""
            if missing and self.is_sections:
                part += b"\xFF" * missing
            elif missing:
                field = bytes([missing - 1]) + (b"\0" + b"\xFF" * (missing - 2) if missing > 1 else b"")
            flags = (0x30 if field else 0x10) | self.counter
            self.counter = (self.counter + 1) % 16
            yield bytes([0x47, (0 if start else 0x40) | self.pid >> 8, self.pid & 0xFF, flags]) + field + part


def zero_of(data):
    """The PTS at which the video starts, in ticks: the smallest of the video's first pictures."""
    _, (table,) = transport.program_maps(data)
    video = next(pid for kind, pid, _ in table.streams if kind in (0x1B, 0x24))
    return min(transport.timestamp(unit[9:14]) for _, unit in zip(range(8), transport.units(data, video)))


def with_streams(data, streams, program_descriptors=b""):
    """A stream of one program with further streams of metadata, each unit in front of the first picture that is not before its time."""
    map_pid, (table,) = transport.program_maps(data)
    zero = zero_of(data)
    video = next(pid for kind, pid, _ in table.streams if kind in (0x1B, 0x24))
    written = bytearray()
    for pid, packet in transport.packets(data):
        if pid == map_pid:
            changed = map_section(transport.section_of(transport.payload(packet)), streams, program_descriptors)
            packet = packet[:4] + (b"\0" + changed).ljust(ROOM, b"\xFF")
            assert len(packet) == transport.PACKET, "the PMT needs more than a packet"
        elif pid == video and transport.is_start(packet):
            now = transport.signed(transport.timestamp(transport.payload(packet)[9:14]) - zero) / 90_000
            for stream in streams:
                while stream.units and stream.units[0][0] <= now:
                    for added in stream.packets(stream.units.pop(0)[1]):
                        written += added
        written += packet
    return bytes(written)


def map_section(old, streams, program_descriptors):
    """The section of a PMT with further streams."""
    length = (old[10] & 0x0F) << 8 | old[11]
    own = old[12:12 + length] + program_descriptors
    body = old[8:10] + (0xF000 | len(own)).to_bytes(2, "big") + own + old[12 + length:-4]
    for stream in streams:
        numbers = (0xE000 | stream.pid).to_bytes(2, "big") + (0xF000 | len(stream.descriptors)).to_bytes(2, "big")
        body += bytes([stream.kind]) + numbers + stream.descriptors
    return section(2, old[3] << 8 | old[4], body)
