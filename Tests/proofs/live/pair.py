"""Two nodes with one input, and a proxy in front of both: one of them is killed again and again, or loses its input, and nothing is lost, doubled or
stopped.

    python3 -m proofs.live.pair --server PROGRAM --cuelight PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--rounds 8] [--inputs 1] [--seed 1] [--library FOLDER] [--split] [--segment-type fmp4]

HAProxy sends every request to either node in turn. Events are posted through it all the time, again with the same GUID where there is no answer, as
`cuelight post` does. Behind the kills the node that leads loses its input so many times, and gets it back. With --split the node that leads sleeps at last until the other one leads, too. FFmpeg plays the presentation through it from the beginning to the end; with the library of scripts/check-players, so does hls.js.
With fragmented MP4 the node that takes over misses no frame of audio either, and repeats none.
With that library, as in scripts/prove-live, takeovers and ends must be quick; without it the machine may have much else to do.
"""

import http.client
import json
import random
import signal
import socket
import subprocess
import time

from proofs.client import JSON, call
from proofs.facts import as_path, prove_and_end
from proofs.live.players import WebPlayer
from proofs.live.playlists import Playlist
from proofs.live.server import Poster, Publisher, Server, new_guid, udp
from proofs.processes import HAProxy, finished, free_port, in_background, wait_until
from proofs.stream import Stream
from proofs.transport import signed

SEGMENT = 1
# The most seconds until another node leads after a kill, and after its input is away, and until a node has ended: on a machine that has much else
# to do, and otherwise.
BUSY, QUIET = (20, 20, 20), (3, 5, 2.5)
MULTIVARIANT, MEDIA = "/live/live/index.m3u8", "/live/live/media.m3u8"


class Tee:
    """Passes each datagram of one port on to several."""

    def __init__(self, port, targets):
        self.targets, self.cut = targets, set()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(0.1)
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while self.is_running:
                try:
                    data = self.socket.recv(65536)
                except TimeoutError:
                    continue
                for target in self.targets:
                    if target in self.cut:
                        continue
                    try:
                        sender.sendto(data, ("127.0.0.1", target))
                    except OSError:
                        pass

    def end(self):
        self.is_running = False
        self.thread.join()
        self.socket.close()


class Proxy(HAProxy):
    """HAProxy in front of both nodes."""

    def __init__(self, ports, folder):
        self.port = free_port()
        nodes = "\n".join(f"  server node{number} 127.0.0.1:{port} check inter 200ms fall 2 rise 1" for number, port in enumerate(ports))
        super().__init__(folder / "haproxy.cfg", f"""defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 5s
  timeout queue 5s
  timeout check 2s
frontend players
  bind 127.0.0.1:{self.port}
  default_backend pair
backend pair
  balance roundrobin
  option httpchk GET /ready
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response response-timeout
  http-request disable-l7-retry if METH_POST
{nodes}
""")

class Node:
    """One of the two processes, which is started again when it has ended."""

    def __init__(self, options, number, port, other, source, folder, segment_type="ts", arguments=()):
        self.options, self.number, self.port, self.other, self.source, self.folder = options, number, port, other, source, folder
        self.segment_type, self.arguments = segment_type, arguments
        self.log = folder / f"node{number}.log"
        self.game = "pair"
        self.server = None

    def start(self):
        self.server = Server(
            self.options.server, f"udp://127.0.0.1:{self.source}", "--pair", f"http://127.0.0.1:{self.other}", "--journal", self.folder / f"journal{self.number}",
            "--game", self.game, "--segment-duration", SEGMENT, "--window", 20, "--segment-type", self.segment_type, *self.arguments, port=self.port, log=self.log, wait=False)

    def is_alive(self):
        return self.server is not None and self.server.process.poll() is None

    def metric(self, name):
        try:
            return self.server.metric(name)
        except (OSError, StopIteration, http.client.HTTPException):
            return -1

    def is_ready(self):
        try:
            return self.is_alive() and self.server.is_ready()
        except (OSError, http.client.HTTPException):
            return False

    def leads(self):
        return self.is_alive() and self.metric("pair_leads") == 1

    def is_connected(self):
        return self.is_alive() and self.metric("pair_connected") == 1


