"""Two nodes whose input has ad breaks (SCTE-35), and a proxy in front of both: the node that leads is killed in and between breaks, and the playlists keep one
date range for each event and each break, with the same dates; what waits for the end of a break goes once.

    python3 -m proofs.live.takeovers --server PROGRAM --folder FOR_ITS_FILES [--library FOLDER] [--seed 1]

With the library of scripts/check-players, hls.js watches, and its page shows each range once.
"""

import http.client
import json
import socket
import time

from proofs.client import JSON, call
from proofs.facts import as_path, prove_and_end
from proofs.live.breaks import BREAKS, FIRST, ask, stream
from proofs.live.dates import Sender
from proofs.live.pair import MULTIVARIANT, Node, PairPoster, Proxy, Tee, Viewer, compare_at_rest, leading
from proofs.live.players import WebPlayer
from proofs.live.ranges import ATTRIBUTE, NAME, seconds
from proofs.processes import free_port, wait_until
from proofs.transport import signed

SECONDS, AFTER = 60, 10
# When the node that leads is killed, in seconds of the stream: in a break and behind it, and before one that was announced.
KILLS = [14, 24.5, 38]
# Attributes that a break gets when it is over.
ADDED = {"DURATION", "SCTE35-IN", "END-DATE"}


class RangeViewer(Viewer):
    """A viewer who knows each date range as it was at first, and the date of each segment."""

    def __init__(self, proxy):
        self.ranges, self.at_once = {}, 0
        super().__init__(proxy)

    def look(self, playlist):
        listed = [dict(ATTRIBUTE.findall(line.partition(":")[2])) for line in playlist.text.splitlines() if line.startswith("#EXT-X-DATERANGE:")]
        self.at_once = max(self.at_once, len(listed))
        ids = [attributes["ID"].strip('"') for attributes in listed]
        if len(ids) != len(set(ids)):
            self.say(f"an ID twice: {sorted(name for name in ids if ids.count(name) > 1)[:3]}")
        for name, attributes in zip(ids, listed):
            known = self.ranges.setdefault(name, attributes)
            changed = {key for key in known.keys() | attributes.keys() if known.get(key) != attributes.get(key)}
            if changed and ("SCTE35-OUT" not in known or not changed <= ADDED or any(key in known and key in attributes for key in changed)):
                self.say(f"{name} changes from {known} to {attributes}")
            # A node that lists one segment less may not know of the end yet.
            known.update({key: value for key, value in attributes.items() if key in ADDED})

    @property
    def breaks(self):
        return {name: attributes for name, attributes in self.ranges.items() if "SCTE35-OUT" in attributes}


def post(proxy, event):
    """The answer to an event, which is sent until there is one."""
    guid, end = event["guid"], time.monotonic() + 30
    while time.monotonic() < end:
        try:
            status, _, answer = call(proxy.port, "POST", "/v1/streams/live/events", json.dumps(event), JSON, timeout=6)
        except (OSError, http.client.HTTPException):
            status, answer = None, b""
        if status in (200, 202):
            return json.loads(answer)
        assert status in (None, 502, 503, 504), (status, answer)
        time.sleep(0.1)
    raise AssertionError(f"no answer to {guid}")


