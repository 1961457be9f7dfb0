"""Goes the way from questions in Excel and a picture in OBS to a phone, as it is written for users, counts the steps and takes the time of each.

    python3 -m proofs.packages.first_show --server PROGRAM --folder FOR_ITS_FILES

The server runs with its defaults: `cuelight-server run quiz.xlsx`. ffmpeg stands in for OBS, with the settings of its encoder, and publishes to the
address and with the key that the server prints. A player joins by the address on the screen, sees the first question in the stream, and answers it.
Nothing is asserted about the time: it is printed. The ports are those of the defaults, so this wants a network of its own.
"""

import json
import random
import re
import subprocess
import time
import urllib.parse
import uuid
import zipfile

from proofs import wire
from proofs.client import Client
from proofs.facts import prove_and_end
from proofs.hosting.game import Player
from proofs.processes import ffmpeg, in_background, new_folder, wait_until

QUESTIONS = [("Which planet is red?", "Mars", "Venus", "Jupiter"), ("Which metal is liquid?", "Mercury", "Iron", "Gold")]
COLUMNS = ("Question", "Correct answer", "Wrong answer 1", "Wrong answer 2")
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def relationship(kind, target):
    """A file of relationships with one of them."""
    return f'<Relationships xmlns="{RELATIONS}"><Relationship Id="a" Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>'