class PairPoster(Poster):
    """Posts through the proxy; each event again until there is an answer."""

    def __init__(self, proxy, seed):
        self.proxy = proxy
        self.refused, self.again, self.delays = [], 0, []
        super().__init__(seed)

    def post(self):
        guid, event = self.next()
        body = json.dumps(event)
        started = time.monotonic()
        while self.is_running:
            try:
                status, _, answer = call(self.proxy.port, "POST", "/v1/streams/live/events", body, JSON, timeout=6)
            except (OSError, http.client.HTTPException):
                status, answer = None, b""
            if status in (200, 202):
                self.delays.append(time.monotonic() - started)
                self.accepted[guid] = json.loads(answer)["sequence"]
                break
            if status not in (None, 502, 503, 504):
                self.refused.append((status, answer))
                break
            self.again += 1
            time.sleep(0.1)
        # About eight events a second: of more, the second and third copies do not fit into the 512 bytes of tags before an access unit.
        time.sleep(self.random.uniform(0.05, 0.2))


class Viewer:
    """Reloads the playlist through the proxy, and keeps every segment."""

    def __init__(self, proxy):
        self.proxy = proxy
        self.known, self.bytes, self.initializations, self.problems = {}, {}, {}, []
        self.reloads = self.backwards = 0
        self.latest = self.stalled = 0
        self.last_change = time.monotonic()
        self.is_running = True
        self.thread = in_background(self.run)

    def say(self, text):
        if text not in self.problems:
            self.problems.append(text)

    def run(self):
        while self.is_running:
            try:
                self.reload()
            except (OSError, http.client.HTTPException):
                # The connection was that of a node that is killed.
                pass
            except Exception as error:
                self.say(f"{type(error).__name__}: {error}")
            time.sleep(0.1)

    def reload(self):
        status, _, body = call(self.proxy.port, "GET", MEDIA, timeout=5)
        if status != 200:
            # Before the first segment, or while HAProxy has not noticed.
            return
        playlist = Playlist(body.decode())
        self.reloads += 1
        latest = playlist.sequence + len(playlist.segments)
        if self.latest and latest < self.latest:
            self.backwards += 1
            assert latest >= self.latest - 1, f"the playlist goes back from segment {self.latest - 1} to {latest - 1}"
        if latest > self.latest:
            if self.latest:
                self.stalled = max(self.stalled, time.monotonic() - self.last_change)
                assert playlist.sequence <= self.latest, "segments were skipped"
            self.latest, self.last_change = latest, time.monotonic()
        playlist.check_dates()
        self.look(playlist)
        for segment in playlist.segments:
            known = self.known.setdefault(segment.number, (segment.key, segment.discontinuities))
            assert known == (segment.key, segment.discontinuities), f"segment {segment.number} changes from {known} to {segment.key}"
            if segment.initialization and segment.initialization not in self.initializations:
                status, _, data = call(self.proxy.port, "GET", f"/live/live/{segment.initialization}", timeout=5)
                if status == 200:
                    self.initializations[segment.initialization] = data
            if segment.is_gap or segment.number in self.bytes:
                continue
            status, _, data = call(self.proxy.port, "GET", f"/live/live/{segment.uri}", timeout=5)
            assert status in (200, 502, 503), f"{segment.uri} is listed, and its status is {status}"
            if status == 200:
                self.bytes[segment.number] = data

    def look(self, playlist):
        """What else a viewer looks at."""

    def end(self):
        self.is_running = False
        self.thread.join()


class Player:
    """FFmpeg that plays the presentation, and writes what it plays."""

    def __init__(self, proxy, folder):
        self.path, self.log = folder / "played.ts", folder / "player.log"
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "warning", "-y", "-i", f"http://127.0.0.1:{proxy.port}{MULTIVARIANT}", "-map", "0:v", "-map", "0:a", "-c", "copy", "-copyts", "-f", "mpegts", str(self.path)],
            stdout=subprocess.DEVNULL, stderr=open(self.log, "wb"))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# How the playlists differed when they were compared last.
difference = []


def compare(nodes):
    """Proves that both nodes serve the same bytes; returns the number of segments, and None where the playlist was changing, or is not the same yet.

    The node that follows lists a segment somewhat before the one that leads.
    """
    def load(node, name):
        status, _, body = node.server.get(f"/live/live/{name}")
        return body if status == 200 else None

    def playlists(node):
        return [load(node, name) for name in ("media.m3u8", "index.m3u8", "media.m3u8?_HLS_skip=v2")]

    first, second, third = playlists(nodes[0]), playlists(nodes[1]), playlists(nodes[0])
    if None in first or first != third:
        return None
    difference[:] = [f"{one.decode()}\n{other and other.decode()}" for one, other in zip(first, second) if one != other]
    if difference:
        return None
    segments = [segment.uri for segment in Playlist(first[0].decode()).segments if not segment.is_gap]
    for uri in segments[2:]:
        one, other = load(nodes[0], uri), load(nodes[1], uri)
        assert one and one == other, f"{uri} differs: {one and len(one)} and {other and len(other)} bytes"
    return len(segments)