def run(lines, options):
    folder = options.folder
    source, sections = stream(folder)
    port, inputs, ports = free_port(socket.SOCK_DGRAM), [free_port(socket.SOCK_DGRAM) for _ in range(2)], [free_port() for _ in range(2)]
    arguments = ["--daterange", "--breaks", "hold"]
    nodes = [Node(options, number, ports[number], ports[1 - number], inputs[number], folder, arguments=arguments) for number in range(2)]
    proxy, tee = Proxy(ports, folder), Tee(port, inputs)
    held, killed = [], []
    web = viewer = poster = None
    try:
        for node in nodes:
            node.start()
        sender = Sender(source, port, 0)
        wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready")
        viewer, poster = RangeViewer(proxy), PairPoster(proxy, options.seed)
        address = f"http://127.0.0.1:{proxy.port}{MULTIVARIANT}"
        if options.library:
            web = WebPlayer("hls.js", options.library, address, SECONDS - (time.monotonic() - sender.monotonic) + AFTER)
            joined = time.time() + 4
        passed = lambda: time.monotonic() - sender.monotonic
        for number, moment in enumerate(KILLS):
            time.sleep(max(0, moment - passed()))
            old = leading(nodes)
            if number == 0:
                # It waits when the node that leads is killed.
                event = ask(0) | {"guid": "5b2bbd56-52b1-4be0-9cbf-a5a4a8f26e49"}
                answer = post(proxy, event)
                assert answer["state"] == "held", answer
                held.append(answer["guid"])
            old.server.kill()
            new, started = nodes[1 - old.number], time.monotonic()
            wait_until(new.leads, 20, "the other node leads")
            killed.append(time.monotonic() - started)
            time.sleep(1)
            old.start()
            wait_until(lambda: all(node.is_ready() and node.is_connected() for node in nodes), 30, "both nodes are ready again")
        time.sleep(max(0, SECONDS - 10 - passed()))
        poster.end()
        leader = leading(nodes)
        wait_until(lambda: all(event["state"] in ("placed", "published") for event in leader.server.events().values()), 10, "all events are in the stream")
        time.sleep(2.5)
        compare_at_rest(nodes)
        events = [node.server.events() for node in nodes]
        lists = [node.server.get("/live/live/media.m3u8")[2].decode() for node in nodes]
        if web:
            web.thread.join()
        viewer.end()
        sender.end()
    finally:
        for node in nodes:
            if node.is_alive():
                node.server.kill()
        proxy.end()
        tee.end()
    leader = max(events, key=len)

    def kept():
        assert not viewer.problems, "; ".join(viewer.problems[:5])
        cuts = sum(key[3] for key, _ in viewer.known.values())
        ranges = {name: attributes for name, attributes in viewer.ranges.items() if NAME in attributes}
        missing = [guid for guid in poster.accepted if guid not in ranges]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} events have no range"
        strange = set(ranges) - set(leader)
        assert not strange, f"ranges of no event: {strange}"
        copies = [json.loads(bytes.fromhex(attributes[NAME][2:]))["guid"] for attributes in ranges.values()]
        assert len(copies) == len(set(copies)) and set(copies) == set(ranges), "two ranges of one event"
        return (f"{len(KILLS)} kills of the node that leads, the other one leads {max(killed):.2f} s later at most: {viewer.reloads} reloads, {len(ranges)} events with one range each, "
                f"none changes; {cuts} discontinuities")

    def dates():
        """The date of each range is that of its event on both nodes, and the one that the segment's date gives."""
        worst = 0
        for name, attributes in viewer.ranges.items():
            if NAME not in attributes:
                continue
            start = seconds(attributes["START-DATE"].strip('"'))
            apart = [abs(start - seconds(known[name]["wallClock"])) for known in events]
            assert max(apart) <= 0.0015, f"{name} is {apart} s off"
            true = sender.date(leader[name]["pts"])
            worst = max(worst, abs(true - start))
        assert worst < 0.1, f"a range is {worst:.3f} s from the truth"
        first, second = [[line for line in text.splitlines() if line.startswith("#EXT-X-DATERANGE")] for text in lists]
        assert set(first) & set(second) and (set(first) <= set(second) or set(second) <= set(first)), "the nodes list other ranges"
        return f"both nodes say the same dates, which are within {worst * 1000:.0f} ms of the truth"

    def breaks():
        outs = [section.hex() for section in sections if section[19] & 0x80]
        found = {name: attributes["SCTE35-OUT"][2:].lower() for name, attributes in viewer.breaks.items()}
        assert sorted(found.values()) == sorted(outs), f"{found}"
        for (start, end, has_in), section in zip(BREAKS, outs):
            attributes = next(attributes for name, attributes in viewer.breaks.items() if found[name] == section)
            true = sender.started + sender.passed(start + FIRST - sender.video[0].pts / 90_000)
            apart = seconds(attributes["START-DATE"].strip('"')) - true
            assert abs(apart) < 0.1, f"the break at {start} s is {apart:.3f} s off"
            assert abs(float(attributes["DURATION"]) - (end - start)) < 0.05, attributes
            assert ("SCTE35-IN" in attributes) == has_in, attributes
        (guid,) = held
        first = signed(sender.video[0].pts)
        place = (leader[guid]["pts"] - first) / 90_000
        assert -0.05 <= place - (BREAKS[0][1] + FIRST - first / 90_000) < 1, f"the question is at {place} s"
        return f"{len(found)} breaks have one range each, on their dates; the question that waited when its node was killed comes once, {place:.2f} s into the stream"

    def page():
        report = web.end()
        assert not [error for error in report["errors"] if ", fatal" in error], report["errors"][:3]
        ids = [found["id"] for found in report["ranges"]]
        assert len(ids) == len(set(ids)), "an event twice"
        last = max(seconds(viewer.ranges[name]["START-DATE"].strip('"')) for name in ids)
        expected = [name for name, attributes in viewer.ranges.items() if NAME in attributes and joined < seconds(attributes["START-DATE"].strip('"')) <= last]
        missing = [name for name in expected if name not in ids]
        assert not missing, f"{len(missing)} of {len(expected)} events are missing"
        return f"hls.js {report['version']} shows {len(ids)} ranges once each, over all takeovers"

    lines.prove_all("a pair with ad breaks", [("date ranges", kept), ("dates", dates), ("breaks", breaks)] + ([("hls.js", page)] if web else []))


if __name__ == "__main__":
    prove_and_end(run, "server", library=as_path, seed=1)
