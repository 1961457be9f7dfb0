"""Lets ffmpeg and PyAV publish to a live server and watch it, and prints a line for each fact.

    python3 -m proofs.live.peers --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES
"""

import json
import socket
import subprocess
import time

import av

from proofs import wire
from proofs.facts import prove_and_end
from proofs.live.playlists import Playlist, Watch, milliseconds
from proofs.live.server import Publisher, Receiver, Server, cue, udp
from proofs.processes import finished, free_port, in_background, wait_until
from proofs.stream import Stream, numbers, whole
from proofs.transport import WRAP, packets, signed

PASSPHRASE = "a-long-passphrase"


def tags_by_pyav(path, **options):
    """The timed ID3 of a stream as PyAV reads it: (PTS, tag)."""
    with av.open(str(path), options=options) as container:
        (data,) = container.streams.data
        return [(packet.pts % WRAP, bytes(packet)) for packet in container.demux(data) if packet.size]


def watch_by_pyav(url, seconds, into):
    """Reads a live presentation while it runs, as a player does."""
    try:
        with av.open(url, options={"http_persistent": "0", "live_start_index": "0"}, timeout=20) as container:
            into["streams"] = sorted(stream.type for stream in container.streams)
            end = time.monotonic() + seconds
            for packet in container.demux():
                if packet.stream.type == "data" and packet.size:
                    into.setdefault("tags", []).append(json.loads(wire.text_of(bytes(packet)))["guid"])
                elif packet.stream.type == "video" and packet.size:
                    into["frames"] = into.get("frames", 0) + len(packet.decode())
                if time.monotonic() > end:
                    break
    except Exception as error:
        into["error"] = str(error)


def questions(server, count, pause):
    """Plays a game; returns the GUIDs in order."""
    guids = []

    def post(event):
        status, answer = server.post(event, "?wait=placed")
        assert status == 202 and answer["state"] in ("placed", "published"), (status, answer)
        guids.append(answer["guid"])

    # A cue sheet counts its questions; who posts them one by one says how many there will be.
    post({"event": "startGame", "title": "Peers", "totalQuestions": count})
    for number in range(1, count + 1):
        post({"event": "askQuestion", "question": f"How many are {number} and {number}?", "answers": [f"{number}", f"{2 * number}", "0x"], "correct": f"{2 * number}", "allottedTime": 1})
        time.sleep(pause)
        post({"event": "showResults", "counts": [1, 2, 3]})
        post(cue(number))
        time.sleep(pause)
    post({"event": "endGame"})
    return guids


