"""Lets simulated pages report what they have shown, and prints a line for each fact: the reach of events is what the pages saw.

    python3 -m proofs.live.reach --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--pages 10000] [--seed 1]

The pages are 1 to 40 s behind. They are many in a few requests: a proxy says from which addresses they come.
"""

import json
import math
import random
import string
import time

import http_sf

from proofs.facts import prove_and_end
from proofs.live.server import Server, new_guid
from proofs.processes import wait_until

PATH = "/v1/streams/live/cmcd"
TOKEN = "a-token-of-the-proof-of-reach"
OWN = {"Authorization": f"Bearer {TOKEN}"}
CMCD = {"Content-Type": "application/cmcd"}
# Pages of one address, and the events.
AT_ONCE, EVENTS = 50, 3
NEAR, FAR = 1.0, 40.0
# The histogram's steps, in seconds, and how exactly a page knows when an event was placed.
STEP, EXACT = 0.25, 0.25
PLAYERS = ["hls.js 1.7.1", "Shaka 5.2.0", None]


class Page:
    def __init__(self, number, chance):
        self.number, self.behind = number, chance.uniform(NEAR, FAR)
        self.misses = {event for event in range(EVENTS) if chance.random() < 0.03}
        self.player, self.sn = chance.choice(PLAYERS), 0

    def line(self, kind, **fields):
        """A report as CMCD writes it: keys in alphabetical order."""
        fields |= {"e": kind, "sid": f'"page-{self.number}"', "sn": self.sn, "ts": round(time.time() * 1000), "v": 2, "ltc": round(self.behind * 1000)}
        if self.player:
            fields["com.cuelight-player"] = f'"{self.player}"'
        self.sn += 1
        return ",".join(f"{key}={fields[key]}" for key in sorted(fields)) + "\n"

    def shown(self, guid, placed):
        age = round((time.time() - placed - self.behind) * 1000)
        return self.line("ce", cen='"com.cuelight-shown"', **{"com.cuelight-age": age, "com.cuelight-guid": f'"{guid}"'})


def address(number):
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def send(server, pages, lines_of):
    """Posts what pages say; returns the statuses of the answers."""
    statuses = set()
    with server.client() as client:
        for first in range(0, len(pages), AT_ONCE):
            lines = [line for page in pages[first:first + AT_ONCE] for line in lines_of(page)]
            for start in range(0, len(lines), 100):
                headers = CMCD | {"X-Forwarded-For": address(first)}
                statuses.add(client.call("POST", PATH, "".join(lines[start:start + 100]).encode(), headers).status)
    return statuses


def audience_of(server):
    return json.loads(server.get("/v1/streams/live/now", OWN)[2])["audience"]


def quantile(values, share):
    return sorted(values)[math.ceil(len(values) * share) - 1]


def run(lines, options):
    chance = random.Random(options.seed)
    # Behind a proxy nobody is on this machine.
    tokens = options.folder / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"publish {TOKEN}\n")
    arguments = (options.clip, "--loop", "--segment-duration", "1", "--trusted-proxy", "127.0.0.1", "--token-file", tokens)
    with Server(options.server, *arguments, log=options.folder / "silent.log") as server:
        status = server.call("POST", PATH, Page(0, chance).line("ps").encode(), CMCD)[0]
        lines.tell(status == 410, "a stream without --reach silences players with 410", status)
    with Server(options.server, *arguments, "--reach", log=options.folder / "fields.log") as server:
        fields(lines, server, chance)
    with Server(options.server, *arguments, "--reach", log=options.folder / "server.log") as server:
        wait_until(server.is_ready, 20, "the input comes")
        strangers(lines, server, chance)
        pages = [Page(number, chance) for number in range(options.pages)]
        statuses = send(server, pages, lambda page: [page.line("ps")])
        lines.tell(statuses == {204}, f"{len(pages)} pages say that they are there", statuses)
        events = []
        for number in range(EVENTS):
            guid = new_guid(chance)
            status, answer = server.post({"guid": guid} | ({"event": "com.example.cheer"} if number else {"event": "startGame", "title": "Proof"}), "?wait=placed", OWN)
            assert status == 202 and answer["state"] in ("placed", "published"), f"{status} {answer}"
            events.append((guid, time.time()))
        # The last page sees the last event.
        time.sleep(FAR + 1)
        statuses = send(server, pages, lambda page: [page.shown(*event) for number, event in enumerate(events) if number not in page.misses])
        # What is said twice counts once, and a page that has shown nothing is there all the same.
        send(server, pages[:200], lambda page: [page.shown(*event) for number, event in enumerate(events) if number not in page.misses])
        send(server, pages, lambda page: [page.line("t")])
        lines.tell(statuses == {204}, "they report what they have shown", statuses)
        for number, (guid, _) in enumerate(events):
            status, _, body = server.get(f"/v1/streams/live/events/{guid}/reach", OWN)
            reach = json.loads(body)
            seen = [page for page in pages if number not in page.misses]
            counts = [reach[key] for key in ("sessions", "shown", "missing")]
            expected = [len(pages), len(seen), len(pages) - len(seen)]
            lines.tell(status == 200 and counts == expected, f"event {number + 1}: {reach['shown']} of {reach['sessions']} pages have shown it", expected)
            wrong = {
                key: (reach["eye"][key], quantile([page.behind for page in seen], share))
                for key, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
                if not 0 <= reach["eye"][key] - quantile([page.behind for page in seen], share) + EXACT <= STEP + 2 * EXACT
            }
            lines.tell(not wrong, f"event {number + 1}: from POST to eye {reach['eye']['p50']} / {reach['eye']['p95']} / {reach['eye']['p99']} s", wrong)
            players = {each["player"]: each["eye"]["count"] for each in reach["players"]}
            expected = {name or "unknown": sum(page.player == name for page in seen) for name in PLAYERS}
            lines.tell(players == expected, f"event {number + 1}: its players are {', '.join(sorted(players))}", expected)
            lines.tell(0 <= reach["frame"] < 1 and reach["frame"] <= reach["part"] < 5, f"event {number + 1}: in the stream after {reach['frame']} s, in a segment after {reach['part']} s")
        audience = audience_of(server)
        delay = quantile([page.behind for page in pages], 0.99)
        lines.tell(audience["sessions"] == len(pages) and delay <= audience["p99"] <= delay + STEP, f"99 of 100 viewers are at most {audience['p99']} s behind", (audience, delay))
        lines.tell(server.metric("reach_sessions") == len(pages), "metrics count the pages")
        memory = server.resources()[0]
        # Twice as many come: half of the pages are heard, and the memory stays.
        others = [Page(number, chance) for number in range(len(pages), 3 * len(pages))]
        statuses = send(server, others, lambda page: [page.line("ps")])
        audience = audience_of(server)
        if options.pages >= 10_000:
            lines.tell(audience["share"] < 1 and audience["sessions"] <= 10_000 and 410 in statuses, f"of {3 * len(pages)} pages a share of {audience['share']} is heard", (audience, statuses))
        grown = server.resources()[0] - memory
        lines.tell(grown < 64 << 20, f"they need {grown >> 20} MB more")


