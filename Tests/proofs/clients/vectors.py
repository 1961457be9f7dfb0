"""Makes conformance vectors: a folder of small streams with the events and the states that a reader finds in them.

    python3 -m proofs.clients.vectors --cuelight PROGRAM --folder FOLDER

The page "Conformance vectors" describes the folder. The streams are the same in every run; what is expected is what `cuelight` reads.
"""

import hashlib
import json
import uuid

from proofs import wire
from proofs.clients import shapes
from proofs.clients.shapes import FRAME
from proofs.facts import prove_and_end
from proofs.processes import finished, new_folder

# What of a line of `inspect` is the same for every reader.
COPY = ("time", "eventTime", "pts", "carriage", "eventType", "guid", "sequence", "copy", "copies", "age", "verified", "duplicate", "event")
SECOND = 90_000


class Event:
    """An event of a game, and its copies as tags."""

    def __init__(self, kind, sequence, at, /, game="vectors", guid=None, **content):
        self.kind, self.ticks, self.content = kind, round(at * SECOND), content
        self.envelope = {"eventType": kind, "guid": guid or str(uuid.uuid5(wire.NAMESPACE, f"{game} {sequence} {kind}")), "game": game}
        if sequence is not None:
            self.envelope["sequence"] = sequence
        self.envelope["at"] = wire.seconds(self.ticks)

    def text(self, copy=1, copies=3, age=0, checked=True, **other):
        fields = self.envelope | {"copy": copy, "copies": copies, "age": wire.seconds(age)} | self.content | other
        text = wire.compact(fields)
        return wire.with_crc(text) if checked else text

    def copy(self, *arguments, late=0, **options):
        """A copy that is presented some ticks late, with its time."""
        return self.ticks + late, wire.tag(self.kind, self.text(*arguments, age=late, **options))

    def burst(self, count=3):
        return [self.copy(number + 1, count, late=number * FRAME) for number in range(count)]

    def refresh(self, late):
        return self.copy(4, 3, late=round(late * SECOND))


def question(sequence, at, number, answers=("Iron", "Mercury", "Gold"), time=3, **content):
    keys = {"question": f"Question {number}?"} | ({"kind": content.pop("kind")} if "kind" in content else {})
    if answers:
        keys["answers"] = list(answers)
    return Event("askQuestion", sequence, at, **keys, questionNumber=number, totalQuestions=8, allottedTime=time, **content)


def result(sequence, at, asked, **content):
    return Event("showResults", sequence, at, questionGuid=asked.envelope["guid"], questionNumber=asked.content["questionNumber"], **content)


def show():
    """A short game: a start, a question with its result, counters, and the end."""
    asked = question(2, 2, 1, correctAnswer=1)
    return [Event("startGame", 1, 1, title="Vectors", totalQuestions=1), asked, result(3, 6, asked, correctAnswer=1, counts=[1, 5, 0]),
            Event("periodicInfo", 4, 7, viewers=42, players=7), Event("endGame", 5, 9, totalQuestions=1, winners=["ann"])]


def bursts(events):
    return [copy for event in events for copy in event.burst()]


def kinds():
    """Every event, and every kind of question."""
    asked = [
        question(2, 4, 1, category="Science", difficulty="easy", correctAnswer=1),
        question(5, 10, 2, kind="multiple", partial=True, correctAnswers=[0, 2]),
        question(7, 16, 3, kind="poll", live=True),
        question(9, 22, 4, kind="prediction"),
        question(12, 29, 5, answers=None, kind="number", least=0, most=100, step=2, unit="m", within=5, correctNumber=42),
        question(14, 35, 6, kind="order", correctOrder=[2, 0, 1]),
        question(16, 41, 7, picture="https://example.com/a.png", pictureText="A lake", pictureSize=[640, 360]),
    ]
    return [
        Event("startGame", 1, 1, title="Every kind", totalQuestions=7, startsIn=2),
        asked[0], Event("adjustTime", 3, 5, questionGuid=asked[0].envelope["guid"], allottedTime=4), result(4, 9, asked[0], correctAnswer=1, counts=[1, 2, 3]),
        asked[1], result(6, 14, asked[1], correctAnswers=[0, 2], counts=[4, 1, 4]), asked[2], result(8, 20, asked[2], counts=[3, 3, 3]),
        asked[3], result(10, 26, asked[3], counts=[1, 1, 0]), result(11, 28, asked[3], correctAnswer=0, counts=[1, 1, 0]),
        asked[4], result(13, 33, asked[4], correctNumber=42, histogram={"from": 0, "width": 50, "counts": [5, 1]}),
        asked[5], result(15, 39, asked[5], correctOrder=[2, 0, 1], counts=[2, 1, 1]), asked[6], result(17, 45, asked[6], correctAnswer=0),
        Event("periodicInfo", 18, 46, viewers=1200, reactions=9), Event("goalScored", None, 47, team="red"), Event("endGame", 19, 48, totalQuestions=7),
    ]