def session(lines, options, name, source, publish):
    """One session with an input of some kind, and everything that can be said of its outputs."""
    folder = options.folder / name
    folder.mkdir()
    watch, player, listener = Watch(), {}, free_port(socket.SOCK_DGRAM)
    with Receiver() as receiver, Server(
            options.server, source, "-o", folder / "show.ts", "-o", folder / "index.m3u8", "-o", udp(receiver.port),
            "-o", f"srt://127.0.0.1:{listener}?mode=listener&passphrase={PASSPHRASE}", "--journal", folder / "journal", "--game", name, "--segment-duration", 1,
            "--window", 6, log=folder / "server.log") as server:
        with publish(folder):
            watch.begin(server.port)
            wait_until(server.is_ready, 20, "the input comes")
            wait_until(lambda: server.get("/live/live/index.m3u8")[0] == 200, 20, "a playlist")
            viewer = in_background(watch_by_pyav, f"http://127.0.0.1:{server.port}/live/live/index.m3u8", 12, player)
            copy = subprocess.Popen(
                ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", f"http://127.0.0.1:{server.port}/live/live/index.m3u8", "-t", "8", "-map", "0", "-c", "copy", "-f", "mpegts", folder / "watched.ts"],
                stdout=subprocess.DEVNULL, stderr=open(folder / "watched.log", "wb"))
            by_srt = subprocess.Popen(
                ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", f"srt://127.0.0.1:{listener}?passphrase={PASSPHRASE}", "-t", "6", "-map", "0", "-c", "copy", "-f", "mpegts", folder / "srt.ts"],
                stdout=subprocess.DEVNULL, stderr=open(folder / "srt.log", "wb"))
            time.sleep(1)
            guids = questions(server, 3, 1.3)
            viewer.join(timeout=14)
            copied, srt_status = copy.wait(timeout=30), by_srt.wait(timeout=30)
            (folder / "media-1.m3u8").write_bytes(server.get("/live/live/media.m3u8")[2])
            events = server.events()
            (folder / "sheet.json").write_text(json.dumps(server.sheet()))
            took = server.stop()
        time.sleep(0.2)
    watch.end()
    (folder / "received.ts").write_bytes(receiver.data)

    def inspected(path):
        def check():
            found = [json.loads(line) for line in finished(options.cuelight, "inspect", "--json", path).stdout.splitlines()]
            assert all(line["verified"] for line in found if line["type"] == "copy"), "a copy is not verified"
            assert all(line["type"] == "copy" for line in found), f"inspect says {next(line for line in found if line['type'] != 'copy')}"
            seen = {line["event"]["guid"] for line in found}
            missing = [guid for guid in guids if guid not in seen]
            assert not missing, f"{len(missing)} of {len(guids)} events are not in {path.name}"
            return f"{len(found)} verified copies of {len(seen)} events"
        return check

    def verified(path):
        def check():
            out = finished(options.cuelight, "verify", path, "--cues", folder / "sheet.json", "--copies", 3).stdout
            return f"against the cue sheet of what the server lists: {out.strip().rpartition('show.ts: ')[2]}"
        return check

    def doctored(path, needs_all=True):
        def check():
            done = finished(options.cuelight, "doctor", path)
            text = (done.stdout + done.stderr).strip()
            return text.split("\n")[-1][:160]
        return check

    def pyav_reads(path):
        def check():
            payloads = tags_by_pyav(path)
            ours = [(tag.pts, tag.payload) for tag in Stream(whole(path)).tags]
            assert payloads == ours, f"PyAV reads {len(payloads)} tags, {len(ours)} are there"
            return f"PyAV reads all {len(payloads)} tags byte for byte"
        return check

    def ffmpeg_decodes(path):
        def check():
            said = finished("ffmpeg", "-nostdin", "-v", "warning", "-i", path, "-map", "0:v", "-map", "0:a?", "-f", "null", "-").stderr
            assert not said.strip(), said.strip()[:400]
            return "ffmpeg decodes it without a warning"
        return check

    def continuity(path):
        def check():
            stream = Stream(whole(path))
            assert not stream.errors, f"{len(stream.errors)} errors of continuity counters: {stream.errors[:3]}"
            return f"{len(stream.video)} frames, {len(stream.tags)} tags, no continuity error; places 1 to {numbers(stream)}"
        return check

    def live_by_pyav():
        assert "error" not in player, player["error"]
        missing = [guid for guid in guids if guid not in player.get("tags", [])]
        assert player.get("frames", 0) > 150, f"{player.get('frames')} frames in 12 s"
        assert not missing, f"{len(missing)} of {len(guids)} events are not seen live"
        return f"{player['frames']} frames and all {len(guids)} events while it runs"

    def live_by_ffmpeg():
        said = (folder / "watched.log").read_text()
        assert copied == 0 and not said.strip(), f"status {copied}: {said[:400]}"
        return f"{(folder / 'watched.ts').stat().st_size} bytes copied without a warning"

    def by_srt_listener():
        said = (folder / "srt.log").read_text()
        assert srt_status == 0 and (folder / "srt.ts").stat().st_size > 100_000, f"status {srt_status}: {said[:400]}"
        return f"{(folder / 'srt.ts').stat().st_size} bytes with the passphrase"

    def playlists():
        assert not watch.problems, f"{len(watch.problems)}: " + "; ".join(watch.problems[:5])
        assert watch.versions >= 8 and watch.served_removed > 0
        assert len(watch.last.segments) * 1 >= 3 and sum(segment.duration for segment in watch.last.segments) >= 3 * watch.last.target, "the window is shorter than three targets"
        lines = (folder / "index.m3u8").read_text()
        assert "#EXT-X-STREAM-INF" in lines and "BANDWIDTH=" in lines
        assert Playlist((folder / "media.m3u8").read_text()).is_ended, "no ENDLIST"
        return f"{watch.versions} versions keep the rules, {watch.served_removed} removed segments were still served"

    def codecs():
        text = (folder / "index.m3u8").read_text()
        assert "CODECS=" in text, f"no CODECS: {text.split(chr(10))[-3]}"
        return text.split("CODECS=")[1].split("\n")[0]

    def segments_stand_alone():
        for uri, data in list(watch.bytes.items())[:20]:
            path = folder / "one.ts"
            path.write_bytes(data)
            said = finished("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-f", "null", "-").stderr
            assert not said.strip(), f"{uri}: {said[:200]}"
            part = Stream(data)
            pids = [pid for pid, _ in packets(data)]
            assert pids[0] == 0 and pids[1] == part.pmt_pid, f"{uri} starts with the PIDs {pids[:3]}, its PMT {part.pmt_pid} is packet {pids.index(part.pmt_pid)}"
            assert part.video[0].is_random_access, f"{uri} starts with no random access point"
        return f"{min(len(watch.bytes), 20)} segments decode by themselves"

    def segments_are_true():
        """The segments, times and numbers of copies in the status of each event are right."""
        by_number = {int(uri.split("-")[1].split(".")[0]): Stream(data) for uri, data in watch.bytes.items()}
        for guid in guids:
            event = events[guid]
            for number in event["segments"]:
                if number in by_number:
                    assert guid in by_number[number].guids, f"segment {number} has no copy of {guid}"
            whole = [tag for stream in by_number.values() for tag in stream.tags if tag.guid == guid and int(tag.event["copy"]) == 1]
            if whole:
                assert whole[0].pts == event["pts"] and abs(float(whole[0].event["at"]) - event["at"]) < 1e-4, f"{guid}: {event} and {whole[0].event}"
        return "statuses name the segments, times and PTS that are so"

    def dates_are_true():
        worst = 0
        media = Playlist((folder / "media-1.m3u8").read_text())
        starts = {segment.number: segment for segment in media.segments}
        for guid in guids:
            event = events[guid]
            for number in event["segments"][:1]:
                if number in starts and starts[number].uri in watch.bytes:
                    first = Stream(watch.bytes[starts[number].uri]).video
                    start = min(video.pts for video in first[:8])
                    date = starts[number].date + signed(event["pts"] - start) / 90
                    worst = max(worst, abs(milliseconds(event["wallClock"]) - date))
        assert worst <= 2, f"an event's wallClock is {worst:.0f} ms from what the playlist says of its frame"
        return f"wallClock is that of the playlist, to {worst:.0f} ms"

    def ends():
        assert took[0] < 2 and took[1] in (0, 130), f"{took[0]:.2f} s, status {took[1]}"
        return f"SIGTERM {took[0]:.2f} s, status {took[1]}"

    show, received = folder / "show.ts", folder / "received.ts"
    proofs = [("inspect, recording", inspected(show)), ("inspect, UDP", inspected(received)), ("verify, recording", verified(show)), ("doctor, recording", doctored(show)),
              ("doctor, UDP", doctored(received)), ("doctor, HLS", doctored(folder / "index.m3u8")), ("PyAV, recording", pyav_reads(show)), ("PyAV, UDP", pyav_reads(received)),
              ("ffmpeg, recording", ffmpeg_decodes(show)), ("packets, recording", continuity(show)), ("packets, UDP", continuity(received)), ("live HLS by PyAV", live_by_pyav),
              ("live HLS by ffmpeg", live_by_ffmpeg), ("SRT to ffmpeg", by_srt_listener), ("playlists", playlists), ("codecs", codecs), ("segments", segments_stand_alone),
              ("statuses", segments_are_true), ("dates", dates_are_true), ("end", ends)]
    lines.prove_all(name, proofs)