def compare_at_rest(nodes):
    """The same, as soon as both have one playlist that rests for a moment."""
    difference.clear()
    try:
        return wait_until(lambda: compare(nodes), 60, "a playlist that rests for a moment, the same on both nodes")
    except AssertionError as error:
        raise AssertionError("\n".join([str(error), *difference])) from None


def unbroken(video):
    """Proves that no frame is missing; returns their number. Where the clip begins anew, a frame may be some more milliseconds away."""
    steps = [signed(right.dts - left.dts) / 90 for left, right in zip(video, video[1:])]
    rounds = len(steps) // (25 * 50) + 1
    torn = [(index, step) for index, step in enumerate(steps) if abs(step - 40) > 1]
    assert len(torn) <= rounds and all(0 < step < 120 for _, step in torn), f"{len(torn)} of {len(steps)} frames are not 40 ms behind the one before: {torn[:5]}"
    return len(steps) + 1


def unbroken_audio(path):
    """Proves that no frame of audio is missing or repeated; returns their number. Where the clip begins anew, some milliseconds may be missing."""
    out = finished("ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=dts", "-of", "csv=p=0", path)
    times = [int(line.strip(",")) for line in out.stdout.split()]
    # A frame lasts 1,024 samples of 48,000 a second.
    torn = [(index, step) for index, step in enumerate(signed(right - left) for left, right in zip(times, times[1:])) if abs(step - 1_920) > 90]
    assert len(torn) <= len(times) // (47 * 50) + 1 and all(0 < step < 10_800 for _, step in torn), f"{len(torn)} of {len(times)} frames of audio: {torn[:5]}"
    return len(times)


def pair(lines, options):
    folder = options.folder
    chance = random.Random(options.seed)
    source = free_port(socket.SOCK_DGRAM)
    inputs = [free_port(socket.SOCK_DGRAM) for _ in range(2)]
    ports = [free_port() for _ in range(2)]
    nodes = [Node(options, number, ports[number], ports[1 - number], inputs[number], folder, options.segment_type) for number in range(2)]
    proxy, tee = Proxy(ports, folder), Tee(source, inputs)
    kills, compared, takeovers = {"leads": 0, "follows": 0}, 0, []
    poster = viewer = player = web = None
    try:
        with Publisher(options.clip, udp(source)):
            for node in nodes:
                node.start()
            wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 20, "both nodes are ready")
            assert sum(node.leads() for node in nodes) == 1, "one of both leads"
            viewer = Viewer(proxy)
            wait_until(lambda: viewer.latest > 3, 30, "segments come")
            status, _, answer = call(proxy.port, "POST", "/v1/streams/live/events?wait=placed", {"event": "startGame", "title": "Pair"})
            assert status == 202, answer
            poster, player = PairPoster(proxy, options.seed), Player(proxy, folder)
            if options.library:
                web = WebPlayer("hls.js", options.library, f"http://127.0.0.1:{proxy.port}{MULTIVARIANT}", 3 * options.rounds + 6 * options.inputs)
            for round_number in range(options.rounds):
                wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready again")
                # Who was just started has to see the beginning of a segment.
                time.sleep(chance.uniform(1.2, 3) * SEGMENT)
                same = compare_at_rest(nodes)
                compared += same
                victim = nodes[chance.randrange(2)]
                other = nodes[1 - victim.number]
                led = victim.leads()
                kills["leads" if led else "follows"] += 1
                started = time.monotonic()
                victim.server.kill()
                if led:
                    wait_until(other.leads, 60, "the other node leads")
                    takeovers.append(time.monotonic() - started)
                time.sleep(chance.uniform(0.1, 2))
                victim.start()
            blind = [lose_input(nodes, tee, chance) for _ in range(options.inputs)]
            compared += sum(same for *_, same in blind)
            wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready again")
            split = both_lead(nodes, options) if options.split else None
            time.sleep(3 * SEGMENT)
            poster.end()
            leader = leading(nodes)
            if web:
                web.thread.join()
            # Everything that was accepted is in a segment that the viewer has.
            wait_until(lambda: all(event["state"] in ("placed", "published") for event in leader.server.events().values()), 10, "all events are in the stream")
            time.sleep(2 * SEGMENT)
            events, sheet = leader.server.events(), leader.server.sheet()
            # The one that leads hands over, and the last one ends the stream.
            follower = nodes[1 - leader.number]
            seconds, first_status = leader.server.stop()
            wait_until(follower.leads, 30, "the node that followed leads")
            time.sleep(3 * SEGMENT)
            last_seconds, last_status = follower.server.stop()
            ends = (seconds, first_status, last_seconds, last_status)
            time.sleep(0.5)
            player.end()
            viewer.end()
    finally:
        for node in nodes:
            if node.is_alive():
                node.server.kill()
        if player and player.process.poll() is None:
            player.end()
        proxy.end()
        tee.end()
    check(lines, options, kills, compared, takeovers, blind, poster, viewer, player, web, events, sheet, ends, split)


