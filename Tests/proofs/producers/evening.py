"""What happens to a stamped show on its way to viewers: advertisements are cut out, it is mended, encrypted, and on the air."""

import contextlib
import re
import subprocess

from proofs.processes import free_port, new_folder, wait_until
from proofs.producers.studio import require

# The parts of the show between its advertisements, in seconds: key frames come every two.
PARTS = [(0, 44), (52, 34), (92, 32), (130, 40)]
BREAKS = [(start + length, following[0]) for (start, length), following in zip(PARTS, PARTS[1:])]


def clock(seconds):
    return f"{int(seconds) // 60:02}:{seconds % 60:06.3f}"


def times(text):
    """The times of the cues of a sheet, in seconds."""
    found = re.findall(r"(?:^|[{ ])at: \"?([\d:.]+)", text, re.MULTILINE)
    return [sum(float(part) * 60 ** place for place, part in enumerate(reversed(time.split(":")))) for time in found]


@contextlib.contextmanager
def nginx(folder, key):
    """nginx for a folder on this machine, with the types of streams, for pages of all origins; what it has for keys lies elsewhere. Gives its address."""
    port, own = free_port(), new_folder(folder / "nginx")
    temporary = " ".join(f"{name}_temp_path {own}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    types = "application/vnd.apple.mpegurl m3u8; video/mp2t ts; text/vtt vtt; application/octet-stream key;"
    (own / "nginx.conf").write_text(
        f"daemon off; user root; worker_processes 1; pid {own}/pid; error_log {own}/error.log; events {{}}\n"
        f"http {{ access_log {own}/access.log; {temporary} types {{ {types} }} add_header Access-Control-Allow-Origin *;\n"
        f"server {{ listen 127.0.0.1:{port}; root {folder}; location = /air/keys/show.key {{ alias {key}; }} }} }}\n")
    process = subprocess.Popen(["nginx", "-p", own, "-c", own / "nginx.conf"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: (own / "pid").exists() and (own / "pid").read_text(), 10, "nginx runs")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class Evening:
    """Steps of a day that come after stamping."""

    def without_advertisements(self):
        """Three parts are cut out with an FFmpeg that cuts tags, too: in one pass the parts that stay are taken, in a second one they are joined."""
        for number, (start, length) in enumerate(PARTS):
            place = ["-ss", start] if start else []
            self.old("-y", *place, "-i", "show.ts", "-t", length, "-map", 0, "-copy_unknown", "-c", "copy", f"part{number}.ts")
        (self.folder / "parts.txt").write_text("".join(f"file part{number}.ts\n" for number in range(len(PARTS))))
        self.old("-y", "-f", "concat", "-i", "parts.txt", "-map", 0, "-copy_unknown", "-c", "copy", "joined.ts")
        status, found, errors = self.outcome(self.cuelight, "verify", "joined.ts", "--cues", "friday.yaml", folder=self.folder)
        # None is missing: each is said to be early, one by one where several parts were cut out.
        require(status == 1 and "early" in found and "is missing" not in found, f"verify: status {status}: {found}{errors}")
        said = self.say("repair", "joined.ts", "-o", "mended.ts")
        require("made whole" in said, said)
        status, rules, _ = self.doctor(self.folder / "mended.ts")
        require(status == 0 and set(rules) == {"EVENT-TIME"}, f"the doctor of the mended stream: status {status}: {sorted(rules)}")
        require("extract --as-presented" in rules["EVENT-TIME"]["advice"], rules["EVENT-TIME"]["advice"])
        return f"{found.splitlines()[0]}; {said}"

    def in_time_again(self):
        """What the doctor advises, followed; the sheet is what the planned one becomes if the same parts are cut out of it."""
        self.say("extract", "mended.ts", "--as-presented", "-o", "presented.yaml")
        self.say("stamp", "mended.ts", "--replace", "--cues", "presented.yaml", "-o", "aired.ts")
        once = self.verified("aired.ts", "presented.yaml")
        status, rules, _ = self.doctor(self.folder / "aired.ts")
        require(status == 0 and not rules, f"the doctor of the stream that was stamped again: {sorted(rules)}")
        cuts = [option for start, end in BREAKS for option in ("--cut", f"{clock(start)}-{clock(end)}")]
        said = self.say("shift", "friday.yaml", *cuts, "-o", "cut.yaml")
        planned, presented = (times((self.folder / name).read_text()) for name in ("cut.yaml", "presented.yaml"))
        apart = [abs(one - other) for one, other in zip(planned, presented)]
        # FFmpeg lets each part end a few frames later than it was told.
        require(len(planned) == len(presented) and max(apart) < 0.75 * len(BREAKS), f"{planned} and {presented}")
        return f"{once}; {said}, at most {max(apart):.3f} s off what FFmpeg has cut"

    def languages(self):
        """Two languages and subtitles, encrypted."""
        self.transcode(
            "-i", self.folder / self.videos[0].name, "-f", "lavfi", "-i", "sine=frequency=880:sample_rate=48000:duration=170", "-i", self.folder / "friday.vtt",
            "-map", "0:v", "-map", "0:a", "-map", "1:a", "-map", "2:s", "-c:v", "copy", "-c:a", "aac", "-c:s", "srt", "-metadata:s:a:0", "language=ger",
            "-metadata:s:a:1", "language=eng", "-metadata:s:s:0", "language=ger", self.folder / "show.mkv")
        key = self.written("show.key", bytes(range(16)))
        said = self.say(
            "stamp", "show.mkv", "--cues", "friday.yaml", "-o", "air/index.m3u8", "--strict", "--key", key.name, "--key-uri", "keys/show.key")
        playlist = (self.folder / "air" / "index.m3u8").read_text()
        renditions = re.findall(r"#EXT-X-MEDIA:TYPE=(\w+),.*?LANGUAGE=\"(\w+)\"", playlist)
        require(renditions == [("AUDIO", "de"), ("AUDIO", "en"), ("SUBTITLES", "de")], playlist)
        segments = sorted((self.folder / "air").glob("*.ts"))
        clear = [path.name for path in segments if path.read_bytes()[:1] == b"G" == path.read_bytes()[188:189]]
        require(segments and not clear, f"not encrypted: {clear}")
        require(not list((self.folder / "air").rglob("*.key")), "the key lies among the segments")
        # Where the key is, is what the playlist says; without it nothing can be read, and the message names it.
        status, _, errors = self.outcome(self.cuelight, "inspect", "air/index.m3u8", folder=self.folder)
        require(status == 74 and "keys/show.key" in errors, f"without the key: status {status}: {errors}")
        return f"{said.splitlines()[0]}; two languages and subtitles, {len(segments)} encrypted segments"

    def on_the_air(self):
        """nginx delivers the presentation and the key, and everybody reads it."""
        with nginx(self.folder, self.folder / "show.key") as address:
            url = f"{address}/air/index.m3u8"
            listed = self.say("inspect", url)
            require(f"{self.events} events in" in listed.splitlines()[-1], listed)
            self.verified(url, "friday.yaml")
            lines = self.say("verify", url, "--cues", "friday.yaml", "--all-renditions").splitlines()
            require(len(lines) == 1 and "every event exactly once" in lines[0], "\n".join(lines))
            status, rules, summary = self.doctor(url)
            require(status == 0 and not rules and summary["events"] == self.events, f"the doctor: status {status}: {sorted(rules)}: {summary}")
            seen = [self.tags(program, url) for program in ("ffmpeg", self.ffmpeg)]
            missing = f"{address}/air/none.m3u8"
            status, _, errors = self.outcome(self.cuelight, "verify", missing, "--cues", "friday.yaml", folder=self.folder)
            require(status == 66 and len(errors.splitlines()) == 1 and missing in errors, f"a missing playlist: status {status}: {errors}")
        return f"inspect, verify and doctor over HTTP; FFmpeg reads {seen[0]} tags with {self.events} events, FFmpeg 8 {seen[1]}"

    def tags(self, program, url):
        """How many tags of events an FFmpeg reads, which also reads the pictures and the sound without a word."""
        _, errors = self.run(program, "-nostdin", "-v", "error", "-i", url, "-map", "0:v:0", "-map", "0:a:0", "-c", "copy", "-f", "null", "-", folder=self.folder)
        require(errors == "", errors)
        output = self.folder / "tags.bin"
        self.run(program, "-nostdin", "-v", "error", "-y", "-i", url, "-map", "0:d:0", "-c", "copy", "-f", "data", output, folder=self.folder)
        data = output.read_bytes()
        guids = set(re.findall(rb'"guid":"([0-9a-f-]{36})"', data))
        require(len(guids) == self.events, f"{program}: {len(guids)} events")
        # The old one cuts the beginning of each tag.
        return data.count(b'"guid":"')