def refused_passphrase(options):
    """A publisher with a wrong passphrase is refused, and one with the right one comes through behind it."""
    port = free_port(socket.SOCK_DGRAM)
    log = options.folder / "passphrase.log"
    with Server(options.server, f"srt://127.0.0.1:{port}?mode=listener&passphrase={PASSPHRASE}", log=log) as server:
        time.sleep(0.5)
        for wrong in ("another-passphrase", None):
            address = f"srt://127.0.0.1:{port}" + (f"?passphrase={wrong}" if wrong else "")
            done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", options.clip, "-t", "2", "-c", "copy", "-f", "mpegts", address], capture_output=True, timeout=30)
            assert done.returncode != 0, f"the passphrase {wrong} was taken"
            assert not server.is_ready(), "bytes of a stranger came in"
        with Publisher(options.clip, f"srt://127.0.0.1:{port}?passphrase={PASSPHRASE}"):
            wait_until(server.is_ready, 15, "the right publisher comes in")
        seconds, status = server.stop()
    assert PASSPHRASE not in log.read_text(), "the passphrase is in the messages"
    return f"wrong and missing passphrases are refused, the right one is not; end {seconds:.2f} s"


def run(lines, options):
    port = free_port(socket.SOCK_DGRAM)
    lines.prove("passphrase", refused_passphrase, options)
    for name, source, publish in [
            ("udp", f"udp://127.0.0.1:{port}", lambda folder: Publisher(options.clip, udp(port), log=folder / "ffmpeg.log")),
            ("srt", f"srt://127.0.0.1:{port}?mode=listener&passphrase={PASSPHRASE}",
             lambda folder: Publisher(options.clip, f"srt://127.0.0.1:{port}?passphrase={PASSPHRASE}", log=folder / "ffmpeg.log"))]:
        lines.prove(f"{name}, session", lambda: session(lines, options, name, source, publish) or "ended")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip")
