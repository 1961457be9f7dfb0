"""Lets `cuelight watch` follow a live server through a network that loses segments and stands still, and prints a line for each fact.

    python3 -m proofs.live.watch --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES [--brief] [--seed 1]

With --brief segments are shorter, and so is the standstill, and how soon things are said is not judged: the machine may have much else to do.
"""

import json
import random
import signal
import subprocess
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from proofs.facts import prove_and_end
from proofs.live.server import Server, new_guid
from proofs.processes import in_background, wait_until
from proofs.stream import Stream

# Seconds: of a segment, for which an event may be away, and how many segments pass before and behind what goes wrong.
USUAL = (2, 15, 4)
BRIEF = (1, 8, 2)
# How long what must come is waited for, in seconds.
MOST_WAIT = 60
# An event comes in time with a copy that is not as old as this, in seconds.
YOUNG = 0.5


class Network:
    """Hands on what the server has. It loses the segments with young copies of some events, and while it stands still it has an old playlist."""

    def __init__(self, port):
        self.lost, self.stands, self.playlists, self.cache = set(), False, {}, {}
        self.findings = []
        network = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, status, body=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if network.stands and self.path in network.playlists:
                    return self.reply(200, network.playlists[self.path])
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{self.path}", timeout=10) as answer:
                        body = answer.read()
                except urllib.error.HTTPError as error:
                    return self.reply(error.code)
                if self.path.endswith(".m3u8"):
                    network.playlists[self.path] = body
                elif network.is_lost(self.path, body):
                    return self.reply(404)
                self.reply(200, body)

            def do_POST(self):
                network.findings.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.reply(204)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        in_background(self.server.serve_forever)

    def is_lost(self, path, body):
        """Whether a segment has young copies of an event that is lost: its segment, and the next one where the event comes shortly before that."""
        if path not in self.cache:
            self.cache[path] = {tag.guid for tag in Stream(body).tags if float(tag.event["age"]) < YOUNG}
        return not self.cache[path].isdisjoint(self.lost)


def run(lines, options):
    segment, patience, around = BRIEF if options.brief else USUAL
    folder = options.folder
    chance = random.Random(options.seed)
    metrics = folder / "watch.prom"
    posted = {"good": [], "gone": [], "late": [], "still": []}
    with Server(options.server, options.clip, "--loop", "--game", "watched", "--segment-duration", segment, log=folder / "server.log") as server:
        wait_until(lambda: server.get("/live/live/index.m3u8")[0] == 200, 20, "a playlist")
        network = Network(server.port)
        watch = subprocess.Popen(
            [options.cuelight, "watch", f"{network.url}/live/live/index.m3u8", "--injector", f"http://127.0.0.1:{server.port}", "--json", "--patience",
             str(patience), "--metrics", metrics, "--webhook", f"{network.url}/findings"], stdout=subprocess.PIPE,
            stderr=open(folder / "watch.log", "wb"), text=True)
        said = []

        def listen():
            for line in watch.stdout:
                said.append((time.monotonic(), json.loads(line)))

        listener = in_background(listen)

        def post(kind, custom):
            guid = new_guid(chance)
            # Nothing refreshes an event of one's own; a question is refreshed as long as it is asked.
            event = {"event": "poll", "guid": guid} if custom else {
                "event": "askQuestion", "guid": guid, "question": f"Which {guid[:4]}?", "answers": ["A", "B"], "correct": "A", "allottedTime": 20}
            if kind in ("gone", "late"):
                network.lost.add(guid)
            status, answer = server.post(event, "?wait=placed")
            assert status == 202, answer
            posted[kind].append(guid)
            return guid, time.monotonic()

        def finding(kind, guid):
            return next(((moment, object) for moment, object in said if object["type"] == kind and object.get("guid") == guid), None)

        def in_time():
            return f'cuelight_watch_events_total{{outcome="in_time"}} {len(posted["good"])}\n'

        def post_good():
            for _ in range(around - 1):
                post("good", True)
                time.sleep(segment)

        try:
            # What happens before it reads the stream is not its business.
            wait_until(lambda: network.cache, MOST_WAIT, "watch loads a segment")
            time.sleep(around * segment)
            post_good()

            def missing():
                guid, moment = post("gone", True)
                told, object = wait_until(lambda: finding("missing", guid), MOST_WAIT, "the event is said to be missing")
                assert object["event"] == "poll", object
                # Its segment, the one behind it, and the loads that are tried again.
                assert options.brief or told - moment < 5 * segment, f"said after {told - moment:.1f} s"
                return f"said {told - moment:.1f} s after it was put in, with segments of {segment} s"

            def late():
                guid, moment = post("late", False)
                told, object = wait_until(lambda: finding("late", guid), MOST_WAIT, "the event is said to be late")
                assert object["cause"] == "copies" and 0.3 < object["by"] < 2 * segment + 1, object
                return f"said {told - moment:.1f} s after it was put in: {object['by']} s late"

            def still():
                network.stands = True
                guid, moment = post("still", True)
                told, _ = wait_until(lambda: finding("missing", guid), MOST_WAIT, "the event is said to be missing")
                network.stands = False
                assert options.brief or patience - 1 < told - moment < patience + 4, f"said after {told - moment:.1f} s"
                return f"said {told - moment:.1f} s after it was put in, with a patience of {patience} s"

            lines.prove_all("watch", [
                ("an event in a segment that is lost", missing), ("a question in a segment that is lost", late),
                ("a network that stands still", still)])
            time.sleep(segment)
            post_good()
            wait_until(lambda: in_time() in metrics.read_text(), MOST_WAIT, "the last event is seen")
            watch.send_signal(signal.SIGINT)
            status = watch.wait(20)
            # What it has said last is read, too.
            listener.join(20)
        finally:
            watch.kill()

    def nothing_else():
        wrong = {object["guid"] for _, object in said if object["type"] in ("missing", "late", "unlisted")}
        expected = set(posted["gone"] + posted["late"] + posted["still"])
        assert wrong == expected, f"said of others: {wrong - expected}"
        summary = said[-1][1]
        assert summary["type"] == "summary" and summary["inTime"] == len(posted["good"]) and status == 1, (summary, status)
        return f"{json.dumps(summary)}, exit status {status}"

    def told():
        findings = [object for _, object in said if object["type"] != "summary"]
        assert network.findings == findings, f"{len(network.findings)} of {len(findings)} were posted"
        text = metrics.read_text()
        assert in_time() in text, text
        return f"{len(findings)} findings came to the webhook, and the metrics agree"

    lines.prove_all("watch", [("nothing else is said", nothing_else), ("webhook and metrics", told)])


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "clip", brief=False, seed=1)
