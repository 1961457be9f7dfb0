"""The tags in the containers that vectors have: one program with H.264 in a transport stream, or one track of fragmented MP4. Python's standard library alone,
written from the page "The wire format". A reader of real streams has to bound its memory and to synchronise after lost bytes.
"""

import re

WRAP, UUID = 1 << 33, bytes.fromhex("fedfed3733c44466b98ff5e8a0e4a7ae")


def tags(data):
    """Yields (carriage, presentation time in ticks, bytes of tags), and ("video", time, None) for random access points."""
    return (transport_stream if data[:1] == b"\x47" else fragmented_mp4)(data)


def transport_stream(data):
    """The timed ID3 of a transport stream, and the tags in the video's SEI messages that ID3 does not have."""
    kinds, map_pid, units, seen, last = {}, None, {}, [], None
    video_time = None

    def finish(pid, unit):
        nonlocal last, video_time
        kind, size = kinds.get(pid), int.from_bytes(unit[4:6], "big")
        if unit[:3] != b"\0\0\1" or len(unit) < 14 or not unit[7] & 0x80 or size and len(unit) != 6 + size:
            return  # Not a whole packet with a presentation time.
        five = int.from_bytes(unit[9:14], "big")
        time = five >> 3 & 7 << 30 | five >> 2 & 0x7FFF << 15 | five >> 1 & 0x7FFF
        last = time = time + (round((last - time) / WRAP) * WRAP if last is not None else 0)
        body = unit[9 + unit[8]:]
        if kind == 0x15:
            found = [("ts", time, body)]
        else:
            found = [("video", time, None)] + [("sei", time + ticks, tag) for ticks, tag in video_tags(body)]
        for carriage, at, tag in found:
            if tag is None or tag not in seen:
                yield carriage, at, tag
            if carriage == "sei" or kind == 0x15:
                seen.append(tag)

    for start in range(0, len(data), 188):
        packet = data[start:start + 188]
        pid, begins = int.from_bytes(packet[1:3], "big") & 0x1FFF, packet[1] & 0x40
        body = packet[5 + packet[4]:] if packet[3] & 0x20 else packet[4:]
        if pid == 0 and begins:
            map_pid = int.from_bytes(body[11:13], "big") & 0x1FFF
        elif pid == map_pid and begins:
            section = body[1 + body[0]:]
            place, end = 12 + (int.from_bytes(section[10:12], "big") & 0xFFF), 3 + (int.from_bytes(section[1:3], "big") & 0xFFF) - 4
            while place < end:
                kinds[int.from_bytes(section[place + 1:place + 3], "big") & 0x1FFF] = section[place]
                place += 5 + (int.from_bytes(section[place + 3:place + 5], "big") & 0xFFF)
        elif kinds.get(pid) in (0x15, 0x1B):
            if begins:
                yield from finish(pid, units.get(pid, b""))
                units[pid] = b""
            units[pid] = units.get(pid, b"") + body
            if kinds[pid] == 0x15 and len(units[pid]) >= 6 and len(units[pid]) == 6 + int.from_bytes(units[pid][4:6], "big"):
                yield from finish(pid, units.pop(pid))
    for pid, unit in units.items():
        yield from finish(pid, unit)


def video_tags(unit):
    """The tags in SEI messages of an access unit of H.264, with their distance from it."""
    for nal in re.split(rb"\x00?\x00\x00\x01", unit):
        if nal[:1] and nal[0] & 0x1F == 6:
            rest = re.sub(rb"\x00\x00\x03(?=[\x00-\x03])", b"\0\0", nal[1:])
            while len(rest) > 2:
                kind, size, place = rest[0], 0, 1
                while rest[place] == 255:
                    size, place = size + 255, place + 1
                size, place = size + rest[place], place + 1
                body, rest = rest[place:place + size], rest[place + size:]
                if kind == 5 and body[:16] == UUID:
                    yield int.from_bytes(body[16:20], "big", signed=True), body[20:]


def boxes(data):
    while len(data) >= 8:
        size = int.from_bytes(data[:4], "big")
        yield data[4:8], data[8:size]
        data = data[size:]


def fragmented_mp4(data):
    """The event messages of fragmented MP4, each when the fragment after it tells what times count from."""
    scale, waiting = 90_000, []
    for kind, body in boxes(data):
        if kind == b"moov":
            media = dict(boxes(dict(boxes(dict(boxes(body))[b"trak"]))[b"mdia"]))
            scale = int.from_bytes(media[b"mdhd"][12:16], "big")
        elif kind == b"emsg":
            waiting.append(body)
        elif kind == b"moof":
            decode = dict(boxes(dict(boxes(body))[b"traf"]))[b"tfdt"]
            base = int.from_bytes(decode[4:], "big") * 90_000 // scale
            yield "video", base, None
            for message in waiting:
                if message[0] == 1:
                    ticks, rest = int.from_bytes(message[8:16], "big") * 90_000 // int.from_bytes(message[4:8], "big"), message[24:]
                    scheme, _, rest = rest.split(b"\0", 2)
                else:
                    scheme, _, rest = message[4:].split(b"\0", 2)
                    ticks, rest = base + int.from_bytes(rest[4:8], "big") * 90_000 // int.from_bytes(rest[:4], "big"), rest[16:]
                if scheme == b"https://aomedia.org/emsg/ID3":
                    yield "emsg", ticks, rest
            waiting = []
