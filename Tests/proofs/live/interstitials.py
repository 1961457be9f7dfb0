"""A live show with three ad breaks (SCTE-35), watched by hls.js in Chromium: a server for ads between both makes an interstitial of each break that the
playlist has, the page plays an ad in it, and each question that waits for the end of a break is asked once, behind the ad. A second page comes when the
playlist has one segment.

    python3 -m proofs.live.interstitials --server PROGRAM --library FOLDER --client FOLDER --folder FOR_ITS_FILES

The library is that of scripts/check-players, and the client the package for the web that scripts/build-web makes.
"""

import functools
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from proofs.facts import prove_and_end
from proofs.live.breaks import BREAKS, SECONDS, ask, stream
from proofs.live.players import GamePage
from proofs.live.server import Server
from proofs.processes import ffmpeg, in_background, new_folder, wait_until

# An ad break and what plays in it may differ by so many seconds, and a page is so much later than its playlist with what it does.
TOLERANCE = 0.5
# What comes after the last question, so that the page gets there.
AFTER = 12
BREAK = re.compile(r'^#EXT-X-DATERANGE:ID="([^"]+)".*?(START-DATE="[^"]+").*?PLANNED-DURATION=([0-9.]+).*SCTE35-OUT=', re.MULTILINE)


class Ads(BaseHTTPRequestHandler):
    """Passes on what the server answers. In playlists each break has an interstitial besides, whose ad lasts as long as the break."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments, server, folder, breaks, **options):
        self.origin, self.ads, self.breaks = server, folder, breaks
        super().__init__(*arguments, **options)

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = re.fullmatch(r"/ads/([\w.-]+)", self.path.partition("?")[0])
        if name:
            path = self.ads / name[1]
            status, kind, body = 200, "application/vnd.apple.mpegurl" if path.suffix == ".m3u8" else "video/mp2t", path.read_bytes()
        else:
            status, headers, body = self.origin.get(self.path)
            kind = headers.get("content-type", "text/plain")
            if kind == "application/vnd.apple.mpegurl":
                body = self.with_interstitials(body.decode()).encode()
        self.send_response(status)
        for header, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Access-Control-Allow-Origin", "*"), ("Cache-Control", "no-store")):
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)

    def with_interstitials(self, playlist):
        def add(found):
            self.breaks.add(found[1])
            address = f"http://127.0.0.1:{self.server.server_port}/ads/{float(found[3]):g}.m3u8"
            return f'#EXT-X-DATERANGE:ID="ad-{found[1]}",CLASS="com.apple.hls.interstitial",{found[2]},DURATION={found[3]},X-ASSET-URI="{address}"\n{found[0]}'
        return BREAK.sub(add, playlist)


def run(lines, options):
    source, _ = stream(options.folder)
    ads = new_folder(options.folder / "ads")
    for seconds in {end - start for start, end, _ in BREAKS}:
        ffmpeg("-t", str(seconds), "-i", source, "-map", "0:v", "-vf", "negate", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p",
               "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_filename", ads / f"{seconds}-%d.ts", ads / f"{seconds}.m3u8")
    asked, states, breaks = [], {}, set()

    def put(server, name, event, state):
        status, answer = server.post(event)
        assert status == 202 and (answer["state"] == "held") == (state == "held"), (name, status, answer)
        states[name] = answer["guid"]
        if event["event"] == "askQuestion":
            asked.append((name, answer["guid"], state))

    arguments = ["--breaks", "hold", "--segment-duration", 1, "--window", 30, "--journal", options.folder / "journal", "--game", "interstitials"]
    with Server(options.server, source, *arguments, log=options.folder / "server.log") as server:
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Ads, server=server, folder=ads, breaks=breaks))
        in_background(proxy.serve_forever)
        address = f"http://127.0.0.1:{proxy.server_port}/live/live/index.m3u8"
        wait_until(lambda: b"#EXTINF" in server.get("/live/live/media.m3u8")[2], 20, "a segment")
        early = GamePage(options.library, options.client, address, SECONDS + AFTER, is_early=True)
        put(server, "start", {"event": "startGame", "title": "Interstitials"}, "placed")
        # So that the page is three segments behind live.
        wait_until(lambda: server.now()["at"] > 5, 20, "some segments")
        page = GamePage(options.library, options.client, address, SECONDS + AFTER)
        wait_until(lambda: (server.now()["break"] or {}).get("state") == "announced", 30, "a break is announced")
        for number, (start, end, _) in enumerate(BREAKS):
            if number == 1:
                # The time for answers would reach into the break.
                wait_until(lambda: server.now()["at"] > start - 1, 30, "shortly before a break")
            else:
                wait_until(lambda: (server.now()["break"] or {}).get("state") == "open", 30, "an open break")
            put(server, f"of {number}", ask(number), "held")
            wait_until(lambda: server.events()[asked[-1][1]]["state"] in ("placed", "published"), 30, "the question is asked")
            time.sleep(3)
            put(server, f"result {number}", {"event": "showResults"}, "placed")
            if number == 0:
                put(server, "between", ask(20), "placed")
        put(server, "end", {"event": "endGame"}, "placed")
        wait_until(lambda: server.events()[states["end"]]["state"] == "published", 20, "the end of the game")
        places = {guid: event["at"] for guid, event in server.events().items()}
        report, early_report = page.end(), early.end()
    (options.folder / "report.json").write_text(json.dumps({"report": report, "early": early_report, "places": places, "asked": asked}))

    def check_ads(report):
        assert not report["errors"], report["errors"][:3]
        assert len(breaks) == len(BREAKS), breaks
        assert len(report["breaks"]) == len(BREAKS) and all(found["end"] for found in report["breaks"]), report["breaks"]
        for (start, end, _), found in zip(BREAKS, report["breaks"]):
            lasts = found["end"]["wall"] - found["start"]["wall"]
            assert abs(lasts - (end - start)) < 2, f"the ad of {end - start} s is over after {lasts:.1f} s"
            skipped = found["end"]["now"] - found["start"]["now"]
            assert abs(skipped - (end - start)) < TOLERANCE, f"the programme goes on {skipped:.1f} s later than it stopped"

    def interstitials():
        check_ads(report)
        return f"hls.js plays {len(breaks)} ads, one in each break, and goes on with the programme behind it"

    def questions():
        shown = [found for found in report["transitions"] if found["transition"] == "questionAsked"]
        guids = [guid for _, guid, _ in asked]
        assert [found["guid"] for found in shown] == guids, f"asked {[name for name, *_ in asked]}, shown {shown}"
        assert not any(found["inBreak"] for found in report["transitions"]), [found for found in report["transitions"] if found["inBreak"]]
        for name, guid, state in asked:
            number = name.split()[-1]
            if state == "held":
                end = BREAKS[int(number)][1]
                assert -0.05 <= places[guid] - end < 1, f"the question {name} is at {places[guid]} s, the break ends at {end} s"
        # The page's clock and the programme's are apart by one constant.
        apart = [found["now"] - places[found["guid"]] for found in shown]
        assert max(apart) - min(apart) < TOLERANCE, f"questions are shown {apart} s from their places"
        held = sum(state == "held" for *_, state in asked)
        return (f"the page asks each of {len(shown)} questions once, in their order, none during an ad; {held} of them have waited for the end of a break, and all "
                f"are within {max(apart) - min(apart):.2f} s of their places")

    def goes_on():
        kinds = [found["transition"] for found in report["transitions"]]
        assert kinds.count("resultsShown") == len(BREAKS) and kinds.count("gameEnded") == 1, kinds
        assert kinds[-1] == "gameEnded", kinds
        return f"{kinds.count('resultsShown')} results and the end of the game are shown once each"

    def is_early():
        check_ads(early_report)
        return "a page that comes when the playlist has one segment, and loads it again, plays the same ads"

    lines.prove_all("hls.js with interstitials", [("ads", interstitials), ("early", is_early), ("questions", questions), ("results", goes_on)])


if __name__ == "__main__":
    prove_and_end(run, "server", "library", "client")