def flipped(tag, place, bit=1):
    data = bytearray(tag)
    data[place] ^= bit
    return bytes(data)


def damaged():
    """Copies with damage: in the text, in the key of the checksum, in the tag's first byte, and one that lacks its last packet."""
    start, asked, shown, _, end = show()
    first, second, third = asked.burst()
    place = first[1].index(b"Mercury")
    key = second[1].index(b'"crc"')
    long = Event("periodicInfo", 4, 7, viewers=42, players=7, note="x" * 300)
    tags = start.burst() + [(first[0], flipped(first[1], place)), (second[0], flipped(second[1], key + 2)), third]
    tags += [(shown.ticks, flipped(shown.copy()[1], 0)), *shown.burst()[1:], *long.burst(1), long.refresh(1), *end.burst()]

    def edit(packets):
        # The last packet of the first tag of more than one.
        at = [number for number, packet in enumerate(packets) if b"x" * 100 in packet and not packet[1] & 0x40]
        return packets[:at[0]] + packets[at[0] + 1:]
    return shapes.transport_stream(tags, 11, edit=edit)


def lost():
    """Copies are lost: of a question all but one after its time, of a result all but a refresh, and of counters every one."""
    start, asked, shown, info, end = show()
    return start.burst() + [asked.refresh(3.4)] + [shown.refresh(1)] + [end.copy(2, 3, late=FRAME)]


def conflicts():
    """Contradictions: two contents of one GUID, checked and not, and two events of one number."""
    start, asked, shown, info, end = show()
    guid = asked.envelope["guid"]
    late = question(2, 2, 1, answers=("Tin", "Lead"), guid=guid)
    other = Event("showResults", 3, 6.4, guid="another-result", questionGuid=guid, questionNumber=1, correctAnswer=0)
    foreign = Event("periodicInfo", 4, 7, viewers=1, guid=info.envelope["guid"])
    replaced = Event("endGame", 5, 9, guid="replaced", totalQuestions=1)
    tag = replaced.text(eventGuid=end.envelope["guid"], winners=["ann"])
    return [*start.burst(), asked.copy(), late.copy(2, 3, late=FRAME), asked.copy(3, 3, late=2 * FRAME), shown.copy(), other.copy(),
            (info.ticks - 9_000, wire.tag("periodicInfo", foreign.text(checked=False))), info.copy(), (end.ticks, wire.tag("endGame", tag))]


def unchecked():
    """Events of another system, without checksums: their times are those of their tags, and the description is the type of one."""
    events = show()
    for event in events:
        for key in ("at", "sequence"):
            event.envelope.pop(key)
    fields = {key: value for key, value in events[0].envelope.items() if key != "eventType"} | events[0].content
    tags = [(events[0].ticks, wire.tag("startGame", wire.compact(fields)))]
    return tags + [(event.ticks, wire.tag(event.kind, wire.compact(event.envelope | event.content))) for event in events[1:]]


def foreign():
    """Copies of another programme, whose times are 50 s off, and one tag with an unusable event."""
    events = show()
    strange = Event("endGame", 9, 55, game="elsewhere", totalQuestions=1)
    broken = Event("askQuestion", 6, 7.5, question="?", answers=["only one"], questionNumber=1, allottedTime=3)
    return bursts(events) + [(5 * SECOND, strange.copy()[1]), broken.copy()]


