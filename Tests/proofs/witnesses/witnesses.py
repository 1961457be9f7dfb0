"""Proves with programs that nobody of this project wrote that the streams of cuelight are right, and prints a line for each fact.

    python3 -m proofs.witnesses.witnesses --cuelight PROGRAM --folder FOR_ITS_FILES [--long]

With --long it proves what takes minutes instead: shows of ten minutes, and audiences of a thousand under every rule.
"""

import base64
import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import av
import junitparser
import mutagen.id3
import nacl.encoding
import nacl.signing

from proofs import transport, wire
from proofs.facts import prove_and_end
from proofs.processes import ffmpeg
from proofs.witnesses import audience, media, presentation, terminal

TOP = Path(__file__).resolve().parents[3]
SHOW = TOP / "samples" / "friday-night-trivia.yaml"
WRAP = 1 << 33
MILLISECOND = 90


class Stage:
    """The program under test and a folder to work in."""

    def __init__(self, cuelight, folder):
        self.cuelight = cuelight
        self.folder = folder
        self.key = folder / "seal.key"
        self.key.touch(mode=0o600)
        self.key.write_bytes(bytes(range(32)))

    def stamp(self, source, cues, name):
        output = self.folder / f"{name}.ts"
        self.run("stamp", source, "--cues", cues, "-o", output, "--seal-key", self.key, "--reproducible", "--force")
        return output

    def stamp_segments(self, sources, cues, name, *options):
        output = self.folder / name / "index.m3u8"
        self.run("stamp", *sources, "--cues", cues, "-o", output, "--seal-key", self.key, "--reproducible", "--force", *options)
        return output

    def run(self, *arguments):
        return media.run(self.cuelight, *arguments)

    def lines(self, command, stream):
        """What a command prints as JSON."""
        return [wire.parse(line) for line in self.run(command, "--json", stream).splitlines()]

    def cues(self, name, cues):
        """Writes a cue sheet: (time, event, other keys)."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"game": name, "title": name, "cues": [{"at": at, "event": kind} | keys for at, kind, keys in cues]}))
        return path


def quiz(length, step):
    """The cues of a game of `length` seconds with a question every `step` seconds, at times that lie on no frame."""
    cues = [("0.5", "startGame", {})]
    for number in range(1, int((length - 1) / step)):
        at = number * step + 0.0123
        cues.append((f"{at:.4f}", "askQuestion", {
            "question": f"How much is {number} + {number}?", "answers": [f"{number}", f"{2 * number}", "0"], "correct": f"{2 * number}",
            "allottedTime": step / 4}))
        cues.append((f"{at + step / 2:.4f}", "showResults", {"counts": [number, 2 * number, 3]}))
    cues.append((f"{length - 0.4:.4f}", "endGame", {}))
    return cues


def tags_by_pyav(stream):
    """The timed ID3 of a stream as a newer FFmpeg reads it: (PTS, tag)."""
    with av.open(str(stream)) as container:
        (data,) = container.streams.data
        assert data.time_base.denominator == 90_000
        return [(packet.pts % WRAP, bytes(packet)) for packet in container.demux(data) if packet.size]


def newer_ffmpeg_reads_it(stage, stream):
    """PyAV reads the very tags that `inspect` reports and the wire format demands."""
    lines = stage.lines("inspect", stream)
    assert lines and all(line["type"] == "copy" and line["verified"] for line in lines), "not everything in the stream is a verified copy"
    payloads = tags_by_pyav(stream)
    assert [pts for pts, _ in payloads] == [int(line["pts"]) for line in lines], "PyAV finds other presentation times"
    for (_, payload), line in zip(payloads, lines):
        assert payload == wire.tag_of(line), f"PyAV reads another tag than inspect at byte {line['offset']}: {payload}"
        assert len(payload) == int(line["bytes"])
    pid, packets = transport.timed_id3(stream.read_bytes())
    assert payloads == packets and {line["pid"] for line in lines} == {str(pid)}
    version = ".".join(map(str, av.library_versions["libavformat"]))
    return f"PyAV {av.__version__} (libavformat {version}) reads all {len(payloads)} tags and PTS as inspect says, byte for byte"


def mutagen_parses_it(stage, stream):
    """mutagen finds one TXXX frame in each tag."""
    _, packets = transport.timed_id3(stream.read_bytes())
    for pts, payload in packets:
        tags = mutagen.id3.ID3(io.BytesIO(payload), translate=False)
        assert tags.version == (2, 4, 0) and tags.size == len(payload) and not tags.unknown_frames
        (frame,) = tags.values()
        assert isinstance(frame, mutagen.id3.TXXX) and frame.encoding == mutagen.id3.Encoding.UTF8
        (text,) = frame.text
        assert frame.desc == json.loads(text)["eventType"] and wire.tag(frame.desc, text) == payload, f"the tag at {pts} reads otherwise"
    return f"mutagen {mutagen.version_string} parses all {len(packets)} tags: one TXXX frame each, nothing unknown"


def arithmetic_is_right(stage, stream):
    """The wire format's sums, computed anew: crc, times, identifiers, seals."""
    _, packets = transport.timed_id3(stream.read_bytes())
    zeros, events, questions, seals = set(), {}, {}, 0
    for pts, payload in packets:
        text = wire.text_of(payload)
        event = wire.parse(text)
        whole, _, _ = text.rpartition(',"crc":')
        assert wire.with_crc(whole + "}") == text == wire.compact(event), f"the crc or the form of {text} is wrong"
        assert list(event)[:len(wire.ENVELOPE)] == wire.ENVELOPE and list(event)[-1] == "crc"
        zeros.add((pts - wire.ticks(event["age"]) - wire.ticks(event["at"])) % WRAP)
        assert event["guid"] == wire.guid(event), f"{event['guid']} should be {wire.guid(event)}"
        content = {key: value for key, value in event.items() if key not in ("copy", "copies", "age", "crc")}
        assert events.setdefault(event["guid"], content) == content, f"the copies of {event['guid']} differ"
        if event["eventType"] == "askQuestion":
            assert "correctAnswer" not in event
            questions[event["guid"]] = event
    for event in events.values():
        if event["eventType"] == "showResults":
            question, right = questions[event["questionGuid"]], event["correctAnswer"]
            assert event["salt"] == wire.salt(stage.key.read_bytes(), question, right), "a salt is wrong"
            assert question["seal"] == wire.seal(event["salt"], question["guid"], right), "a seal is wrong"
            seals += 1
    assert len(zeros) == 1, f"PTS - age - at gives {sorted(zeros)}"
    assert seals == len(questions) > 0
    return f"crc of {len(packets)} copies, {len(events)} GUIDs, {seals} salts and seals recomputed; PTS - age - at is always {zeros.pop()}"