def write_workbook(path, rows):
    """A workbook with a sheet, as Excel saves it, but for styles."""
    def cell(row, column, text):
        return f'<c r="{"ABCDEFGH"[column]}{row}" t="inlineStr"><is><t>{text}</t></is></c>'

    cells = "".join(
        f'<row r="{number}">{"".join(cell(number, column, text) for column, text in enumerate(row))}</row>' for number, row in enumerate(rows, 1))
    parts = [("/xl/workbook.xml", "sheet.main"), ("/xl/worksheets/sheet1.xml", "worksheet")]
    overrides = "".join(f'<Override PartName="{name}" ContentType="{KIND}.{kind}+xml"/>' for name, kind in parts)
    types = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    files = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">{types}{overrides}</Types>',
        "_rels/.rels": relationship("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="Quiz" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relationship("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData></worksheet>'}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in files.items():
            book.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


class Screen:
    """What the operator sees of the server in the terminal."""

    def __init__(self, program, folder):
        self.lines, self.log = [], open(folder / "server.log", "w")
        self.process = subprocess.Popen(
            [program, "run", "quiz.xlsx"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        in_background(self.read)

    def read(self):
        for line in self.process.stdout:
            self.log.write(line)
            self.log.flush()
            self.lines.append(line.rstrip("\n"))

    def find(self, pattern):
        """What an expression finds in the lines, once it finds something."""
        def found():
            assert self.process.poll() is None, f"the server has ended: {self.lines[-3:]}"
            return next(filter(None, (re.match(pattern, line) for line in list(self.lines))), None)

        return wait_until(found, 60, f"the server says {pattern}")


class OBS:
    """ffmpeg that publishes a recording of OBS's, at its own pace."""

    def __init__(self, recording, address, key):
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", recording, "-c", "copy", "-f", "flv", f"{address}/{key}"], stdout=subprocess.DEVNULL,
            stderr=open(recording.with_suffix(".log"), "wb"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Game:
    """The game by its addresses, as players and the host call it."""

    def __init__(self, port, id_):
        self.port, self.id = port, id_

    def path(self, name=""):
        return f"/v1/games/{self.id}" + (f"/{name}" if name else "")


def events_in(data):
    """The events in a part of fragmented MP4: their tags lie in it whole."""
    for match in re.finditer(rb"ID3\x04\x00", data):
        start = match.start()
        yield json.loads(wire.text_of(data[start:start + 10 + wire.number(data[start + 6:start + 10])]))


class Viewer:
    """A player of low-latency HLS: loads the parts of segments as they come, and finds the events in them."""

    def __init__(self, port, path):
        self.client, self.folder, self.path = Client(port, timeout=30), path.rpartition("/")[0], path
        self.known, self.events, self.playlist = set(), {}, None

    def media(self):
        """The media playlist; nothing before the stream is there."""
        if self.playlist is None:
            answer = self.client.get(self.path)
            if answer.status != 200:
                return ""
            name = next(line for line in answer.body.decode().split("\n") if line and not line.startswith("#"))
            self.playlist = f"{self.folder}/{name}"
        answer = self.client.get(self.playlist)
        return answer.body.decode() if answer.status == 200 else ""

    def look(self):
        """Loads what is new; returns the events so far by their GUIDs."""
        lines = self.media().split("\n")
        parts = [match[1] for match in (re.match(r'#EXT-X-PART:.*\bURI="([^"]+)"', line) for line in lines) if match]
        whole = [line for line in lines if line and not line.startswith("#")]
        for name in parts or whole:
            if name not in self.known:
                answer = self.client.get(f"{self.folder}/{name}")
                if answer.status != 200:
                    return self.events
                self.known.add(name)
                for event in events_in(answer.body):
                    self.events.setdefault(event["guid"], event)
        return self.events

    def first(self, kind):
        return next((event for event in self.look().values() if event["eventType"] == kind), None)


def behind(playlist):
    """By how much players are behind the end of a playlist, in words: with and without low latency."""
    control = re.search(r"^#EXT-X-SERVER-CONTROL:(.*)$", playlist, re.MULTILINE)
    found = dict(re.findall(r"((?:PART-)?HOLD-BACK)=([0-9.]+)", control[1] if control else ""))
    # Without a word of the server's they are three target durations behind.
    target = float(re.search(r"^#EXT-X-TARGETDURATION:(\d+)$", playlist, re.MULTILINE)[1])
    usual = float(found.get("HOLD-BACK", 3 * target))
    return f"pictures are {float(found.get('PART-HOLD-BACK', usual)):.1f} s behind in players with low latency, and {usual:.0f} s in others"


def show(options, key_frames):
    folder = new_folder(options.folder / f"every-{key_frames}")
    write_workbook(folder / "quiz.xlsx", [COLUMNS, *QUESTIONS])
    ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=90", "-f", "lavfi", "-i", "sine=sample_rate=48000:duration=90",
        "-c:v", "libx264", "-preset", "veryfast", "-g", key_frames, "-keyint_min", key_frames, "-sc_threshold", 0, "-bf", 2, "-pix_fmt", "yuv420p",
        "-c:a", "aac", folder / "obs.flv")
    times, began = {}, time.monotonic()

    def took(what):
        times[what] = time.monotonic() - began - sum(times.values())

    screen = Screen(options.server, folder)
    try:
        publish = screen.find(r"Publish: (rtmp://\S+), stream key: (\S+)")
        page = urllib.parse.urlsplit(screen.find(r"Play: +(\S+)")[1])
        host = urllib.parse.urlsplit(screen.find(r"Host: +(\S+)")[1])
        watch = urllib.parse.urlsplit(screen.find(r"Watch: +(\S+)")[1])
        took("until the addresses are on the screen")
        with OBS(folder / "obs.flv", publish[1], publish[2]):
            viewer = Viewer(page.port, watch.path)
            wait_until(lambda: "#EXTINF" in viewer.media(), 60, "the stream is there")
            took("until players have the picture")
            client = Client(page.port)
            assert client.get(f"{page.path}?{page.query}").status == 200, "there is no page for players"
            found = client.get(f"/v1/games?{page.query}")
            assert found.status == 200, f"no game has this code: {found}"
            game = Game(page.port, urllib.parse.parse_qs(host.query)["game"][0])
            player = Player("Phone", random.Random(1))
            assert player.join(client, game).status == 201, "the player cannot join"
            took("until the player has joined")
            token = urllib.parse.parse_qs(host.fragment)["token"][0]
            for name in ("start", "next"):
                # The console offers the button once it may be pressed.
                command = {"command": name}
                wait_until(
                    lambda: client.call("POST", game.path("commands"), command | {"id": str(uuid.uuid4())}, token=token).status == 200, 60,
                    f"the host may {name}")
            question = wait_until(lambda: viewer.first("askQuestion"), 120, "the question is in the stream")
            took("from the host's GO, twice, until the player has loaded the first question")
            assert question["question"] == QUESTIONS[0][0], question
            said = player.answer(client, game, (question["guid"], 0, round(float(question["at"]) + 0.1, 6)))
            assert said.status == 202, f"the answer: {said}"
            took("until the answer is taken")
            pictures = behind(viewer.media())
            result = wait_until(lambda: viewer.first("showResults"), 120, "the result is in the stream")
            assert sum(result["counts"]) == 1, f"the result is {result}"
    finally:
        screen.process.terminate()
        screen.process.wait(20)
    said = ", ".join(f"{seconds:.1f} s {what}" for what, seconds in times.items())
    return f"{sum(times.values()):.1f} s by the machine from the command to the first answer: {said}; {pictures}"


STEPS = [
    "install the package", "type `cuelight-server run quiz.xlsx`", "copy address and key to OBS and start the stream",
    "players scan the code and type a name", "the host opens the link and presses GO, twice"]


def run(lines, options):
    lines.fact(f"{len(STEPS)} steps of people: {'; '.join(STEPS)}")
    # OBS's own setting is 250 frames, at 30 a second; the server asks for a key frame every two seconds.
    lines.prove("with OBS's own key frames, 8.3 s apart", show, options, 250)
    lines.prove("with key frames 2 s apart", show, options, 60)


if __name__ == "__main__":
    prove_and_end(run, "server")
