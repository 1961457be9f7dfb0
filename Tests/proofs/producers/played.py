"""Plays stamped recordings, which recordings.py has made, with hls.js in Chromium, as far as Chromium knows their codecs. Prints a line for each.

    python3 -m proofs.producers.played --recordings FOLDER --page FOLDER --library FOLDER
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import proof_parser, run_proof
from proofs.players import browser, server
from proofs.producers.studio import EVENTS, require

# Chromium of Debian plays H.264 and AAC; HEVC, MPEG-2, AC-3 and E-AC-3 it does not.
PLAYED = ["h264-whole", "h264-cut", "map-changes", "no-times", "late-key", "turned", "trimmed", "reception", "cut-by-old"]
REFUSED = ["hevc-whole"]
TYPES = ["ts", "fmp4"]
# Seconds that a cue may be off its event, and that a gap may last where reception has lost something.
TOLERANCE = 0.045
LONGEST_GAP = 0.5
# Longer than the recordings last, with the start of the browser.
PATIENCE = 30
# Sound that begins before the pictures: hls.js notices the hole, and steps over it where it is small.
START_HOLE = re.compile(r"(bufferStalledError|bufferSeekOverHole|bufferNudgeOnStall)")


def play(address, name):
    with browser.start() as chromium:
        report, _ = chromium.evaluate(f"{address}/page/player.html", f"play('hls.js', '/{name}/index.m3u8', {PATIENCE})", PATIENCE + 20)
        return report


def is_played(report):
    return report["ended"] and not [error for error in report["errors"] if not START_HOLE.search(error)]


def reason(report):
    errors = [error for error in report["errors"] if not START_HOLE.search(error)]
    if errors:
        return errors[0][:120]
    first = report["buffered"][0][0] if report["buffered"] else 0
    return f"there is nothing to see before {first:.2f} s"


def check(name, own, theirs):
    """Plays as well as FFmpeg's presentation of the same recording, with the events at their pictures."""
    report, other = own.result(), theirs.result()
    if not is_played(other):
        # hls.js does not start where pictures begin long behind the sound, and Chromium's decoder stops where FFmpeg's goes on.
        require(report["played"] >= other["played"], f"it stops at {report['played']} s, FFmpeg's at {other['played']} s")
        if not is_played(report):
            return f"hls.js stops, as it does with FFmpeg's presentation: {reason(report)}"
    require(is_played(report), f"hls.js plays FFmpeg's presentation, and not this one: {reason(report)}")
    gaps = [later[0] - earlier[1] for earlier, later in zip(report["buffered"], report["buffered"][1:])]
    require(all(gap < LONGEST_GAP for gap in gaps), f"gaps of {gaps} s")
    events, offsets = set(), []
    for cue in report["cues"]:
        event = json.loads(cue["text"])
        events.add(event["guid"])
        offsets.append(cue["start"] - report["firstPicture"] - event["at"] - event["age"])
    require(len(events) == EVENTS, f"{len(events)} events of {EVENTS}")
    require(max(offsets) - min(offsets) < TOLERANCE, f"cues are between {min(offsets):.3f} s and {max(offsets):.3f} s off")
    # What is hidden in front of a trimmed video is shown by players that ignore edit lists.
    require(name.startswith("trimmed") or abs(offsets[0]) < TOLERANCE, f"cues are {offsets[0]:.3f} s off the first picture")
    return f"hls.js plays it to the end, {len(report['cues'])} cues with all {EVENTS} events, at their pictures"


def check_refused(own):
    report = own.result()
    require(report["errors"] and not report["ended"], "it is played after all: move it to those that are")
    return f"Chromium does not know the codec: {report['errors'][0][:90]}"


def run(lines, arguments):
    names = [f"{name}-{kind}" for name in PLAYED + REFUSED for kind in TYPES]
    folders = {name: arguments.recordings / name for own in names for name in (own, f"{own}-ffmpeg")}
    address = server.serve({"page": arguments.page, "library": arguments.library, **folders})
    with ThreadPoolExecutor(4) as pool:
        played = {name: pool.submit(play, address, name) for name in folders}
        for name in names:
            if name.rpartition("-")[0] in REFUSED:
                lines.prove(name, check_refused, played[name])
            else:
                lines.prove(name, check, name, played[name], played[f"{name}-ffmpeg"])


if __name__ == "__main__":
    run_proof(run, proof_parser("recordings", "page", "library"))