def leading(nodes):
    """The node that leads. A node that answers late does not look like one, so this asks again."""
    return wait_until(lambda: next((node for node in nodes if node.leads()), None), 30, "one of both leads")


def lose_input(nodes, tee, chance):
    """Takes the input of the node that leads away until it follows the other one; returns the seconds until that leads, and until both are ready, and the
    number of segments that were the same on both then."""
    wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready again")
    time.sleep(chance.uniform(1.2, 3) * SEGMENT)
    old = leading(nodes)
    new, process = nodes[1 - old.number], old.server.process
    started = time.monotonic()
    tee.cut = {old.source}
    try:
        wait_until(new.leads, 60, "the node that has its input leads")
        seconds = time.monotonic() - started
        wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 60, "the node without an input follows")
        ready = time.monotonic() - started
        assert old.server.process is process and process.poll() is None and not old.leads(), "the node without an input leads"
        time.sleep(2 * SEGMENT)
        same = compare_at_rest(nodes)
    finally:
        tee.cut = set()
    return seconds, ready, same


def both_lead(nodes, options):
    """Lets the node that leads sleep until the other one does, too, and wakes it; returns what became of it."""
    # Who was just started has to see the beginning of a segment.
    time.sleep(3 * SEGMENT)
    old = leading(nodes)
    new = nodes[1 - old.number]
    started = time.monotonic()
    old.server.process.send_signal(signal.SIGSTOP)
    try:
        wait_until(new.leads, 15, "the other node leads")
        seconds = time.monotonic() - started
        time.sleep(2)
    finally:
        old.server.process.send_signal(signal.SIGCONT)
    woken = time.monotonic()
    status = old.server.process.wait(timeout=10)
    ended = time.monotonic() - woken
    old.start()
    wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready again")
    assert new.leads() and not old.leads(), "the node that has slept follows"
    compare_at_rest(nodes)
    return seconds, ended, status


