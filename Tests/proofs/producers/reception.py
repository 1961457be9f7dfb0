"""Damages transport streams as reception does."""

PACKET = 188


def packets(data):
    return [bytearray(data[start:start + PACKET]) for start in range(0, len(data) - PACKET + 1, PACKET)]


def pid(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def cut(data, part):
    """The stream without its first part, cut between packets wherever that is."""
    return data[int(len(data) * part) // PACKET * PACKET:]


def drop_pid(data, dropped, first=None):
    """The stream without the packets of a PID, or without the first ones of them."""
    kept, count = bytearray(), 0
    for packet in packets(data):
        if pid(packet) == dropped and (first is None or count < first):
            count += 1
            continue
        kept += packet
    return bytes(kept)


def drop_times(data, of, every, keys=True):
    """The stream with PES headers that say no time in every `every`th unit of a PID: their room is filled instead. Without `keys` the units that
    decoding can start with keep theirs."""
    changed, count = bytearray(), 0
    for packet in packets(data):
        if pid(packet) == of and packet[1] & 0x40:
            is_key = bool(packet[3] & 0x20 and packet[4] and packet[5] & 0x40)
            count += keys or not is_key
            if is_key and not keys:
                changed += packet
                continue
            start = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
            if count % every == 0 and packet[start:start + 3] == b"\0\0\1":
                packet[start + 7] &= 0x3F
                for index in range(start + 9, start + 9 + packet[start + 8]):
                    packet[index] = 0xFF
        changed += packet
    return bytes(changed)
