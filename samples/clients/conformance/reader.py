"""A second reader of Cuelight's events: Python's standard library alone, written from the page "The wire format".

    python3 reader.py FILE...

The files are the segments of one stream, or the stream. It prints {"copies":[...],"states":[...]}, as conformance vectors expect them.
"""

import json
import re
import sys
from pathlib import Path

import carriages

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
    found = list(carriages.tags(data))
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
        copies.append({"time": time, "eventTime": happened, "pts": ticks % carriages.WRAP if carriage != "emsg" else ticks, "carriage": carriage,
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


if __name__ == "__main__":
    print(json.dumps(dict(zip(("copies", "states"), read(b"".join(Path(name).read_bytes() for name in sys.argv[1:]))))))
