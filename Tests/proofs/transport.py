"""A reader of MPEG transport streams, written from ISO/IEC 13818-1 and independent of the one under test."""

PACKET = 188
NULL = 0x1FFF
WRAP = 1 << 33


def crc32_mpeg2(data):
    """The CRC-32/MPEG-2 of bytes: polynomial 04C11DB7, all ones at first, nothing reflected."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ 0x04C11DB7 if crc & 0x80000000 else crc << 1) & 0xFFFFFFFF
    return crc


def timestamp(field):
    """A PTS or DTS out of its five bytes (2.4.3.7)."""
    return (field[0] >> 1 & 7) << 30 | field[1] << 22 | field[2] >> 1 << 15 | field[3] << 7 | field[4] >> 1


def signed(ticks):
    """A difference of two timestamps of 33 bits."""
    return (ticks + WRAP // 2) % WRAP - WRAP // 2


def pid(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def packets(data):
    """The packets of a stream, each as (PID, packet)."""
    assert len(data) % PACKET == 0, "the stream ends within a packet"
    for offset in range(0, len(data), PACKET):
        packet = data[offset:offset + PACKET]
        assert packet[0] == 0x47, f"no sync byte at {offset}"
        yield pid(packet), packet


def payload(packet):
    """The payload of a packet (ISO/IEC 13818-1, 2.4.3.2)."""
    if not packet[3] & 0x10:
        return b""
    return packet[5 + packet[4]:] if packet[3] & 0x20 else packet[4:]


def flags(packet):
    """The flags of a packet's adaptation field; none where it has none (2.4.3.4)."""
    return packet[5] if packet[3] & 0x20 and packet[4] else 0


def is_start(packet):
    return bool(packet[1] & 0x40)


def units(data, pid):
    """What is carried on a PID, cut where packets say that something starts."""
    unit = None
    for found, packet in packets(data):
        if found == pid:
            if is_start(packet):
                if unit is not None:
                    yield unit
                unit = b""
            if unit is not None:
                unit += payload(packet)
    if unit is not None:
        yield unit


def section_of(unit):
    """The first section of those that start together."""
    section = unit[1 + unit[0]:]
    return section[:3 + ((section[1] & 0x0F) << 8 | section[2])]


def sections(data, pid):
    """The PSI sections on a PID, their CRC checked."""
    for unit in units(data, pid):
        section = section_of(unit)
        assert crc32_mpeg2(section) == 0, f"a section on PID {pid} has a wrong CRC"
        yield section


def association(section):
    """The program association table in a section: program number to PID of the map (2.4.4.3)."""
    body = section[8:-4]
    return {body[i] << 8 | body[i + 1]: (body[i + 2] & 0x1F) << 8 | body[i + 3] for i in range(0, len(body), 4)}


def programs(data):
    """The one program association table of a stream."""
    tables = set(sections(data, 0))
    assert len(tables) == 1, "the program association table changes"
    return association(tables.pop())


def descriptors(data):
    found = []
    while data:
        found.append((data[0], bytes(data[2:2 + data[1]])))
        data = data[2 + data[1]:]
    return found


class ProgramMap:
    """A program map section (2.4.4.8)."""

    def __init__(self, section):
        self.program = section[3] << 8 | section[4]
        self.version = section[5] >> 1 & 0x1F
        length = (section[10] & 0x0F) << 8 | section[11]
        self.descriptors = descriptors(section[12:12 + length])
        self.streams = []
        rest = section[12 + length:-4]
        while rest:
            length = (rest[3] & 0x0F) << 8 | rest[4]
            self.streams.append((rest[0], (rest[1] & 0x1F) << 8 | rest[2], descriptors(rest[5:5 + length])))
            rest = rest[5 + length:]


def program_maps(data):
    """The one program's map PID and its maps in order, equal ones once."""
    (pid,) = programs(data).values()
    maps = []
    for section in sections(data, pid):
        if not maps or maps[-1] != section:
            maps.append(section)
    return pid, [ProgramMap(section) for section in maps]


def timed_id3_of(unit):
    """The PTS and the payload of a PES packet of timed ID3."""
    assert unit[:4] == b"\0\0\1\xBD", "a PES packet of timed ID3 is not of private stream 1"
    assert unit[4] << 8 | unit[5] == len(unit) - 6, "a PES packet's length is wrong"
    assert unit[6] & 0x04, "a PES packet of timed ID3 is not aligned"
    assert unit[7] & 0xC0 == 0x80 and unit[8] == 5, "a PES packet of timed ID3 has other time stamps than a PTS"
    return timestamp(unit[9:14]), bytes(unit[9 + unit[8]:])


def timed_id3(data):
    """The PID of the timed ID3 of a stream with one program that has it, and its PES packets as (PTS, payload)."""
    _, maps = program_maps(data)
    pids = {pid for program_map in maps for kind, pid, _ in program_map.streams if kind == 0x15}
    assert len(pids) == 1, f"timed ID3 lies on {len(pids)} PIDs"
    pid = pids.pop()
    return pid, [timed_id3_of(unit) for unit in units(data, pid)]


def pcrs(data):
    """The program clock references of a stream, in ticks of 27 MHz, as (offset, ticks) (2.4.3.5)."""
    for number, (_, packet) in enumerate(packets(data)):
        if flags(packet) & 0x10:
            field = int.from_bytes(packet[6:12], "big")
            yield number * PACKET, (field >> 15) * 300 + (field & 0x1FF)


def check_continuity(data):
    """The continuity counters of every PID count without a gap (2.4.3.3)."""
    last = {}
    for pid, packet in packets(data):
        if pid != NULL and packet[3] & 0x10:
            counter = packet[3] & 0x0F
            assert pid not in last or counter == (last[pid] + 1) % 16, f"the continuity counter of PID {pid} jumps"
            last[pid] = counter