def tshark_accepts_it(stage, stream):
    """tshark reads the tables, finds their CRC good and both descriptors in place; so does the reader of this folder."""
    fields = ["mp2t.pid", "mpeg_sect.crc.status", "mpeg_pmt.pg_num", "mpeg_pmt.stream.type", "mpeg_descr.tag", "mpeg_descr.data",
              "_ws.expert"]
    shown = [word for field in fields for word in ("-e", field)]
    text = media.run("tshark", "-r", stream, "-o", "mpeg_sect.verify_crc:TRUE", "-Y", "mpeg_pat || mpeg_pmt || _ws.malformed",
                     "-T", "fields", "-E", "separator=;", *shown)
    rows = [dict(zip(fields, line.split(";"))) for line in text.splitlines()]
    data = stream.read_bytes()
    transport.check_continuity(data)
    map_pid, maps = transport.program_maps(data)
    assert len(maps) == 1, "the program map changes"
    program = maps[0].program
    pointer = bytes.fromhex("FFFF49443320FF49443320001F") + program.to_bytes(2, "big")
    descriptor = bytes.fromhex("FFFF49443320FF49443320000F")
    assert maps[0].descriptors.count((0x25, pointer)) == 1, f"the metadata pointer descriptor is not {pointer.hex()}"
    (stream_descriptors,) = [found for kind, _, found in maps[0].streams if kind == 0x15]
    assert stream_descriptors == [(0x26, descriptor)], f"the metadata descriptor is not {descriptor.hex()}"
    counts = {0: 0, map_pid: 0}
    for row in rows:
        pid = int(row["mp2t.pid"], 0)
        counts[pid] += 1
        assert row["mpeg_sect.crc.status"] in ("1", "Good") and not row["_ws.expert"], f"tshark complains: {row}"
        if pid == map_pid:
            assert int(row["mpeg_pmt.pg_num"], 0) == program and "0x15" in row["mpeg_pmt.stream.type"].split(",")
            assert {"0x25", "0x26"} <= set(row["mpeg_descr.tag"].split(",")), f"tshark misses a descriptor: {row}"
            assert {pointer.hex(), descriptor.hex()} <= set(row["mpeg_descr.data"].replace(":", "").split(",")), f"tshark reads {row}"
    assert all(counts.values()), "tshark finds no PAT or no PMT"
    return f"tshark accepts {counts[0]} PATs and {counts[map_pid]} PMTs: CRC good, descriptors 0x25 and 0x26 as Apple wants them"