# Values of structured fields: integers, decimals, strings, tokens, bytes, booleans, dates, display strings, lists, and parameters of each.
VALUES = ["0", "-7", "999999999999999", "1.5", "-0.125", '"a b"', '"\\\\ \\""', '""', "p", "*a/b:c", ":aGVsbG8=:", "::", "?0", "?1", "@1764385200", '%"a %c3%bc"',
          "(2000;v 128;a)", "()", '("x" y 1.5);q', "1;a;b=2", "p;q=?0", '"s";t="u"']


def fields(lines, server, chance):
    """What is a dictionary of structured fields, and what is none: as http-sf says, which others wrote."""
    texts, wrong = [], 0
    while len(texts) < 3_000:
        member = f"com.example-x={chance.choice(VALUES)}"
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(member))
            other = chance.choice(string.ascii_letters + string.digits + string.punctuation + " ")
            member = chance.choice((member[:place] + member[place + 1:], member[:place] + other + member[place:], member[:place] + other + member[place + 1:]))
        text = f'{member},e=t,sid="fields",ts=1764385200000,v=2'
        try:
            found = http_sf.parse(text.encode(), tltype="dictionary")
        except Exception:
            found = None
        # A report needs more than a dictionary.
        if found is None or all(str(found[key][0]) == value for key, value in (("e", "t"), ("sid", "fields"), ("ts", "1764385200000"))):
            texts.append((text, found is None))
    taken = []
    for start in range(0, len(texts), 100):
        before, some = server.metric("reach_wrong_reports_total"), texts[start:start + 100]
        assert server.call("POST", PATH, "".join(text + "\n" for text, _ in some).encode(), CMCD)[0] == 204
        taken.append((server.metric("reach_wrong_reports_total") - before, sum(is_wrong for _, is_wrong in some), start))
        wrong += taken[-1][1]
    differing = [start for found, wanted, start in taken if found != wanted]
    lines.tell(not differing and wrong > 500, f"of {len(texts)} lines {wrong} are no dictionaries of structured fields, as http-sf says", differing)


def strangers(lines, server, chance):
    """What strangers send is refused, or counts for nothing."""
    status, headers, _ = server.call("OPTIONS", PATH, headers={"Origin": "https://player.example", "Access-Control-Request-Method": "POST"})
    lines.tell(status == 204 and headers.get("access-control-allow-origin") == "*", "players of any page may report", (status, headers))
    answers = [server.call("POST", PATH, body, CMCD)[0] for body in (b"", b"\xff\x00\n" * 50, b"v=2\n" * 200, b"a" * 5000)]
    lines.tell(set(answers) == {204}, "lines that are no reports are counted, not refused", answers)
    status = server.call("POST", PATH, b"a" * (64 << 10) + b"a", CMCD)[0]
    lines.tell(status == 413, "more than 64 KB are refused", status)
    prophet = Page(0, chance).line("ce", cen='"com.cuelight-shown"', **{"com.cuelight-guid": '"nothing"'})
    server.call("POST", PATH, prophet.encode(), CMCD)
    lines.tell(server.metric("reach_wrong_reports_total") == 252, "a report of an event that there is not counts for nothing", server.metric("reach_wrong_reports_total"))
    status = server.get("/v1/streams/live/events/nothing/reach", OWN)[0]
    lines.tell(status == 404, "nor has such an event a reach", status)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", pages=10_000, seed=1)
