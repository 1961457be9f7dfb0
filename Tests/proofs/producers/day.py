"""A producer's day, from the questions in spreadsheets to the stream on the air and its corrections. Prints a line for each fact.

    python3 -m proofs.producers.day --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES

FFmpeg 8 makes the videos; the system's FFmpeg, which on Debian is older than 6.1, cuts the stream. LibreOffice Calc (`soffice`) and nginx, which listens on
this machine alone and ends with its step, are the system's.
"""

import re
import shutil

from proofs.facts import prove_and_end
from proofs.producers import banks
from proofs.producers.evening import BREAKS, Evening, clock, times
from proofs.producers.spreadsheets import Office
from proofs.producers.studio import require

LENGTH = 170
H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 50 -keyint_min 50 -sc_threshold 0 -threads 1 -pix_fmt yuv420p -c:a aac"
SIZES = ["320x240", "240x180", "160x120"]
NUMBER = len(banks.ASKED)
EVENTS = 2 + 2 * NUMBER
TYPO, RIGHT = "at room temperature", "at 20 °C"


class Day(Evening, Office):
    """The desk of a producer: every step leaves its file for the next one."""

    events = EVENTS

    def __init__(self, arguments):
        shutil.rmtree(arguments.folder, ignore_errors=True)
        super().__init__(arguments)
        self.videos = [self.encode(f"show-{size}.mp4", H264, seconds=LENGTH, size=size) for size in SIZES]

    def say(self, *arguments):
        """Runs cuelight in the folder; gives what it prints."""
        return self.run(self.cuelight, *arguments, folder=self.folder)[0].strip()

    def old(self, *arguments):
        """Runs the system's FFmpeg in the folder."""
        self.run("ffmpeg", "-nostdin", "-v", "error", *arguments, folder=self.folder)

    def questions(self):
        """Each bank has one row that is no question: it is named by its row, as a mistake or, where no game asks it, as left out."""
        names = banks.write(self)
        status, found, errors = self.outcome(self.cuelight, "questions", "lint", *names, folder=self.folder)
        *lines, last = found.splitlines()
        # Kahoot's template has a title above its columns.
        notices = [line for line in errors.splitlines() if not line.startswith("kahoot.xlsx:1:1: what stands above")]
        require(status == 1 and notices == [banks.LEFT_OUT] and last == f"{NUMBER} questions in 3 banks, 2 mistakes", f"lint: status {status}: {found}{errors}")
        for line, (name, (row, reason)) in zip(lines, banks.MISTAKES.items()):
            require(line.startswith(f"{name}:{row}:") and reason in line, line)
        status, _, errors = self.outcome(self.cuelight, "plan", *names, "-o", "friday.yaml", folder=self.folder)
        require(status == 65 and not (self.folder / "friday.yaml").exists(), f"plan with mistakes: status {status}: {errors}")
        return f"{last}, each named by its row"

    def plan(self):
        """Nothing happens while advertisements are shown."""
        breaks = [option for start, end in BREAKS for option in ("--avoid", f"{clock(start)}-{clock(end)}")]
        status, printed, errors = self.outcome(
            self.cuelight, "plan", *banks.BANKS, "--skip-mistakes", "--number", NUMBER, "--start", 20, "--interval", 36, "--game", "friday", "--title",
            "Friday Night", *breaks, "--fit", self.videos[0].name, "-o", "friday.yaml", folder=self.folder)
        said = printed + errors
        require(status == 0 and errors.count(": left out") == 2 and f"{EVENTS} events" in said, f"plan: status {status}: {said}")
        text = (self.folder / "friday.yaml").read_text()
        head, *cues = re.split(r"event: askQuestion", text)
        usual = re.search(r"allottedTime: ([\d.]+)", head)[1]
        found = [re.search(r"allottedTime: ([\d.]+)", cue.split("event:")[0]) for cue in cues]
        seconds = [float(own[1] if own else usual) for own in found]
        expected = [float(seconds or usual) for _, seconds in banks.ASKED]
        require(seconds == expected, f"the questions take {seconds} s instead of {expected}")
        within = [time for time in times(text) if any(start <= time < end for start, end in BREAKS)]
        require(len(times(text)) == EVENTS and not within, f"in the advertisements: {within} of {times(text)}")
        return f"{EVENTS} events of three banks, none within the advertisements; two rows and an essay left out"

    def moments(self):
        """A table that says when each question is asked, in the timecode of the editing program."""
        self.say("plan", "timed.csv", "--frame-rate", 25, "--first-timecode", "10:00:00:00", "-o", "timed.yaml")
        text = (self.folder / "timed.yaml").read_text()
        asked = [times(cue)[-1] for cue in text.split("event: askQuestion")[:-1]]
        require(asked == banks.MOMENTS, f"asked at {asked} instead of {banks.MOMENTS}")
        self.say("lint", "timed.yaml")
        return f"asked at {', '.join(map(clock, asked))}"

    def lint(self):
        said = self.say("lint", "friday.yaml")
        require(f"{EVENTS} events until" in said and said.endswith("no mistake, no warning"), said)
        # A result that is moved before its question's time is up.
        text = (self.folder / "friday.yaml").read_text()
        (self.folder / "wrong.yaml").write_text(text.replace("allottedTime: 7.5", "allottedTime: 60"))
        status, found, _ = self.outcome(self.cuelight, "lint", "wrong.yaml", folder=self.folder)
        require(status == 1 and re.search(r"wrong.yaml:\d+:\d+: warning: the result of question 1 comes before its time is up", found), found)
        status, _, errors = self.outcome(
            self.cuelight, "stamp", self.videos[0].name, "--cues", "wrong.yaml", "-o", "wrong.ts", "--strict", folder=self.folder)
        require(status == 65 and not (self.folder / "wrong.ts").exists(), f"stamp --strict: status {status}: {errors}")
        return f"{said}; a result before its time is named by its line, and refused by stamp --strict"

    def stamp_show(self):
        said = self.say("stamp", self.videos[0].name, "--cues", "friday.yaml", "-o", "show.ts", "--strict")
        require(f"{EVENTS} events" in said, said)
        return self.verified("show.ts", "friday.yaml")

    def verified(self, stream, sheet, *options):
        """The one line that `verify` prints where all is well."""
        said = self.say("verify", stream, "--cues", sheet, *options)
        require("every event exactly once" in said and len(said.splitlines()) == 1, said)
        return said

    def cut(self):
        """The beginning is taken off with an FFmpeg that cuts tags, too."""
        version = self.run("ffmpeg", "-version")[0].split()[2]
        self.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", 7, "-i", "show.ts", "-map", 0, "-copy_unknown", "-c", "copy", "cut.ts", folder=self.folder)
        status, found, errors = self.outcome(self.cuelight, "verify", "cut.ts", "--cues", "friday.yaml", folder=self.folder)
        first = found.splitlines()[0]
        early = re.search(r"all (\d+ )?events are ([\d.]+) s early: was the beginning cut\?", first)
        require(status == 1 and early, f"status {status}: {found}{errors}")
        self.early = early[2]
        return f"FFmpeg {version}: {first}"

    def repair(self):
        said = self.say("repair", "cut.ts", "-o", "whole.ts")
        data = (self.folder / "whole.ts").read_bytes()
        require(data.count(b"ID3\4") > (self.folder / "cut.ts").read_bytes().count(b"ID3\4"), said)
        status, found, _ = self.doctor(self.folder / "whole.ts")
        require(not {"TAG-CUT-BY-FFMPEG", "TS-PMT-POINTER"} & set(found) and status == 0, f"the doctor finds {sorted(found)}")
        return f"{said}; the doctor finds no error"

    def extract(self):
        self.run(self.cuelight, "extract", "whole.ts", "-o", "found.yaml", folder=self.folder)
        found, planned = (self.folder / "found.yaml").read_text(), (self.folder / "friday.yaml").read_text()
        for text, _ in banks.ASKED:
            require(text[:20] in found and text[:20] in planned, f"{text} is not in the sheet")
        require(found.count("event: ") == EVENTS, f"{found.count('event: ')} events in the sheet")
        return self.verified("show.ts", "found.yaml")

    def correct(self):
        """The sheet moves with the cut, a text is corrected, and the stream is stamped again."""
        said = self.say("shift", "found.yaml", "--by", f"-{self.early}", "-o", "moved.yaml")
        path = self.folder / "moved.yaml"
        require(TYPO in path.read_text(), f"the sheet lacks {TYPO!r}")
        path.write_text(path.read_text().replace(TYPO, RIGHT))
        self.say("strip", "whole.ts", "-o", "clean.ts")
        status, _, errors = self.outcome(self.cuelight, "inspect", "clean.ts", folder=self.folder)
        require("no timed ID3 found" in errors, f"events are left: status {status}: {errors}")
        self.say("stamp", "clean.ts", "--cues", "moved.yaml", "-o", "again.ts")
        once = self.verified("again.ts", "moved.yaml")
        self.say("stamp", "whole.ts", "--cues", "moved.yaml", "--replace", "-o", "replaced.ts")
        self.verified("replaced.ts", "moved.yaml")
        replayed = self.say("replay", "again.ts")
        require(RIGHT in replayed and TYPO not in replayed, replayed)
        return f"{said}; {once}; --replace does the same in one step"

    def renditions(self):
        said = self.say("stamp", *[video.name for video in self.videos], "--cues", "friday.yaml", "-o", "hls/index.m3u8", "--strict")
        lines = self.say("verify", "hls/index.m3u8", "--cues", "friday.yaml", "--all-renditions").splitlines()
        require(len(lines) == len(SIZES) and all("every event exactly once" in line for line in lines), "\n".join(lines))
        status, found, _ = self.doctor(self.folder / "hls" / "index.m3u8")
        require(status == 0 and not found, f"the doctor finds {sorted(found)}")
        return f"{len(said.splitlines()) - 1} renditions, each with every event exactly once; the doctor finds nothing"

    def captions(self):
        """The cues as captions, as FFmpeg reads them."""
        said = self.say("captions", "friday.yaml", "-o", "friday.vtt")
        text, _ = self.run(self.ffmpeg, "-v", "error", "-i", "friday.vtt", "-f", "srt", "-", folder=self.folder)
        shown = text.count(" --> ")
        require(shown >= 2 * NUMBER and all(answer in text for answer in ("Mercury", "ありがとう", "Mars", "Lima")), text)
        return f"{said}; FFmpeg shows {shown} of them"


def run(lines, arguments):
    day = Day(arguments)
    steps = [
        ("banks of German Excel, Kahoot and Moodle", day.questions), ("a plan", day.plan), ("a table with times", day.moments),
        ("the cue sheet", day.lint), ("stamped", day.stamp_show),
        ("three renditions", day.renditions), ("a preview of the cues as WebVTT", day.captions), ("cut by an old FFmpeg", day.cut),
        ("repaired", day.repair), ("the sheet out of the stream", day.extract), ("corrected and stamped again", day.correct),
        ("three advertisements cut out in two passes", day.without_advertisements), ("in time again", day.in_time_again),
        ("two languages, subtitles, a key", day.languages), ("on the air", day.on_the_air)]
    for name, step in steps:
        lines.prove(name, step)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg", keeps_folder=True)
