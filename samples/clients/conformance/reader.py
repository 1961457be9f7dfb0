"""A second reader of Cuelight's events: Python's standard library alone, written from the page "The wire format". It runs conformance vectors.

    python3 reader.py FOLDER

It reads what vectors have: one program with H.264, or one track. A reader of real streams has to bound its memory and to synchronise after lost bytes.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

WRAP, UUID = 1 << 33, bytes.fromhex("fedfed3733c44466b98ff5e8a0e4a7ae")
NEEDED = {"startGame": ["title", "totalQuestions"], "askQuestion": ["question", "questionNumber", "allottedTime"],
          "adjustTime": ["questionGuid", "allottedTime"], "periodicInfo": ["viewers"], "showResults": ["questionGuid", "questionNumber"],
          "endGame": ["totalQuestions"]}


def crc32(data):
    """CRC-32/MPEG-2."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


# ---- Carriages: each yields (carriage, presentation time in ticks, bytes of tags), and ("video", time, None) for the first random access point.

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


# ---- Tags and copies

def frames(data):
    """The description and the text of each TXXX frame in UTF-8 of the tags that follow each other."""
    number = lambda four: four[0] << 21 | four[1] << 14 | four[2] << 7 | four[3]
    while data[:4] == b"ID3\4" and len(data) >= 10 + number(data[6:10]):
        body, data = data[10:10 + number(data[6:10])], data[10 + number(data[6:10]):]
        while len(body) > 10:
            kind, content, body = body[:4], body[10:10 + number(body[4:8])], body[10 + number(body[4:8]):]
            if kind == b"TXXX" and content[0] == 3:
                yield content[1:].split(b"\0", 1)


def parse(description, text):
    """A copy: (event, copy, copies, age, whether its checksum is right); None if it is damaged or none."""
    try:
        event = json.loads(text)
    except ValueError:
        return None
    last = re.fullmatch(rb'(.*),"([a-zA-Z]{3})":"(.{8})"\}', text, re.DOTALL)
    is_right = bool(last) and b"%08x" % crc32(last[1]) == last[3]
    if last and last[2] == b"crc" and not is_right:
        return None
    if last and last[2] != b"crc" and (is_right or len({"copy", "copies", "age"} & event.keys()) >= 2):
        return None  # The key is damaged.
    event.pop("crc", None)
    copy, copies, age = event.pop("copy", 1), event.pop("copies", 1), event.pop("age", 0)
    event["eventType"] = event.get("eventType") or description.decode()
    event["guid"] = event.pop("eventGuid", event.get("guid"))
    kind = event["eventType"]
    needs_answers = kind == "askQuestion" and event.get("kind") != "number"
    if any(key not in event for key in NEEDED.get(kind, [])) or needs_answers and not 2 <= len(event.get("answers", [])) <= 12:
        return None
    return event, copy, copies, age, is_right


class Log:
    """What is known of events: one for each GUID, and each number of a game once."""

    def __init__(self):
        self.events, self.checked = {}, set()

    def accept(self, event, time, is_right):
        """Whether the copy is the first of an event that counts."""
        game, key = event.get("game", ""), (event.get("game", ""), event["guid"])
        known = self.events.get(key)
        if known:
            if is_right and not known[2]:
                self.events[key] = (event, time, True)
                self.note(event, game)
            return False
        number = event.get("sequence")
        if number is not None:
            rivals = [other for other, (one, _, right) in self.events.items() if other[0] == game and one.get("sequence") == number]
            if any(self.events[other][2] or not is_right for other in rivals):
                return False
            for other in rivals:
                del self.events[other]
        self.events[key] = (event, time, is_right)
        if is_right:
            self.note(event, game)
        return True

    def note(self, event, game):
        if event["eventType"] in NEEDED:
            self.checked.add(game)

    def state(self, now):
        """What is shown at a time, and when that changes next by itself."""
        known = [(event, time) for event, time, right in self.events.values() if time <= now + 1e-7 and (right or event.get("game", "") not in self.checked)]
        phase, game, question, result, due = "waiting", None, None, None, None
        opens = closes = 0
        for event, time in sorted(known, key=lambda one: (one[0].get("sequence", 0), one[1])):
            kind = event["eventType"]
            if kind in NEEDED:
                game = event.get("game")
            if kind == "startGame":
                due = time + event.get("startsIn", 0)
                phase, question, result = "lobby", None, None
            elif kind == "askQuestion":
                phase, question, result, opens, closes = "asking", event["guid"], None, time, time + event["allottedTime"]
            elif kind == "adjustTime" and phase == "asking" and event["questionGuid"] == question and time < closes:
                closes = max(opens + event["allottedTime"], time)
            elif kind == "showResults":
                phase, result = "results", event["questionGuid"]
                question = question if question == result else None
            elif kind == "endGame":
                phase, question, result = "ended", None, None
        if phase == "lobby" and due <= now + 1e-7:
            phase = "playing"
        if phase == "asking" and closes <= now + 1e-7:
            phase = "closed"
        change = {"lobby": due, "asking": closes}.get(phase)
        return {"phase": phase, "game": game, "question": question, "result": result}, change