def video_and_audio_are_equal(source, stream):
    """What is decoded from the stamped stream is what is decoded from its source."""
    facts = []
    for kind in sorted(media.kinds(source), reverse=True):
        expected, found = media.frame_hashes(source, kind), media.frame_hashes(stream, kind)
        assert expected and expected == found, f"{kind} of {stream.name} differs: {len(expected)} against {len(found)} frames"
        facts.append(f"{len(found)} {kind} frames")
    return f"{stream.name} decodes to the same {' and '.join(facts)} as {source.name}"


def events_come_once(stage, stream, cues):
    """`replay` gives every event once, in order, on time, and counts the rest as duplicates."""
    copies = [line for line in stage.lines("inspect", stream) if line["type"] == "copy"]
    events = [line for line in copies if not line["duplicate"]]
    assert [line["eventType"] for line in events] == [kind for _, kind, _ in cues], "other events than the cues"
    assert [int(line["sequence"]) for line in events] == list(range(1, len(cues) + 1)), "the sequence has gaps"
    zero = int(events[0]["pts"]) - wire.ticks(events[0]["age"]) - wire.ticks(events[0]["event"]["at"])
    worst = 0
    for line in copies:
        at = wire.ticks(cues[int(line["sequence"]) - 1][0])
        worst = max(worst, abs(int(line["pts"]) - zero - wire.ticks(line["age"]) - at))
    assert worst <= MILLISECOND, f"an event is {worst} ticks off its cue"

    *transitions, summary = stage.lines("replay", stream)
    names = {"startGame": "gameStarted", "askQuestion": "questionAsked", "showResults": "resultsShown", "endGame": "gameEnded"}
    seen = [(line["transition"], wire.ticks(line["eventTime"])) for line in transitions if line["transition"] in names.values()]
    assert [name for name, _ in seen] == [names[kind] for _, kind, _ in cues], f"the game goes otherwise: {seen}"
    assert all(abs(found - wire.ticks(at)) <= MILLISECOND for (_, found), (at, _, _) in zip(seen, cues)), f"the game is late: {seen}"
    assert not {"eventLost", "eventConflict", "sealBroken"} & {line["transition"] for line in transitions}
    numbers = [int(summary[key]) for key in ("events", "copies", "duplicates", "damaged", "lost", "conflicts")]
    assert numbers == [len(cues), len(copies), len(copies) - len(cues), 0, 0, 0], f"the summary is {summary}"
    assert summary["phase"] == "ended"
    return f"{stream.name}: {len(cues)} events once each, in order, at most {worst} ticks off; duplicates {len(copies)} - {len(cues)}"


