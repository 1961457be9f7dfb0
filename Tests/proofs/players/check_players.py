"""Plays presentations of HLS and MPEG-DASH in players on the web and compares the timed metadata that they hand out with what `inspect` says, and with
what `doctor` predicts.

    python3 -m proofs.players.check_players --page FOLDER --library FOLDER --dash-library FOLDER --inspected FILE --cuelight CUELIGHT OUTPUT=FOLDER...

Each OUTPUT is TS, fMP4, DASH or faulty, its FOLDER holds index.m3u8 (and of DASH index.mpd, which is played), and FILE is what `cuelight inspect --json`
prints for the same video stamped with the same cue sheet as one transport stream. The libraries are those of libraries.txt and dash.txt. Prints a
table in Markdown; ends with status 1 where a player misses an event, is late or complains, or shows something else than predicted; of MPEG-DASH nothing
is predicted. Of what is faulty only the predictions are looked at.
"""

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proofs.facts import proof_parser
from proofs.players import browser, markdown, server

# Seconds that a cue may be off its event.
TOLERANCE = 0.020
# Seconds that a player's clock may be off what the time stamps of the presentation say; it shows frames to the microsecond.
CLOCK_TOLERANCE = 0.001
# Seconds within which a player has to come to the end, starting included.
PATIENCE = 120

# What differs from copy to copy, and is no part of the event.
COPY_KEYS = ("copy", "copies", "age", "crc")


# A presentation in which some players drop events.
FAULTY = "faulty"
# A presentation that is played by its MPD.
DASH = "DASH"

# Where the clocks of a player start, by the time stamps of the presentation: the clock of its cues, and that of its video. That is how
# the players work, and not read off their cues. hls.js takes the earlier of audio and video in a transport stream, and the decoding time
# of the first fragment (`tfdt`) in fragmented MP4; video.js 7 counts cues from the presentation of the first video frame, and frames from its
# decoding. Of MPEG-DASH the page makes the cues.
CLOCKS = {
    ("hls.js", "TS"): ("first", "first"),
    ("hls.js", "fMP4"): ("decoded", "decoded"),
    ("video.js", "TS"): ("presented", "decoded"),
    ("hls.js", FAULTY): ("first", "first"),
    ("video.js", FAULTY): ("presented", "decoded"),
    ("video.js", DASH): ("decoded", "decoded"),
}


def start_of(playlist):
    """When the first video frame of a presentation is presented and decoded and when the first of all is presented, as FFmpeg reads it."""
    text = subprocess.run(
        ["ffprobe", "-v", "error", "-read_intervals", "%+2", "-show_entries", "packet=codec_type,pts_time,dts_time", "-of", "json",
         playlist], check=True, capture_output=True).stdout
    packets = [packet for packet in json.loads(text)["packets"] if packet["codec_type"] in ("video", "audio")]
    frames = [packet for packet in packets if packet["codec_type"] == "video"]
    return {
        "first": min(float(packet["pts_time"]) for packet in packets),
        "presented": min(float(packet["pts_time"]) for packet in frames),
        "decoded": min(float(packet["dts_time"]) for packet in frames),
    }


def events_of(inspected):
    """The events of a stream by what `inspect --json` printed: GUID to event."""
    lines = [json.loads(line) for line in inspected.read_text().splitlines()]
    return {line["guid"]: line["event"] for line in lines if line["type"] == "copy"}


def predictions_of(cuelight, playlist):
    """What `doctor` says that players show of a presentation: player to its prediction."""
    result = subprocess.run([cuelight, "doctor", "--json", playlist], capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"failed: doctor {playlist}: {result.stderr}")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return {line["player"]: line for line in lines if line["type"] == "player"}


def once(texts):
    """Texts in order, without repeats."""
    return list(dict.fromkeys(texts))


START_HOLE = re.compile(r"(bufferStalledError|bufferSeekOverHole): .*(stalling at @0 |seeking from 0 to 0\.[01])")