def read(data):
    """The copies in a stream, and what is shown when."""
    found = list((transport_stream if data[:1] == b"\x47" else fragmented_mp4)(data))
    parsed = [(carriage, time, copy) for carriage, time, tags in found if tags for copy in map(lambda pair: parse(*pair), frames(tags)) if copy]
    told = [time - round((copy[3] + copy[0]["at"]) * 90_000) for _, time, copy in parsed if copy[4] and "at" in copy[0]]
    origin = told[0] if told else next(time for carriage, time, _ in found if carriage == "video")
    log, copies, states, now = Log(), [], [], None
    for carriage, ticks, (event, copy, of, age, is_right) in parsed:
        time = (ticks - origin) / 90_000
        if is_right and "at" in event and abs(event["at"] + age - time) > 10:
            continue  # Of another programme.
        happened = event.get("at", time - age)
        states += advance(log, now, time, states)
        is_new = log.accept(event, happened, is_right)
        copies.append({"time": time, "eventTime": happened, "pts": ticks % WRAP if carriage != "emsg" else ticks, "carriage": carriage,
                       "eventType": event["eventType"], "guid": event["guid"], "sequence": event.get("sequence"), "copy": copy, "copies": of,
                       "age": age, "verified": is_right, "duplicate": not is_new, "event": event})
        now = time
        states += changed(log, now, states)
    return copies, states + advance(log, now, now + 3_600, states)


def advance(log, now, end, states):
    """What changes by itself up to a time."""
    new = []
    while now is not None:
        times = [time for _, time, _ in log.events.values() if time > now + 1e-7]
        change = log.state(now)[1]
        now = min([*times, *([change] if change is not None else [])], default=None)
        if now is None or now > end + 1e-7:
            break
        new += changed(log, now, states + new)
    return new


def changed(log, now, states):
    state = log.state(now)[0]
    return [] if states and all(states[-1][key] == value for key, value in state.items()) else [{"time": now} | state]


# ---- Vectors

def same(one, other):
    """Whether two values are equal, times to a tick."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) <= 1 / 90_000
    return one == other


def check(folder, vector):
    """What is wrong with the vector; nothing if it is read as it says."""
    place = folder / vector["name"]
    data = b"".join((place / name).read_bytes() for name in vector["files"])
    if hashlib.sha256(data).hexdigest() != vector["sha256"]:
        return "the stream is not the one of the list"
    for name, found in zip(("copies", "states"), read(data)):
        wanted = [json.loads(line) for line in (place / f"{name}.ndjson").read_text().splitlines()]
        for number, (one, other) in enumerate(zip(found, wanted), 1):
            if not same(one, other):
                return f"{name}, line {number}: {one} instead of {other}"
        if len(found) != len(wanted):
            return f"{len(found)} {name} instead of {len(wanted)}"
    return ""


if __name__ == "__main__":
    top = Path(sys.argv[1])
    broken = 0
    for each in json.loads((top / "vectors.json").read_text())["vectors"]:
        wrong = check(top, each)
        broken += bool(wrong)
        print(f"{'broken' if wrong else 'ok'}  {each['name']}{': ' + wrong if wrong else ''}")
    sys.exit(1 if broken else 0)