def signatures_are_right(stage, source):
    """libsodium signs what the wire format says, taken out of the text of each copy, as `stamp --sign` does."""
    key = nacl.signing.SigningKey(bytes(range(64, 96)))
    secret, public = stage.folder / "signing.key", stage.folder / "signing.pub"
    secret.touch(mode=0o600)
    secret.write_bytes(bytes(key))
    public.write_text(key.verify_key.encode(nacl.encoding.HexEncoder).decode())
    stream = stage.folder / "signed.ts"
    stage.run("stamp", source, "--cues", SHOW, "-o", stream, "--sign", secret, "--force")
    _, packets = transport.timed_id3(stream.read_bytes())
    for _, payload in packets:
        ((text,),) = mutagen.id3.ID3(io.BytesIO(payload), translate=False).getall("TXXX")
        message = re.sub(r',"copy":\d+,"copies":\d+,"age":[\d.]+', "", text)
        message, signature = re.fullmatch(r'(.*),"signature":"([^"]+)","crc":"[0-9a-f]{8}"}', message).groups()
        assert base64.b64decode(signature) == key.sign(f"{message}}}".encode()).signature, f"another signature of {message}"
    stage.run("verify", stream, "--cues", SHOW, "--require-signature", public)
    return f"libsodium (PyNaCl {nacl.__version__}) makes the same Ed25519 signatures of all {len(packets)} copies"


def stamping_is_repeatable(stage, source, stream, cues):
    again = stage.stamp(source, cues, "again")
    assert again.read_bytes() == stream.read_bytes(), "stamping twice with one seal key gives different bytes"
    return f"stamping {source.name} twice with one seal key gives the same {stream.stat().st_size} bytes"


def passing_through_changes_nothing_else(stage, source, cues):
    """A transport stream that is stamped differs from its source in the PMT and in the packets of timed ID3."""
    stream = stage.stamp(source, cues, "passed-through")
    before, after = source.read_bytes(), stream.read_bytes()
    map_pid, (old,) = transport.program_maps(before)
    new_pid, (new,) = transport.program_maps(after)
    added, _ = transport.timed_id3(after)
    assert new_pid == map_pid and new.version == (old.version + 1) % 32
    assert [entry for entry in new.streams if entry[1] != added] == old.streams, "other streams of the program map changed"
    kept = [packet for pid, packet in transport.packets(before) if pid != map_pid]
    found = [packet for pid, packet in transport.packets(after) if pid not in (map_pid, added)]
    assert all(pid != added for pid, _ in transport.packets(before)), f"PID {added} was in use"
    assert kept == found, "a packet of the source changed"
    transport.check_continuity(after)
    return f"a transport stream passes through: {len(kept)} packets unchanged, only the PMT differs and PID {added} is new"