class Row:
    """What one player made of one presentation: a row of the table, and all that is wrong with it."""

    TITLES = [
        "player", "version", "output", "events", "cues", "cues per event", "origin, ms", "first frame, ms", "largest offset, ms",
        "seen by `cuechange`", "seen late by, ms", "errors", "predicted",
    ]

    def __init__(self, player, output, start, prediction, report, console, events):
        self.player, self.output, self.report, self.events = player, output, report, events
        self.prediction = prediction
        cues, frames = CLOCKS[player, output]
        self.origin = start["presented"] - start[cues]
        self.picture = start["presented"] - start[frames]
        self.cues = self.parsed(report["cues"])
        self.notes = once([*report["log"], *console])
        # Audio begins an encoder's delay before the video. On a busy machine hls.js notices that nothing can be shown at 0, and goes to where
        # it can; so it does with what FFmpeg segments.
        skipped = [error for error in report["errors"] if START_HOLE.search(error)]
        self.notes += [f"skips the start: {error}" for error in skipped]
        errors = [error for error in report["errors"] if error not in skipped]
        self.complaints = once([*errors, *(note for note in self.notes if note.startswith("error"))])
        found = [] if output == FAULTY else [*self.complaints, *self.found_faults()]
        self.faults = once([*found, *self.wrong_predictions()])

    @staticmethod
    def parsed(cues):
        """Cues in order of their time, each as (start, event, whole cue)."""
        ordered = sorted(cues, key=lambda cue: (cue["start"], cue["text"]))
        return [(cue["start"], json.loads(cue["text"]), cue) for cue in ordered]

    def first_cues(self):
        """The event and the start of the first cue of each event."""
        firsts = {}
        for begin, event, _ in self.cues:
            firsts.setdefault(event["guid"], (event, begin))
        return firsts

    def offset(self, event, time):
        """How much later than its event something happens on the player's clock, in seconds."""
        return time - self.origin - event["at"]

    def largest_offset(self):
        return max((abs(self.offset(event, begin)) for event, begin in self.first_cues().values()), default=None)

    def seen(self):
        """For every event that an application sees that waits for `cuechange`, how late it does."""
        late = {}
        for _, event, cue in self.parsed(self.report["active"]):
            late.setdefault(event["guid"], self.offset(event, cue["seen"]))
        return late

    def found_faults(self):
        report = self.report
        if not report["ended"]:
            yield "does not play to the end"
        if len(report["buffered"]) != 1:
            yield f"has gaps: {report['buffered']}"
        if report["firstPicture"] is None or abs(report["firstPicture"] - self.picture) > CLOCK_TOLERANCE:
            yield f"shows the first frame at {report['firstPicture']} s instead of {self.picture:.6f} s"
        firsts = self.first_cues()
        for guid, event in self.events.items():
            name = f"{event['eventType']} {event['sequence']} at {event['at']} s"
            if guid not in firsts:
                yield f"{name} is missing"
                continue
            found, begin = firsts[guid]
            if abs(self.offset(event, begin)) > TOLERANCE:
                yield f"{name} is {1_000 * self.offset(event, begin):.1f} ms off"
            if {key: value for key, value in found.items() if key not in COPY_KEYS} != event:
                yield f"{name} says something else: {found}"
        for begin, event, _ in self.cues:
            if event["guid"] not in self.events:
                yield f"{event['eventType']} with the GUID {event['guid']} was never stamped"
            elif abs(self.offset(event, begin) - event["age"]) > TOLERANCE:
                yield f"the copy {event['copy']} of {event['eventType']} {event['sequence']} is at {begin} s"
        if self.player == "hls.js":
            samples = [cue["text"] for _, _, cue in self.parsed(report["samples"])]
            if samples != [cue["text"] for _, _, cue in self.cues]:
                yield f"finds {len(samples)} tags and makes {len(self.cues)} cues of them"

    def wrong_predictions(self):
        if self.prediction is None:
            return
        if self.prediction["version"] != self.report["version"]:
            yield f"is {self.report['version']}, and predictions are for {self.prediction['version']}"
        for what, found in (("cues", len(self.cues)), ("events", len(self.first_cues()))):
            if self.prediction[what] != found:
                yield f"shows {found} {what}, and {self.prediction[what]} were predicted"

    def cells(self):
        counts = {}
        for _, event, _ in self.cues:
            counts[event["guid"]] = counts.get(event["guid"], 0) + 1
        seen = self.seen()
        return [
            self.player, self.report["version"], self.output, len(counts), len(self.cues), self.span(counts.values()),
            self.milliseconds(self.origin), self.milliseconds(self.report["firstPicture"]), self.milliseconds(self.largest_offset()),
            f"{len(seen)} events", self.milliseconds(max(seen.values(), default=None)), len(self.complaints),
            "none" if self.prediction is None else f"{self.prediction['events']} events, {self.prediction['cues']} cues",
        ]

    @staticmethod
    def milliseconds(seconds):
        return "none" if seconds is None else f"{1_000 * seconds:.1f}"

    @staticmethod
    def span(counts):
        return f"{min(counts, default=0)} to {max(counts, default=0)}"


def play(player, output, address):
    """Plays a presentation in a Chromium of its own: the page's report and what its console said."""
    with browser.start() as chromium:
        expression = f"play('{player}', '/{output}/index.{'mpd' if output == DASH else 'm3u8'}', {PATIENCE})"
        return chromium.evaluate(f"{address}/page/player.html", expression, PATIENCE + 20)


def presentation(text):
    output, _, folder = text.partition("=")
    if output not in {output for _, output in CLOCKS} or not (Path(folder) / "index.m3u8").is_file():
        raise argparse.ArgumentTypeError(f"{text} is not TS, fMP4, DASH or faulty, =, and a folder with index.m3u8")
    return output, Path(folder).resolve()


def main():
    parser = proof_parser("page", "library", "dash-library", "inspected", "cuelight")
    parser.add_argument("presentations", nargs="+", type=presentation)
    options = parser.parse_args()

    events = events_of(options.inspected)
    if not events:
        parser.error(f"{options.inspected} has no events")
    folders = dict(options.presentations)
    addresses = [server.serve({"page": options.page, "library": library, **folders}) for library in (options.library, options.dash_library)]
    pairs = [(player, output) for player, output in CLOCKS if output in folders]
    # All at once: each plays at its own pace, in real time, and none needs much of the machine.
    try:
        with ThreadPoolExecutor(len(pairs)) as pool:
            played = list(pool.map(lambda pair: play(*pair, addresses[pair[1] == DASH]), pairs))
    except browser.BrowserError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    predictions = {output: predictions_of(options.cuelight, folder / "index.m3u8") for output, folder in folders.items() if output != DASH}
    starts = {output: start_of(folder / "index.m3u8") for output, folder in folders.items()}
    rows = [Row(player, output, starts[output], predictions.get(output, {}).get(player), *seen, events) for (player, output), seen in zip(pairs, played)]

    print(markdown.table(Row.TITLES, [row.cells() for row in rows]), flush=True)
    for row in rows:
        for note in row.notes:
            print(f"{row.player}, {row.output} says: {note}")
        for fault in row.faults:
            print(f"failed: {row.player}, {row.output}: {fault}", file=sys.stderr)
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