def check(lines, options, kills, compared, takeovers, blind, poster, viewer, player, web, events, sheet, ends, split):
    numbers = sorted(viewer.bytes)
    data = b"".join(viewer.bytes[number] for number in numbers)
    is_fragmented = options.segment_type == "fmp4"
    stream = None if is_fragmented else Stream(data)
    most_takeover, most_blind, most_end = QUIET if options.library else BUSY

    def equal():
        assert compared > 0
        return f"{compared} times a segment was the same on both nodes, byte for byte, and all playlists with them"

    def acknowledged():
        assert poster.accepted and not poster.refused, f"refused: {poster.refused[:3]}"
        missing = [guid for guid in poster.accepted if guid not in stream.guids]
        kinds = [(poster.accepted[guid], events.get(guid, {}).get("state"), events.get(guid, {}).get("segments")) for guid in missing]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} accepted events are in no segment: {kinds[:5]}"
        strange = [guid for guid in stream.guids if guid not in events]
        assert not strange, f"{len(strange)} events are in the stream and not in the list"
        delays = sorted(poster.delays)
        return (f"all {len(poster.accepted)} accepted events are in the stream; {poster.again} requests were sent again; an answer took {delays[len(delays) // 2] * 1000:.0f} ms, "
                f"{delays[int(len(delays) * 0.99)] * 1000:.0f} ms for 99 %, {delays[-1]:.2f} s at most")

    def once():
        places = {}
        for guid, tags in stream.guids.items():
            firsts = [tag for tag in tags if int(tag.event["copy"]) == 1]
            assert len(firsts) == 1, f"{guid} begins {len(firsts)} times"
            ats = {tag.event["at"] for tag in tags}
            assert len(ats) == 1, f"{guid} has the times {ats}"
            place = int(tags[0].event["sequence"])
            assert places.setdefault(place, guid) == guid, f"the place {place} is that of two events"
        assert sorted(places) == list(range(1, max(places) + 1)), "places are missing"
        wrong = [(guid, place) for guid, place in poster.accepted.items() if place is not None and places[place] != guid]
        assert not wrong, f"{len(wrong)} events have another place than was promised"
        return f"each of {len(places)} events begins once, at one time, with the place that was promised"

    def verified():
        path, cues = options.folder / ("viewed.mp4" if is_fragmented else "viewed.ts"), options.folder / "sheet.json"
        path.write_bytes((next(iter(viewer.initializations.values())) if is_fragmented else b"") + data)
        cues.write_text(json.dumps(sheet))
        missing = [guid for guid in poster.accepted if guid not in events]
        assert not missing, f"{len(missing)} accepted events are not in the list"
        out = finished(options.cuelight, "verify", path, "--cues", cues, "--copies", 1 if is_fragmented else 3)
        return f"cuelight verify: {out.stdout.splitlines()[0].partition(': ')[2]}"

    def playlist():
        assert not viewer.problems, "; ".join(viewer.problems[:5])
        missing = [number for number in range(numbers[0], numbers[-1] + 1) if number not in viewer.bytes]
        gaps = [number for number, ((*_, is_gap), _) in viewer.known.items() if is_gap]
        assert not missing and not gaps, f"missing: {missing}, gaps: {gaps}"
        cuts = sum(key[3] for key, _ in viewer.known.values())
        assert cuts <= 1, f"{cuts} discontinuities"
        return f"segments {numbers[0]} to {numbers[-1]}, {cuts} discontinuities, no gap; {viewer.stalled:.2f} s between two segments at most; {viewer.backwards} of {viewer.reloads} reloads were one segment older"

    def frames():
        count = unbroken(stream.video)
        return f"{count} frames, each 40 ms behind the one before, over all {kills['leads'] + len(blind)} takeovers"

    def played():
        assert player.process.returncode in (0, 255), f"the player has ended with status {player.process.returncode}"
        video = Stream((lambda whole: whole[:len(whole) // 188 * 188])(player.path.read_bytes())).video
        count = unbroken(video)
        if is_fragmented:
            return f"FFmpeg plays {count / 25:.0f} s without a break, with {unbroken_audio(player.path)} frames of audio one after the other"
        # Some segments from the end FFmpeg begins, and goes on to the end.
        behind = signed(stream.video[-1].dts - video[-1].dts) / 90_000
        assert behind < 4 * SEGMENT, f"the player ends {behind:.1f} s before the stream"
        return f"FFmpeg plays {count / 25:.0f} s without a break"

    def browser():
        report = web.end()
        fatal = [error for error in report["errors"] if ", fatal" in error]
        assert not fatal, fatal[:3]
        seen = report["events"]
        assert len(seen) == len(set(seen)), "the page has acted twice on an event"
        order = list(stream.guids)
        first, last = order.index(seen[0]), order.index(seen[-1])
        missing = [guid for guid in order[first:last + 1] if guid not in seen]
        assert not missing, f"the page misses {len(missing)} of {last + 1 - first} events"
        return f"hls.js plays {report['played']:.0f} s; its page acts once on each of {len(seen)} events; {len(report['errors'])} errors, none of them fatal"

    def took():
        assert not takeovers or max(takeovers) < most_takeover, f"{max(takeovers):.2f} s"
        return f"the other node leads after {sorted(takeovers)[len(takeovers) // 2]:.2f} s, {max(takeovers):.2f} s at most" if takeovers else "no takeover"

    def without_input():
        leading, following = max(seconds for seconds, *_ in blind), max(ready for _, ready, _ in blind)
        # A quiet machine takes 1.3 s.
        assert leading < most_blind, blind
        return f"the node that led lost its input {len(blind)} times: the other one led {leading:.2f} s later at most, and that followed {following:.2f} s later"

    def ended():
        assert ends[0] < most_end and ends[2] < most_end and ends[1] in (0, 130) and ends[3] in (0, 130), f"{ends}"
        return f"SIGTERM hands over in {ends[0]:.2f} s, and ends the stream in {ends[2]:.2f} s"

    def slept():
        seconds, ended, status = split
        assert status == 74, f"it ends with status {status}"
        return f"where it sleeps, the other one leads after {seconds:.2f} s; awake, it finds that and ends after {ended:.2f} s with status 74, and follows when it is started again"

    total = f"{kills['leads']} kills of the node that leads, {kills['follows']} of the other one, {len(blind)} inputs away"
    of_stream = [] if is_fragmented else [("nothing lost", acknowledged), ("once each", once), ("frames", frames)]
    for name, body in [
            ("takeover", took), ("equal", equal), *of_stream, ("verify", verified), ("playlist", playlist), ("player", played), ("end", ended)] + ([("browser", browser)] if web else []) + ([("both lead", slept)] if split else []) + ([("input away", without_input)] if blind else []):
        lines.prove(f"{total}, {name}", body)


def begin_without(lines, options):
    """A node that leads alone and has no input lets the one lead that comes and has it, with what it has accepted; where nothing comes to either, nothing
    changes."""
    folder = options.folder / "without"
    folder.mkdir(parents=True)
    source, inputs, ports = free_port(socket.SOCK_DGRAM), [free_port(socket.SOCK_DGRAM) for _ in range(2)], [free_port() for _ in range(2)]
    nodes = [Node(options, number, ports[number], ports[1 - number], inputs[number], folder, options.segment_type) for number in range(2)]
    tee = Tee(source, inputs)
    tee.cut = {inputs[0]}
    guid = new_guid(random.Random(options.seed))
    try:
        with Publisher(options.clip, udp(source)):
            nodes[0].start()
            wait_until(nodes[0].leads, 60, "it leads alone")
            status, answer = nodes[0].server.post({"event": "startGame", "title": "Without", "guid": guid})
            assert status == 202, (status, answer)
            nodes[1].start()
            started = time.monotonic()
            wait_until(nodes[1].leads, 60, "the node that has its input leads")
            seconds = time.monotonic() - started
            wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 60, "both nodes are ready")
            tee.cut = set()
            wait_until(lambda: nodes[1].server.events()[guid]["state"] == "published", 60, "the event is in the stream")
            compare_at_rest(nodes)
            # Both are without it for longer than either would wait.
            tee.cut = set(inputs)
            end = time.monotonic() + 4
            while time.monotonic() < end:
                assert nodes[1].leads() and not nodes[0].leads(), "another node leads, and nothing comes there either"
                time.sleep(0.1)
    finally:
        for node in nodes:
            if node.is_alive():
                node.server.kill()
        tee.end()
    lines.prove("a node without input", lambda: f"it leads alone, and no longer than {seconds:.2f} s from the start of the other one on; what it had accepted is in the stream; nothing changes where both inputs are away")


def wrong_partners(lines, options):
    """A node whose partner is itself, or has another game, says so once, and not every second."""
    folder = options.folder / "partners"
    folder.mkdir(parents=True)
    ports = [free_port() for _ in range(3)]
    alone = Node(options, 0, ports[0], ports[0], free_port(socket.SOCK_DGRAM), folder, options.segment_type)
    others = [Node(options, number, ports[number], ports[3 - number], free_port(socket.SOCK_DGRAM), folder, options.segment_type) for number in (1, 2)]
    others[1].game = "other"
    nodes = [alone, *others]
    reasons = ["it is this node itself", 'its stream is "live", and its game "other"', 'its stream is "live", and its game "pair"']

    def refusals(node):
        return [line for line in node.log.read_text().splitlines() if "the other node refuses" in line]

    def proof():
        wait_until(lambda: all(refusals(node) for node in nodes), 20, "each node says what is wrong")
        # It asks once a second.
        time.sleep(3)
        for node, reason in zip(nodes, reasons):
            assert len(refusals(node)) == 1 and reason in refusals(node)[0], refusals(node)
        return "it is said, once"

    try:
        for node in nodes:
            node.start()
        lines.prove("a node that is its own partner, and two of other games", proof)
    finally:
        for node in nodes:
            if node.is_alive():
                node.server.kill()


def run(lines, options):
    pair(lines, options)
    if options.segment_type == "ts":
        begin_without(lines, options)
        wrong_partners(lines, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", rounds=8, inputs=1, library=as_path, split=False, seed=1, segment_type="ts")