def constant_rate_stays(stage, minute, cues):
    """FFmpeg's stream of constant bit rate keeps its length, its clock and its frames: tags lie where null packets lay."""
    source = stage.folder / "constant-rate.ts"
    ffmpeg("-i", minute, "-c", "copy", "-muxrate", "2M", source)
    stream = stage.folder / "constant-rate-stamped.ts"
    said = stage.run("stamp", source, "--cues", cues, "-o", stream, "--seal-key", stage.key, "--reproducible", "--force", "--constant-rate")
    before, after = source.read_bytes(), stream.read_bytes()
    clocks = list(transport.pcrs(before))
    assert list(transport.pcrs(after)) == clocks, "a PCR changed, or moved"
    # The rate between any two of them is the one that FFmpeg was asked for: 2 Mbit/s, to within the clock's resolution.
    for (place, clock), (next_place, next_clock) in zip(clocks, clocks[1:]):
        assert abs((next_place - place) * 8 * 27 - (next_clock - clock) * 2) <= 2 * 27 * 8 * 2, f"the rate changes at byte {place}"
    map_pid, _ = transport.program_maps(before)
    added, tags = transport.timed_id3(after)
    replaced = 0
    for (old_pid, old), (pid, packet) in zip(transport.packets(before), transport.packets(after), strict=True):
        if old != packet and pid != map_pid:
            assert old_pid == 0x1FFF and pid == added, f"a packet of PID {old_pid} was replaced by one of PID {pid}"
            replaced += 1
    transport.check_continuity(after)
    assert f"{replaced} null packets replaced, 0 packets added" in said, said
    video_and_audio_are_equal(source, stream)
    return f"2 Mbit/s stay 2 Mbit/s: {len(clocks)} PCRs in their places, {replaced} null packets carry {len(tags)} tags"


def memory_does_not_grow(stage, short, long, cues):
    """Ten minutes need no more memory than ten seconds."""
    facts = []
    for command in ("stamp", "inspect", "replay"):
        peaks = []
        for source in (short, long):
            output = stage.folder / f"memory-{source.stem}.ts"
            arguments = [source, "--cues", cues, "-o", output, "--force"] if command == "stamp" else [output]
            peaks.append(media.peak_memory(stage.cuelight, command, *arguments))
        assert peaks[1] < peaks[0] + 4_000_000, f"{command} takes {peaks[0]} bytes for {short.name} and {peaks[1]} for {long.name}"
        facts.append(f"{command} {peaks[0] / 1e6:.1f} and {peaks[1] / 1e6:.1f} MB")
    return f"peak memory for 10 s and for 10 min: {', '.join(facts)}"


def other_tags_are_kept(stage, streams):
    """Real streams that carry timed ID3 already: `inspect` finds every tag, and stamping keeps them."""
    cues = stage.cues("short", [("0", "startGame", {}), ("0.01", "endGame", {})])
    count = 0
    for source in streams:
        expected = tags_by_pyav(source)
        lines = [line for line in stage.lines("inspect", source) if line["type"] == "tag"]
        assert [(int(line["pts"]), int(line["bytes"])) for line in lines] == [(pts, len(tag)) for pts, tag in expected], f"{source.name}"
        stamped = stage.stamp(source, cues, source.stem)
        kept = [(pts, tag) for pts, tag in tags_by_pyav(stamped) if not tag[20:].startswith((b"\3startGame\0", b"\3endGame\0"))]
        assert kept == expected, f"stamping {source.name} does not keep its tags: {kept}"
        count += len(expected)
    return f"inspect finds the {count} tags of {' and '.join(source.name for source in streams)}, and stamping keeps them"


def segments_play_and_last_as_long_as_they_say(playlist, sources):
    """Decoding a presentation makes a newer FFmpeg say nothing, gives the frames of its sources, and each EXTINF is right."""
    frames = presentation.decode_quietly(playlist)
    count, worst = presentation.check_durations(playlist.parent)
    renditions = sorted(playlist.parent.glob("index-media*.m3u8"))
    assert len(renditions) == len(sources)
    for rendition, source in zip(renditions, sources):
        # Audio that is the same in several sources is stored once.
        tracks = sorted(playlist.parent.glob(rendition.name.replace("media", "audio"))) or sorted(playlist.parent.glob("index-audio*.m3u8"))
        for kind in media.kinds(source):
            track = tracks[0] if kind == "audio" and tracks else rendition
            assert media.frame_hashes(source, kind) == media.frame_hashes(track, kind), f"{kind} of {track} differs"
    return (f"{playlist.parent.name}: PyAV decodes {frames} frames in silence, the same as {' and '.join(source.name for source in sources)}; "
            f"{count} segments last as long as their EXTINF, {worst * 1e6:.0f} us off at most")


