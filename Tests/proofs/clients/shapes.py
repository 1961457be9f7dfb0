"""Small streams, put together byte by byte: transport streams and fragmented MP4 with tags. Nothing in them could be shown, and equal calls give equal bytes."""

from proofs.transport import PACKET, WRAP, crc32_mpeg2

FRAME = 18_000
START = 900_000
UUID = bytes.fromhex("fedfed3733c44466b98ff5e8a0e4a7ae")
VIDEO, DATA, MAP = 0x100, 0x102, 0x1000


class Mux:
    """The packets of a transport stream of H.264 video and timed ID3."""

    def __init__(self):
        self.packets, self.counters = [], {}

    def write(self, pid, data, random_access=False):
        """Puts a unit into packets, the last of them stuffed."""
        first = True
        while data or first:
            flags = b"\x40" if random_access and first else b""
            room = PACKET - 4 - (1 + len(flags) if flags else 0)
            piece, data = data[:room], data[room:]
            fill = PACKET - 4 - len(piece)
            field = b""
            if fill:
                body = (flags or b"\0" if fill > 1 else b"")
                field = bytes([fill - 1]) + body + b"\xFF" * (fill - 1 - len(body))
            counter = self.counters[pid] = (self.counters.get(pid, -1) + 1) % 16
            head = bytes([0x47, (0x40 if first else 0) | pid >> 8, pid & 0xFF, (0x30 if field else 0x10) | counter])
            self.packets.append(head + field + piece)
            first = False

    def tables(self):
        service = b"\xFF\xFFID3 \xFFID3 "
        pointer = b"\x25\x0F" + service + b"\xFF\x1F\x00\x01"
        metadata = b"\x26\x0D" + service + b"\xFF\x0F"
        streams = [(0x1B, VIDEO, b""), (0x15, DATA, metadata)]
        body = bytes([0xE0 | VIDEO >> 8, VIDEO & 0xFF, 0xF0, len(pointer)]) + pointer
        for kind, pid, descriptors in streams:
            body += bytes([kind, 0xE0 | pid >> 8, pid & 0xFF, 0xF0, len(descriptors)]) + descriptors
        self.section(0, 0, b"\x00\x01" + bytes([0xE0 | MAP >> 8, MAP & 0xFF]))
        self.section(MAP, 2, body)

    def section(self, pid, table, body):
        head = bytes([table, 0xB0, len(body) + 9, 0, 1, 0xC1, 0, 0])
        section = head + body
        self.write(pid, b"\0" + section + crc32_mpeg2(section).to_bytes(4, "big"))

    def picture(self, number, start, messages=()):
        """An access unit, every fifth of them a random access point; messages are (ticks after it, tag) in SEI."""
        is_key = number % 5 == 0
        unit = b"\0\0\0\1\x09\xF0"
        if messages:
            unit += b"\0\0\0\1\x06" + b"".join(sei(*message) for message in messages) + b"\x80"
        unit += b"\0\0\0\1" + (b"\x65\x88\x84" if is_key else b"\x41\x9A\x24") + b"\x5A" * 40
        pes = b"\0\0\1\xE0\0\0\x84\x80\x05" + stamp(start + number * FRAME) + unit
        self.write(VIDEO, pes, random_access=is_key)

    def tag(self, time, tag):
        pes = b"\x84\x80\x05" + stamp(time) + tag
        self.write(DATA, b"\0\0\1\xBD" + len(pes).to_bytes(2, "big") + pes)


def stamp(ticks):
    """A PTS (ISO/IEC 13818-1, 2.4.3.7)."""
    ticks %= WRAP
    return bytes([0x21 | ticks >> 29 & 0x0E, ticks >> 22 & 0xFF, ticks >> 14 & 0xFE | 1, ticks >> 7 & 0xFF, ticks << 1 & 0xFE | 1])


def sei(ticks, tag):
    """A message of user_data_unregistered, with emulation prevention bytes."""
    body = UUID + ticks.to_bytes(4, "big", signed=True) + tag
    size = b"\xFF" * (len(body) // 255) + bytes([len(body) % 255])
    escaped, zeros = bytearray(), 0
    for byte in b"\x05" + size + body:
        if zeros == 2 and byte <= 3:
            escaped.append(3)
            zeros = 0
        zeros = zeros + 1 if byte == 0 else 0
        escaped.append(byte)
    return bytes(escaped)


def transport_stream(tags, seconds, start=START, messages=(), edit=None):
    """The packets of a stream. Tags are (ticks of the programme, bytes), in order; messages the same, for SEI."""
    mux, tags, messages = Mux(), sorted(tags, key=lambda tag: tag[0]), sorted(messages, key=lambda tag: tag[0])
    for number in range(seconds * 90_000 // FRAME):
        if number % 25 == 0:
            mux.tables()
        time = number * FRAME
        while tags and tags[0][0] <= time:
            mux.tag(start + tags[0][0], tags.pop(0)[1])
        due = [(at - time, tag) for at, tag in messages if time - FRAME < at <= time]
        mux.picture(number, start, due)
    if edit:
        mux.packets = edit(mux.packets)
    return mux.packets


def integer(value, count=4):
    return value.to_bytes(count, "big")


def box(kind, *parts):
    payload = b"".join(parts)
    return integer(len(payload) + 8) + kind.encode() + payload


def initialization():
    """The initialization segment of one video track of 12,800 ticks a second."""
    track = box("trak", box("tkhd", bytes(12), integer(1), bytes(60)),
                box("mdia", box("mdhd", bytes(12), integer(12_800), bytes(8)), box("hdlr", bytes(8), b"vide", bytes(13))))
    defaults = box("mvex", box("trex", integer(0), integer(1), integer(1), integer(2_560), integer(10), integer(0)))
    return box("ftyp", b"iso6", integer(512), b"cmfcaid3") + box("moov", box("mvhd", bytes(12), integer(1_000), bytes(84)), track, defaults)


def segment(start, seconds, messages):
    """A segment of so many seconds from a second of the media's timeline on, with event messages in front of its fragment."""
    samples = seconds * 5
    fragment = box("traf", box("tfhd", integer(0x2_0000), integer(1)), box("tfdt", integer(0x100_0000), integer(start * 12_800, 8)),
                   box("trun", integer(0x5), integer(samples), integer(0), integer(0x200_0000)))
    return box("styp", b"msdh", integer(0)) + b"".join(messages) + box("moof", box("mfhd", integer(0), integer(1)), fragment) + box("mdat", b"\x47" * 10 * samples)


def message(time, tag, number, version=1):
    """An event message: with version 1 the time is of the media's timeline, with version 0 it counts from the fragment's start."""
    names = b"https://aomedia.org/emsg/ID3\0\0"
    if version == 1:
        return box("emsg", integer(0x100_0000), integer(90_000), integer(time, 8), integer(0xFFFF_FFFF), integer(number), names, tag)
    return box("emsg", integer(0), names, integer(90_000), integer(time), integer(0xFFFF_FFFF), integer(number), tag)
