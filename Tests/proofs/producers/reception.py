"""Damages transport streams as reception does."""

from proofs.transport import PACKET, flags, is_start, packets, payload


def cut(data, part):
    """The stream without its first part, cut between packets wherever that is."""
    return data[int(len(data) * part) // PACKET * PACKET:]


def drop_pid(data, dropped, first=None):
    """The stream without the packets of a PID, or without the first ones of them."""
    kept, count = bytearray(), 0
    for pid, packet in packets(data):
        if pid == dropped and (first is None or count < first):
            count += 1
            continue
        kept += packet
    return bytes(kept)


def drop_times(data, of, every, keys=True):
    """The stream with PES headers that say no time in every `every`th unit of a PID: their room is filled instead. Without `keys` the units that
    decoding can start with keep theirs."""
    changed, count = bytearray(), 0
    for pid, packet in packets(data):
        if pid == of and is_start(packet):
            packet, is_key = bytearray(packet), bool(flags(packet) & 0x40)
            count += keys or not is_key
            if is_key and not keys:
                changed += packet
                continue
            start = PACKET - len(payload(packet))
            if count % every == 0 and packet[start:start + 3] == b"\0\0\1":
                packet[start + 7] &= 0x3F
                for index in range(start + 9, start + 9 + packet[start + 8]):
                    packet[index] = 0xFF
        changed += packet
    return bytes(changed)