def the_description_plays(description, sources):
    """FFmpeg's reader of MPEG-DASH finds each rendition by the MPD, and all its frames."""
    video, audio = zip(*(media.packet_counts(source) for source in sources))
    # Audio that is the same in several sources is stored once.
    different = {str(media.frame_hashes(source, "audio")): count for source, count in zip(sources, audio)}
    expected = sorted(video) + sorted(different.values())
    found = media.packet_counts(description)
    assert found == expected, f"{found} packets by the MPD, {expected} in the sources"
    return f"{description.parent.name}: FFmpeg reads {len(found)} representations of MPEG-DASH by the MPD, with {sum(found)} packets in all"


def event_messages_are_right(stage, playlist, stream):
    """The event messages of fragmented MP4 carry the events of the transport stream, each at its time."""
    count, events = presentation.check_event_messages(playlist.parent)
    expected = {line["guid"]: wire.ticks(line["event"]["at"]) for line in stage.lines("inspect", stream) if line["type"] == "copy"}
    assert {event["guid"]: wire.ticks(event["at"]) for event in events} == expected, "other events than in the transport stream"
    return f"{playlist.parent.name}: {count} event messages carry the {len(events)} events, each in the segment of its time, one id an event"


def reports_are_junit(stage, stream, sheet, count):
    """What `verify --junit` writes is read by a library that continuous integration uses: a case an event, and what is wrong."""
    path = stage.folder / "report.xml"
    stage.run("verify", stream, "--cues", sheet, "--junit", path, "--force")
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert suite.tests == len(list(suite)) == count + 2 and suite.failures == suite.errors == 0, "the report of a whole stream"
    lossy = [stage.cuelight, "verify", stream, "--cues", sheet, "--drop-packets", "0.9", "--junit", path, "--force"]
    assert subprocess.run(lossy, capture_output=True).returncode == 1, "most packets lost, and verify passes"
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    (case,) = suite
    assert suite.failures == 1 and "is missing" in case.result[0].text, "the report of a lost stream"
    return f"reports are JUnit's: {count + 2} cases of {stream.name}, and the failure of a loss, read by junitparser"


def a_whole_show_is_right(stage, video):
    """From a bank of questions to winners: planned, stamped, verified, played by a thousand bots, and counted again."""
    bank = TOP / "samples" / "banks" / "science-night.yaml"
    sheet, stream = stage.folder / "whole-show.yaml", stage.folder / "whole-show.ts"
    media.run(stage.cuelight, "plan", bank, "--seed", "7", "--order", "shuffled", "--fit", video, "-o", sheet, "--force")
    media.run(stage.cuelight, "stamp", video, "--cues", sheet, "-o", stream, "--force")
    media.run(stage.cuelight, "verify", stream, "--cues", sheet)
    fact = audience.scoreboards_are_right(stage.cuelight, stream, stage.folder, bots="random:1000,perfect:3,late:50,sleepy:10")
    audience.emitted_results_are_real(stage.cuelight, stream, stage.folder, video)
    return f"a show from {bank.name}, planned, stamped and verified: {fact}"


def played_meanwhile(stage):
    """Starts the witness of the terminal, which mostly waits; gives what to call for its facts."""
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", terminal.__name__, "--cuelight", stage.cuelight, "--folder", stage.folder / "terminal"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def facts():
        said, errors = process.communicate()
        assert process.returncode == 0, errors.strip()
        return re.findall(r"^ok  (.*)  \(", said, re.MULTILINE)

    return facts