def boundaries():
    """Segments of HLS: one tag begins in a segment and ends in the next, and each begins with a refresh."""
    start, asked, shown, info, end = show()
    long = Event("periodicInfo", 4, 7, viewers=42, note="y" * 300)
    tags = start.burst() + asked.burst() + [asked.refresh(2)] + shown.burst() + [*long.burst(1), *end.burst()]
    packets = shapes.transport_stream(tags, 12)
    cut = next(number for number, packet in enumerate(packets) if b"y" * 100 in packet and not packet[1] & 0x40)
    middle = next(number for number, packet in enumerate(packets) if number > cut // 3 and packet[1:3] == b"\x40\x00")
    return {"a.ts": packets[:middle], "b.ts": packets[middle:cut], "c.ts": packets[cut:]}


def messages(version):
    """Event messages of fragmented MP4 in three segments, with refreshes at their starts, padding, and two tags in one."""
    start, asked, shown, info, end = show()
    base = 10 if version == 1 else 0

    def put(copy, number, second, pad=b""):
        time, tag = copy
        return shapes.message(time + base * SECOND if version == 1 else time - second * SECOND, tag + pad, number, version)
    double = (info.ticks, info.copy(1, 1)[1] + Event("goalScored", None, 7, team="blue").copy(1, 1)[1])
    first = [put(start.copy(1, 1), 1, 0), put(asked.copy(1, 1), 2, 0)]
    second = [put(asked.refresh(2), 2, 4), put(shown.copy(1, 1), 3, 4, bytes(20)), put(double, 4, 4)]
    third = [put(shown.refresh(2), 3, 8), put(end.copy(1, 1), 5, 8)]
    return {"init.mp4": shapes.initialization(),
            **{f"{index}.m4s": shapes.segment(base + index * 4, 4, held) for index, held in enumerate((first, second, third))}}


def in_video(both):
    """SEI messages of H.264: alone, or with the ID3 stream that carries the same tags."""
    tags = bursts(show())
    return shapes.transport_stream(tags if both else [], 11, messages=tags)


STREAMS = {
    "kinds": ("every event and every kind of question", lambda: shapes.transport_stream(bursts(kinds()), 50)),
    "repeats": ("bursts and refreshes, each event acted on once",
                lambda: shapes.transport_stream(bursts(show()) + [event.refresh(2) for event in show()[:4]], 11)),
    "lost": (lost.__doc__, lambda: shapes.transport_stream(lost(), 16)),
    "damaged": (damaged.__doc__, damaged),
    "boundaries": (boundaries.__doc__, boundaries),
    "wrap": ("presentation times begin again at 2^33, between a question and its result",
             lambda: shapes.transport_stream(bursts(show()), 11, start=(1 << 33) - 4 * SECOND)),
    "conflicts": (conflicts.__doc__, lambda: shapes.transport_stream(conflicts(), 11)),
    "unchecked": (unchecked.__doc__, lambda: shapes.transport_stream(unchecked(), 11)),
    "foreign": (foreign.__doc__, lambda: shapes.transport_stream(foreign(), 11)),
    "messages-0": (messages.__doc__, lambda: messages(0)),
    "messages-1": (messages.__doc__, lambda: messages(1)),
    "video": ("tags in SEI messages of H.264 alone", lambda: in_video(False)),
    "video-and-id3": ("the same tags in SEI messages and in ID3", lambda: in_video(True)),
}


def playlist(files):
    """A playlist of the files, of which init.mp4 is the initialization segment. Its durations are about right."""
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:8", "#EXT-X-MEDIA-SEQUENCE:0"]
    for name in files:
        lines += ['#EXT-X-MAP:URI="init.mp4"'] if name == "init.mp4" else ["#EXTINF:4,", name]
    return "\n".join([*lines, "#EXT-X-ENDLIST", ""])


def states(transitions):
    """What is shown, whenever that changes."""
    found = []
    for transition in transitions:
        state = transition["state"]
        now = {"phase": state["phase"], "game": state["game"], "question": (state["question"] or {}).get("guid"),
               "result": (state["result"] or {}).get("questionGuid")}
        if not found or now != {key: found[-1][key] for key in now}:
            found.append({"time": transition["time"]} | now)
    return found


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines))


def make_vector(folder, name, about, made, cuelight):
    """Writes a vector, and returns its entry of the list."""
    folder = new_folder(folder / name)
    files = made if isinstance(made, dict) else {"stream.ts": made}
    for file, data in files.items():
        (folder / file).write_bytes(data if isinstance(data, bytes) else b"".join(data))
    source = folder / next(iter(files))
    if len(files) > 1:
        source = folder / "index.m3u8"
        source.write_text(playlist(files))
    said = {}
    for command in ("inspect", "replay"):
        said[command] = [json.loads(line) for line in finished(cuelight, command, "--json", source).stdout.splitlines()]
    copies = [{key: line[key] for key in COPY} for line in said["inspect"] if line["type"] == "copy"]
    for copy in copies:
        # A question for a number has none in the stream.
        if copy["event"].get("answers") == []:
            del copy["event"]["answers"]
    transitions = [line for line in said["replay"] if line["type"] == "transition"]
    assert copies and transitions, f"{name}: nothing is read"
    write_lines(folder / "copies.ndjson", copies)
    write_lines(folder / "transitions.ndjson", transitions)
    write_lines(folder / "states.ndjson", states(transitions))
    digest = hashlib.sha256(b"".join((folder / file).read_bytes() for file in files)).hexdigest()
    return {"name": name, "about": about.strip(), "files": list(files), "sha256": digest}


def make(folder, cuelight):
    entries = [make_vector(folder, name, about, make(), cuelight) for name, (about, make) in STREAMS.items()]
    (folder / "vectors.json").write_text(json.dumps({"format": 1, "vectors": entries}, indent=2) + "\n")
    return entries


def run(lines, options):
    entries = make(options.folder, options.cuelight)
    size = sum(path.stat().st_size for path in options.folder.rglob("*") if path.is_file())
    lines.fact(f"{len(entries)} vectors, {size:,} bytes: {', '.join(entry['name'] for entry in entries)}")


if __name__ == "__main__":
    prove_and_end(run, "cuelight")
