"""Plays a stamped presentation with an interstitial in hls.js, and its game with the package for the web in the same page, and proves that the game stands
still while the advertisement plays. If the programme goes on where it stopped, each question is asked on time, stays open, and is closed by the time of the
programme. If the advertisement takes the place of a part of the programme, what has passed comes right after it.

    python3 -m proofs.players.check_interstitials --page FOLDER --library FOLDER --client FOLDER --programme FOLDER --ad FOLDER --folder FOR_ITS_FILES

The programme and the advertisement are folders with an index.m3u8; the programme has the events of samples/quick-round.yaml.
"""

import shutil
import sys

from proofs.facts import proof_parser
from proofs.players import browser, server

# The break comes while the first question is open, which is asked at 2 s and closes at 7 s.
BREAK = 4.0
# What the game has to show, and when in the programme, if that goes on where it stopped, and if six seconds of it are replaced.
NAMES = ["questionAsked", "questionClosed", "resultsShown", "questionAsked", "questionClosed", "resultsShown"]
EXPECTED = {
    "inserted": [2.0, 7.0, 8.0, 10.0, 15.0, 16.0],
    "replacing": [2.0, 10.0, 10.0, 10.0, 15.0, 16.0],
}
# Where the programme goes on.
RESUMED = {"inserted": BREAK, "replacing": BREAK + 6}
TOLERANCE = 0.5
PATIENCE = 120


def with_break(playlist, ad, kind):
    """The playlist with a date, and an interstitial at the break's time."""
    # Without ONCE hls.js 1.6.15 plays the ad twice here. The audio of the next segment begins before its picture, and hls.js moves the ad and the place where it
    # goes on there by as much. It then takes its own jump to that place for a viewer's, to a time before the ad.
    offset = ',X-RESUME-OFFSET=0,CUE="ONCE"' if kind == "inserted" else ""
    tags = [
        "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z",
        f'#EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:0{BREAK:.3f}Z",X-ASSET-URI="{ad}"{offset}']
    lines = playlist.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith("#EXTINF"))
    return "\n".join(lines[:first] + tags + lines[first:]) + "\n"


def faults(report, kind):
    """All that is wrong with what was shown."""
    yield from report["errors"]
    if not report["ended"]:
        yield "does not play to the end"
    if len(report["breaks"]) != 1 or not report["breaks"][0]["end"]:
        yield f"has other breaks than one: {report['breaks']}"
        return
    start, end = report["breaks"][0]["start"], report["breaks"][0]["end"]
    if end["wall"] - start["wall"] < 3:
        yield f"the advertisement is over after {end['wall'] - start['wall']:.1f} s"
    if abs(start["now"] - BREAK) > TOLERANCE or abs(end["now"] - RESUMED[kind]) > TOLERANCE:
        yield f"the break lasts from {start['now']:.1f} to {end['now']:.1f} s of the programme"
    if any(transition["inBreak"] for transition in report["transitions"]):
        yield f"something happens in the break: {report['transitions']}"
    shown = [(transition["transition"], transition["now"]) for transition in report["transitions"]]
    wanted = [(name, now) for name, now in shown if name in NAMES]
    if [name for name, _ in wanted] != NAMES:
        yield f"shows {wanted}"
    for (name, now), time in zip(wanted, EXPECTED[kind]):
        if abs(now - time) > TOLERANCE:
            yield f"{name} comes at {now:.2f} s, not at {time:.2f} s"


def main():
    options = proof_parser("page", "library", "client", "programme", "ad", "folder").parse_args()
    names = {}
    for kind in EXPECTED:
        names[kind] = options.folder / kind
        shutil.rmtree(names[kind], ignore_errors=True)
        shutil.copytree(options.programme, names[kind])
    address = server.serve({"page": options.page, "library": options.library, "client": options.client, "ad": options.ad, **names})
    failed = False
    for kind, folder in names.items():
        playlist = folder / "index-media.m3u8"
        playlist.write_text(with_break(playlist.read_text(), f"{address}/ad/index.m3u8", kind))
        with browser.start() as chromium:
            report, console = chromium.evaluate(
                f"{address}/page/game.html", f"playInterstitials('/{kind}/index.m3u8', {PATIENCE})", PATIENCE + 20)
        found = [*faults(report, kind), *(line for line in console if line.startswith("error"))]
        for fault in found:
            print(f"failed: {kind}: {fault}", file=sys.stderr)
        failed = failed or bool(found)
        if not found:
            print(f"an advertisement, {kind}: the game stands still, and goes on after it")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