def facts(stage):
    minute = media.generate(stage.folder / "minute.mp4", 60)
    playing = played_meanwhile(stage)
    show = stage.stamp(minute, SHOW, "show")
    assert media.has_b_frames(minute), "the generated clip has no B-frames"
    for check in (newer_ffmpeg_reads_it, mutagen_parses_it, arithmetic_is_right, tshark_accepts_it):
        yield check(stage, show)
    yield video_and_audio_are_equal(minute, show)
    yield signatures_are_right(stage, minute)
    yield stamping_is_repeatable(stage, minute, show, SHOW)
    yield audience.scoreboards_are_right(
        stage.cuelight, show, stage.folder, bots="random:40,perfect:3,late:5,sleepy:5", rules=["right+speed:100+streak:10", "elimination:2"])
    yield audience.emitted_results_are_real(stage.cuelight, show, stage.folder, minute)
    cues = quiz(60, 8)
    sheet = stage.cues("quiz", cues)
    stream = stage.stamp(minute, sheet, "quiz")
    yield events_come_once(stage, stream, cues)
    yield reports_are_junit(stage, stream, sheet, len(cues))

    source = stage.folder / "source.ts"
    ffmpeg("-i", minute, "-c", "copy", source)
    yield passing_through_changes_nothing_else(stage, source, SHOW)
    yield constant_rate_stays(stage, minute, sheet)

    small = stage.folder / "small.mp4"
    ffmpeg("-i", minute, "-vf", "scale=160:90", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-c:a", "copy", small)
    for kind in ("ts", "fmp4"):
        for name, sources in ((kind, [minute]), (f"{kind}-from-ts", [source]), (f"{kind}-renditions", [minute, small])):
            dash = ["--dash"] if name == "fmp4-renditions" else []
            playlist = stage.stamp_segments(sources, SHOW, f"hls-{name}", "--segment-type", kind, *dash)
            yield segments_play_and_last_as_long_as_they_say(playlist, sources)
            if dash:
                yield the_description_plays(playlist.with_suffix(".mpd"), sources)
            if name == "fmp4":
                yield event_messages_are_right(stage, playlist, show)

    yield from playing()

    if streams := os.environ.get("CUELIGHT_STREAMS"):
        yield other_tags_are_kept(stage, [Path(streams) / name for name in ("videojs-id3.ts", "shaka-id3-metadata.ts")])


def long_facts(stage):
    minute = media.generate(stage.folder / "minute.mp4", 60)
    yield audience.scoreboards_are_right(stage.cuelight, stage.stamp(minute, SHOW, "show"), stage.folder)
    yield a_whole_show_is_right(stage, minute)

    long = media.generate(stage.folder / "ten-minutes.mp4", 600)
    cues = quiz(600, 12)
    sheet = stage.cues("long-quiz", cues)
    stream = stage.stamp(long, sheet, "ten-minutes")
    yield events_come_once(stage, stream, cues)
    yield reports_are_junit(stage, stream, sheet, len(cues))
    yield newer_ffmpeg_reads_it(stage, stream)
    yield arithmetic_is_right(stage, stream)
    yield video_and_audio_are_equal(long, stream)
    short = media.generate(stage.folder / "ten-seconds.mp4", 10)
    rules = ["speed:1000+streak:50", "right+elimination:20"]
    yield audience.scoreboards_are_right(stage.cuelight, stream, stage.folder, rules=rules)
    yield memory_does_not_grow(stage, short, long, stage.cues("short-quiz", quiz(9.5, 2)))

    for clip, length in zip(media.wheel_clips(stage.folder / "clips"), (10, 5.28)):
        cues = quiz(length, length / 4)
        stream = stage.stamp(clip, stage.cues(f"{clip.stem}-quiz", cues), clip.stem)
        yield events_come_once(stage, stream, cues)
        yield video_and_audio_are_equal(clip, stream)
        yield newer_ffmpeg_reads_it(stage, stream)


def run(lines, options):
    stage = Stage(options.cuelight, options.folder)
    started = time.monotonic()
    for fact in (long_facts if options.long else facts)(stage):
        lines.fact(f"{fact}  ({time.monotonic() - started:.1f} s)")
        started = time.monotonic()


if __name__ == "__main__":
    prove_and_end(run, "cuelight", keeps_folder=True, long=False)
