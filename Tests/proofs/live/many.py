"""Runs many streams in one process, of which some come, change, fail and go while the others are watched. A line for each fact.

    python3 -m proofs.live.many --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--streams 6] [--seconds 20] [--reloads 10] [--seed 1]
        [--only check together reload failures calls changes foreign]

The clip has short groups of pictures. `together` says what the streams take beside one of them. `reload` changes the
configuration again and again, by signal and by call, in seeded ways, among them files with a mistake. `failures` lets one input end, one disk be full,
one output be slow, and posts events by the thousand to one stream. In all of them, the other streams may miss nothing.
"""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import time

from proofs.client import Client
from proofs.facts import prove_and_end
from proofs.live.latency import percentile
from proofs.live.playlists import Playlist, Watch
from proofs.live.server import Publisher, Receiver, cue, new_guid, udp
from proofs.processes import finished, free_port, in_background, memory_of, ordinary, processor_time, wait_until
from proofs.stream import Stream

# What each stream above the first may take, in MB.
MOST_MEMORY = 12


class Run:
    """A process of `cuelight-server run` with a configuration."""

    def __init__(self, program, folder, streams, **settings):
        self.program, self.folder, self.port = program, folder, free_port()
        self.path = folder / "cuelight.yaml"
        self.settings = {"listen": f"127.0.0.1:{self.port}", "data": str(folder / "data")} | settings
        self.write(streams)
        self.log = open(folder / "server.log", "ab")
        self.process = subprocess.Popen(
            ordinary(program, "run", "--config", self.path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        wait_until(self.answers, 20, "the server answers")

    def write(self, streams):
        """JSON is YAML, too."""
        self.streams = streams
        self.path.write_text(json.dumps(self.settings | {"streams": streams}))

    def answers(self):
        assert self.process.poll() is None, f"the server has ended with status {self.process.returncode}: {self.said()}"
        try:
            return self.call("GET", "/health").status == 200
        except OSError:
            return False

    def said(self):
        return (self.folder / "server.log").read_text()[-500:]

    def call(self, method, path, body=None, headers=None):
        with Client(self.port) as client:
            return client.call(method, path, body, headers)

    def states(self):
        return {stream["name"]: stream for stream in self.call("GET", "/v1/streams").object["streams"]}

    def memory(self):
        return memory_of(self.process)[1]

    def stop(self):
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        return time.monotonic() - started, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Inputs:
    """A sender for each of so many streams, and their settings."""

    def __init__(self, clip, count, **settings):
        self.ports = [free_port(socket.SOCK_DGRAM) for _ in range(count)]
        self.streams = {f"s{number}": {"input": f"udp://127.0.0.1:{port}", "segment-duration": 1, **settings} for number, port in enumerate(self.ports)}
        self.publishers = [Publisher(clip, udp(port)) for port in self.ports]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for publisher in self.publishers:
            publisher.stop()


def watch(run, names, interval=0.15):
    """A watcher for each stream, once each has segments."""
    watches = {name: Watch(f"/live/{name}/", media="media.m3u8", interval=interval) for name in names}
    for each in watches.values():
        each.begin(run.port)
    wait_until(lambda: all(len(each.known) > 3 for each in watches.values()), 40, "every stream has segments")
    return watches


def unharmed(watches):
    """Proves that streams have missed nothing; returns the number of their segments."""
    count = 0
    for name, each in watches.items():
        each.is_running = False
        each.thread.join()
        assert not each.problems, f"{name}: {each.problems[:3]}"
        numbers = sorted(each.known)
        assert numbers == list(range(numbers[0], numbers[-1] + 1)), f"{name}: segments are missing"
        for number in numbers[1:]:
            (_, _, _, is_discontinuous, *_, is_gap), _ = each.known[number]
            assert not is_discontinuous and not is_gap, f"{name}: segment {number} is a discontinuity or a gap"
        count += len(numbers)
    return count


def post(run, name, number, seed, **more):
    guid = new_guid(random.Random(f"{seed}{name}{number}"))
    answer = run.call("POST", f"/v1/streams/{name}/events", cue(number, guid=guid) | more)
    assert answer.status == 202, f"{name}: {answer}"
    return guid


def placed(run, name, guids):
    """Waits until all events are in the stream."""
    def states():
        events = {event["guid"]: event["state"] for event in run.call("GET", f"/v1/streams/{name}/events").object["events"]}
        return all(events.get(guid) in ("placed", "published") for guid in guids)
    wait_until(states, 20, f"all events of {name} are in the stream")


def together(options):
    """What many streams take beside one of them, with events in each; how long those of the first stream take to its output by UDP."""
    settings = {"segment-type": "fmp4", "part-duration": 0.5}
    figures = []
    for count in (1, options.streams):
        folder = options.folder / f"together-{count}"
        folder.mkdir()
        with Receiver() as receiver, Inputs(options.clip, count, **settings) as inputs:
            inputs.streams["s0"]["output"] = udp(receiver.port)
            with Run(options.server, folder, inputs.streams) as run:
                # A part's duration: what a player loads.
                watches = watch(run, inputs.streams, interval=0.5)
                started, before = time.monotonic(), processor_time(run.process)
                guids, sent, answers = {name: [] for name in inputs.streams}, {}, []
                number = 0
                # One stream alone is soon measured.
                seconds = options.seconds if count > 1 else min(options.seconds, 90)
                while time.monotonic() < started + seconds:
                    for name in inputs.streams:
                        number += 1
                        asked = time.monotonic()
                        guids[name].append(post(run, name, number, options.seed))
                        answers.append(time.monotonic() - asked)
                        if name == "s0":
                            sent[guids[name][-1]] = asked
                    time.sleep(1)
                share = (processor_time(run.process) - before) / (time.monotonic() - started)
                for name in inputs.streams:
                    placed(run, name, guids[name])
                segments = unharmed(watches)
                memory = run.memory()
                seconds, status = run.stop()
                assert status == 0 and seconds < 5, f"it ends after {seconds:.1f} s with status {status}"
            stream = Stream(receiver.data)
        assert set(sent) <= set(stream.guids), "events of the first stream are not in its output"
        delays = [receiver.arrival(stream.guids[guid][0].end) - asked for guid, asked in sent.items()]
        figures.append((share, memory, percentile(delays, 0.5), percentile(delays, 0.99), percentile(answers, 0.99), segments))
    (one, first, *one_wire, _, _), (share, memory, *wire, answer, segments) = figures
    count = options.streams
    above = (memory - first) / (count - 1) / 1e6
    text = (f"{count} streams with parts and events, {segments} segments without a gap: {share * 100:.0f} % of a core, {share / count / one:.2f} times that of one stream for each; "
            f"{memory / 1e6:.0f} MB, {above:.1f} for each stream above the first; POST to the tag's bytes p50 {wire[0]:.0f} and p99 {wire[1]:.0f} ms, "
            f"{one_wire[0]:.0f} and {one_wire[1]:.0f} with one stream; POST to its answer p99 {answer:.0f} ms")
    assert above <= MOST_MEMORY and share <= 1, text
    return text


def load_again(run):
    """Lets the server load the file again. Callers have to wait if they do that too often."""
    while (answer := run.call("POST", "/v1/reload")).status == 429:
        time.sleep(1)
    return answer


def reload(options):
    """Seeded changes of the file and broken files, while events are posted and all playlists of the streams that stay are watched."""
    chance = random.Random(options.seed)
    folder = options.folder / "reload"
    folder.mkdir()
    with Inputs(options.clip, options.streams) as inputs, Run(options.server, folder, inputs.streams) as run:
        names = list(inputs.streams)
        steady, others = names[: len(names) // 2], names[len(names) // 2:]
        watches = watch(run, steady)
        guids, is_posting = {name: [] for name in steady}, [True]

        def posting():
            number = 0
            while is_posting[0]:
                for name in steady:
                    number += 1
                    guids[name].append(post(run, name, number, options.seed))
                time.sleep(0.05)

        poster = in_background(posting)
        kinds = {"changed": 0, "ended": 0, "added": 0, "broken": 0}
        for number in range(options.reloads):
            streams = json.loads(json.dumps(run.streams))
            kind = chance.choice(["change", "remove", "broken"])
            name = chance.choice(others)
            if kind == "broken":
                before = run.states()
                run.path.write_text(run.path.read_text()[:-1] + chance.choice(["", ', "streamz": {}}', ', "listen": [1]}']))
                answer = load_again(run)
                assert answer.status == 422 and answer.object["errors"], str(answer)
                assert set(run.states()) == set(before)
                kinds["broken"] += 1
                run.write(streams)
                continue
            if kind == "remove" and name in streams:
                del streams[name]
            elif name in streams:
                streams[name]["title"] = f"Title {number}"
            else:
                streams[name] = inputs.streams[name]
            expected = {kind: [name] for kind, is_so in (
                ("ended", name not in streams), ("added", name not in run.streams), ("changed", name in streams and name in run.streams)) if is_so}
            run.write(streams)
            # Of a signal nobody is told when the file is loaded; streams that come and go show it.
            if "changed" not in expected and chance.random() < 0.5:
                run.process.send_signal(signal.SIGHUP)
                wait_until(lambda: set(run.states()) == set(streams), 20, "the signal has loaded the file")
            else:
                answer = load_again(run)
                assert answer.status == 200, str(answer)
                found = {kind: sorted(answer.object[kind]) for kind in ("added", "changed", "ended") if answer.object[kind]}
                assert found == expected, f"{found}, not {expected}"
            kinds[next(iter(expected))] += 1
            wait_until(lambda: all(stream["state"] == "running" for stream in run.states().values()), 20, "every stream runs")
        is_posting[0] = False
        poster.join()
        for name in steady:
            placed(run, name, guids[name])
        segments = unharmed(watches)
        text = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return f"{options.reloads} reloads ({text}): {segments} segments of {len(steady)} streams without a gap or discontinuity, {sum(map(len, guids.values()))} events, none lost"


def failures(options):
    """One input that ends, one that is no stream, one full disk, one slow output, one flood of posts."""
    folder = options.folder / "failures"
    folder.mkdir()
    disk = folder / "disk"
    disk.mkdir()
    has_disk = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True).returncode == 0
    try:
        with Inputs(options.clip, max(options.streams, 6)) as inputs:
            streams = inputs.streams
            streams["s1"]["output"] = f"udp://127.0.0.1:{free_port(socket.SOCK_DGRAM)}"
            streams["s2"]["journal"] = str(disk / "journal")
            slow = socket.create_server(("127.0.0.1", 0))
            streams["s3"]["output"] = f"srt://127.0.0.1:{slow.getsockname()[1]}"
            streams["s4"] = {"input": str(folder / "missing.ts")}
            with Run(options.server, folder, streams) as run:
                others = ["s0", *(f"s{number}" for number in range(5, len(streams)))]
                watches = watch(run, others)
                assert run.states()["s4"]["state"] == "failed", run.states()["s4"]
                if has_disk:
                    fill(disk / "full")
                inputs.publishers[1].stop()
                refused = accepted = 0
                with Client(run.port) as client:
                    end = time.monotonic() + options.seconds
                    while time.monotonic() < end:
                        answer = client.call("POST", "/v1/streams/s3/events", cue(accepted + refused))
                        accepted, refused = (accepted + 1, refused) if answer.status == 202 else (accepted, refused + 1)
                guids = {name: [post(run, name, number, options.seed) for number in range(5)] for name in others}
                for name in others:
                    placed(run, name, guids[name])
                segments = unharmed(watches)
                assert run.call("GET", "/ready").status == 200
                # The stream that could not begin does once it can.
                (folder / "missing.ts").write_bytes(options.clip.read_bytes() if options.clip.suffix == ".ts" else remuxed(options.clip, folder))
                wait_until(lambda: run.states()["s4"]["state"] != "failed", 40, "the stream that failed has begun")
                return (f"an input that ends, one that is not there{', a full disk' if has_disk else ''}, an output that nobody takes, and {accepted} posts to one stream ({refused} refused): "
                        f"{segments} segments of {len(others)} streams without a gap")
    finally:
        if has_disk:
            subprocess.run(["umount", "-l", disk], check=False)


def fill(path):
    """Writes until the disk is full."""
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def remuxed(clip, folder):
    finished("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", clip, "-c", "copy", folder / "remuxed.ts")
    return (folder / "remuxed.ts").read_bytes()


def calls(options):
    """Streams that are added, changed and removed over HTTP, and are so after a restart."""
    folder = options.folder / "calls"
    folder.mkdir()
    with Inputs(options.clip, 3) as inputs:
        streams = dict(inputs.streams)
        late = streams.pop("s2")
        with Run(options.server, folder, streams) as run:
            watches = watch(run, ["s0"])
            assert run.call("PUT", "/v1/streams/s2", late).status == 201
            assert run.call("PUT", "/v1/streams/s2", late).status == 200
            assert run.call("PUT", "/v1/streams/s1", streams["s1"] | {"title": "Other"}).status == 200
            wrong = run.call("PUT", "/v1/streams/s1", streams["s1"] | {"part-duration": 7})
            assert wrong.status == 422 and "part-duration" in wrong.object["detail"], str(wrong)
            missing = run.call("PUT", "/v1/streams/s9", {"input": "/nowhere.ts"})
            assert missing.status == 409 and "s9" not in run.states(), str(missing)
            assert run.call("DELETE", "/v1/streams/s9").status == 404
            wait_until(lambda: run.call("GET", "/live/s2/index.m3u8").status == 200, 20, "the new stream plays")
            settings = run.call("GET", "/v1/streams/s1").object
            assert settings["origin"] == "call" and "--title=Other" in settings["settings"], settings
            guid = post(run, "s2", 1, options.seed)
            placed(run, "s2", [guid])
            segments = unharmed(watches)
            assert run.call("DELETE", "/v1/streams/s0").status == 204
            assert run.call("GET", "/live/s0/index.m3u8").status == 404
            run.process.kill()
            run.process.wait()
        with Run(options.server, folder, streams) as run:
            wait_until(lambda: set(run.states()) == {"s1", "s2"}, 10, "the streams are there again")
            assert run.call("GET", "/v1/streams/s1").object["origin"] == "call"
            wait_until(lambda: run.call("GET", "/v1/streams/s2/events").object["events"], 10, "the events are there again")
            events = {event["guid"] for event in run.call("GET", "/v1/streams/s2/events").object["events"]}
            assert guid in events, "the event of the stream is gone"
            # The file says something else now: it counts.
            run.write({"s1": streams["s1"] | {"title": "File"}, "s0": streams["s0"]})
            answer = run.call("POST", "/v1/reload")
            assert answer.status == 200 and run.call("GET", "/v1/streams/s1").object["origin"] == "file", str(answer)
            assert run.stop()[1] == 0
    return f"added, changed and removed over HTTP, kept over kill -9; {segments} segments of the other stream without a gap; of file and call the later one counts"


class Reloading:
    """Loads a playlist again and again, as a player does, and all segments that it lists."""

    def __init__(self, run, name):
        self.run, self.path, self.problems, self.is_running = run, f"/live/{name}/", [], True
        self.loaded, self.discontinuities = set(), 0
        self.thread = in_background(self.load)

    def load(self):
        latest = 0
        while self.is_running:
            answer = self.run.call("GET", f"{self.path}media.m3u8")
            if answer.status != 200:
                self.problems.append(f"status {answer.status}")
                continue
            playlist = Playlist(answer.body.decode())
            if playlist.is_ended:
                self.problems.append("the playlist has ended")
            if playlist.sequence < latest:
                self.problems.append(f"{playlist.sequence} after {latest}")
            latest = playlist.sequence
            self.discontinuities = playlist.discontinuity_sequence + sum(segment.is_discontinuous for segment in playlist.segments)
            for segment in playlist.segments:
                if segment.uri not in self.loaded and not segment.is_gap:
                    status = self.run.call("GET", self.path + segment.uri).status
                    if status != 200:
                        self.problems.append(f"{segment.uri}: status {status}")
                    self.loaded.add(segment.uri)
            time.sleep(0.1)

    def stop(self):
        self.is_running = False
        self.thread.join()
        assert not self.problems, f"{self.path}: {self.problems[:3]}"
        return len(self.loaded)


def changes(options):
    """Streams that change under the eyes of players: they swap their inputs, cannot begin, have each other's places, or wait for a named pipe."""
    folder = options.folder / "changes"
    folder.mkdir()
    pipe = folder / "pipe.ts"
    os.mkfifo(pipe)
    with Inputs(options.clip, 2) as inputs, Run(options.server, folder, inputs.streams) as run:
        for name in inputs.streams:
            wait_until(lambda: run.call("GET", f"/live/{name}/media.m3u8").status == 200, 20, f"{name} plays")
        players = [Reloading(run, name) for name in inputs.streams]
        first, second = inputs.streams["s0"], inputs.streams["s1"]
        run.write({"s0": second, "s1": first})
        answer = run.call("POST", "/v1/reload")
        assert answer.status == 200 and sorted(answer.object["changed"]) == ["s0", "s1"] and not answer.object["failed"], str(answer)
        wait_until(lambda: all(player.discontinuities for player in players), 30, "both go on with the other's input")
        run.write({"s0": second | {"input": "/nowhere.ts"}, "s1": first})
        answer = run.call("POST", "/v1/reload")
        assert answer.status == 200 and [failure["name"] for failure in answer.object["failed"]] == ["s0"] and not answer.object["changed"], str(answer)
        assert run.call("POST", "/v1/reload").object["failed"], "the next load does not try it again"
        wait_until(lambda: players[0].discontinuities > 1, 30, "it goes on with the settings that it had")
        run.write({"s0": second | {"journal": str(folder / "j")}, "s1": first | {"journal": f"{folder}/../changes/j"}})
        shared = run.call("POST", "/v1/reload")
        assert shared.status == 422 and "already" in shared.object["detail"], str(shared)
        shared = run.call("PUT", "/v1/streams/s2", second)
        assert shared.status == 422 and "already" in shared.object["detail"] and "s2" not in run.states(), str(shared)
        run.write({"s0": second, "s1": first, "s2": {"input": str(pipe), "segment-duration": 1}})
        assert run.call("POST", "/v1/reload").status == 200
        assert run.states()["s2"]["state"] == "running"
        writer = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", options.clip, "-c", "copy", "-f", "mpegts", pipe])
        wait_until(lambda: run.call("GET", "/live/s2/media.m3u8").status == 200, 30, "the stream of the pipe plays")
        count = sum(player.stop() for player in players)
        seconds, status = run.stop()
        writer.kill()
        writer.wait()
        assert status == 0 and seconds < 5, f"it ends after {seconds:.1f} s with status {status}"
    return (f"two streams swap their inputs, and one cannot begin with new settings: {count} segments, every playlist and segment there at any time, and no end; "
            "shared places are refused; a named pipe is waited for")


def foreign(options):
    """A game on a stream that another process carries."""
    folder = options.folder / "foreign"
    folder.mkdir()
    quiz = folder / "quiz.yaml"
    quiz.write_text("title: Far\nquestions:\n  - { question: \"1 + 1?\", answers: [\"2\", \"3\"], correct: \"2\" }\n")
    (folder / "here").mkdir()
    (folder / "there").mkdir()
    with Inputs(options.clip, 1) as inputs, Run(options.server, folder / "there", inputs.streams) as there:
        far = {"live": f"http://127.0.0.1:{there.port}/v1/streams/s0"}
        games = {"evening": {"stream": "far", "quiz": str(quiz), "start-in": 1, "time": 3, "pause": 2, "delay": 4}}
        with Run(options.server, folder / "here", {"far": far}, games=games) as here:
            state = here.states()["far"]
            assert state["state"] == "running" and state["playlist"] == f"http://127.0.0.1:{there.port}/live/s0/index.m3u8", state
            kinds = lambda: {event["event"] for event in there.call("GET", "/v1/streams/s0/events").object["events"]}
            wait_until(lambda: {"startGame", "askQuestion", "showResults"} <= kinds(), 60, "the game's events are in the other stream")
            # The name becomes a stream of this process, and what cannot begin changes nothing.
            refused = here.call("PUT", "/v1/streams/far", {"input": "/nowhere.ts"})
            assert refused.status == 409 and here.states()["far"]["state"] == "running", str(refused)
            assert here.call("DELETE", "/v1/streams/far").status == 204 and here.states() == {}
            assert here.stop()[1] == 0
    return "a game's questions and results are in the stream of another process; what cannot begin changes nothing"


def check(options):
    """What `check` says of good and bad files."""
    folder = options.folder / "check"
    folder.mkdir()
    path = folder / "a.yaml"
    path.write_text("listen: 127.0.0.1:0\nstreams:\n  a: { input: -, part-duration: 0.5, segment-type: fmp4 }\n")
    said = finished(options.server, "check", path).stdout
    assert "stream a: -" in said and "part-duration 0.5" in said, said
    path.write_text("listn: x\nstreams:\n  a: { input: -, part-duration: 5, windw: 3 }\n  b: { inputs: x }\n")
    wrong = finished(options.server, "check", path, status=65).stderr
    for words in (f"{path}:1:1: unknown key \"listn\"; did you mean \"listen\"?", ":3:33: part-duration takes seconds from 0.2 to 1", "did you mean \"window\"?", ":4:3: \"input\" is missing"):
        assert words in wrong, f"{words!r} is not in {wrong}"
    schema = json.loads(finished(options.server, "check", "--schema").stdout)
    assert schema["properties"]["streams"]["additionalProperties"]["properties"]["part-duration"]
    finished(options.server, "check", folder / "missing.yaml", status=66)
    finished(options.server, "check", status=64)
    return f"{len(wrong.splitlines())} mistakes at once, each with its place; a schema with {len(schema['properties'])} keys"


PROOFS = {"check": check, "together": together, "reload": reload, "failures": failures, "calls": calls, "changes": changes, "foreign": foreign}


def many(lines, options):
    for name in options.only:
        lines.prove(f"many streams, {name}", PROOFS[name], options)


if __name__ == "__main__":
    prove_and_end(many, "server", "clip", streams=6, seconds=20.0, reloads=10, seed=1, only=PROOFS)
