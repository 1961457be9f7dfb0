"""A game server's pages in Chromium: the server, the stream as it goes out, and the windows of those who play and lead."""

import contextlib
import http.client
import json
import os
import re
import shutil
import time
import traceback

from playwright.sync_api import sync_playwright

from proofs.hosting.game import Client, Host, Server
from proofs.processes import ffmpeg, finished, in_background, wait_until

# Seconds within which a window has to show what it is to show. A machine may be slow; what comes is not waited for longer than it takes.
PATIENCE = 120
# Where the picture has its number: as many squares as it has bits, of so many pixels.
BITS, SQUARE = 15, 12
FRAME_RATE = 25
SCORING = "speed:1000:500"
# The program: Chromium with all that belongs to windows, or its headless shell, which has the same engine and takes half of the processor's time.
CHROMIUM = os.environ.get("CUELIGHT_CHROMIUM", "chromium")


def make_clip(output, seconds):
    """Makes video whose pictures have their numbers in them, in black and white squares, the lowest bit first, and sound."""
    squares = ",".join(
        f"drawbox=x={bit * SQUARE}:y=0:w={SQUARE}:h={SQUARE}:t=fill:color=white:enable='mod(floor(n/{1 << bit}),2)'" for bit in range(BITS))
    picture = f"testsrc2=size=320x180:rate={FRAME_RATE}:duration={seconds},drawbox=x=0:y=0:w={BITS * SQUARE}:h={SQUARE}:t=fill:color=black,{squares}"
    ffmpeg(
        "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", f"sine=frequency=330:sample_rate=48000:duration={seconds}", "-c:v", "libx264", "-preset",
        "veryfast", "-bf", "2", "-g", FRAME_RATE, "-flags", "+cgop", "-pix_fmt", "yuv420p", "-c:a", "aac", output)


@contextlib.contextmanager
def chromium():
    """Debian's Chromium or its headless shell, without a window on any screen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(CHROMIUM))
        try:
            yield browser
        finally:
            browser.close()


class Show:
    """A game server with its pages, at a stream with a game that a host leads, or that goes by itself."""

    def __init__(self, options, folder, quiz, *arguments, source=None):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if quiz:
            (folder / "quiz.json").write_text(json.dumps(quiz))
            arguments = ["--quiz", folder / "quiz.json", *arguments]
        self.cuelight = options.cuelight
        self.server = Server(
            options.server, folder / "data", "--input", source or options.clip, *([] if source else ["--loop"]), "--web", options.package,
            "--player-library", options.library / "hls.js", "--segment-duration", 1, *arguments, log=folder / "server.log", parts=True)
        if not source:
            wait_until(self.server.is_ready, PATIENCE, "the stream is there")
        self.recording = Recording(self.server.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.recording.end()
        self.server.stop()

    @property
    def page(self):
        return self.server.begun["page"]

    @property
    def console(self):
        return self.server.begun["console"]

    def command(self, name, **keys):
        """Leads the game."""
        host = Host(self.server)
        try:
            return host.command(name, **keys)
        finally:
            host.client.close()

    def plan(self, **times):
        """Sets when the game begins, or lets players in: in so many seconds from now."""
        dates = {name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds)) for name, seconds in times.items()}
        with self.server.host() as client:
            answer = client.call("PATCH", self.server.path(), dates)
        assert answer.status == 200, answer

    def get(self, path, token=None):
        """What the server says of the game."""
        with self.server.client(token) as client:
            answer = client.get(path if path.startswith("/") else self.server.path(path))
        assert answer.status == 200, f"{path}: {answer}"
        return answer

    def said(self, *arguments):
        """What cuelight says of the stream that went out, as it was recorded: its lines by their types."""
        playlist = self.recording.save(self.folder / "show")
        return [json.loads(line) for line in finished(self.cuelight, *arguments, playlist).stdout.splitlines()]

    def events(self):
        """The events in the stream, by `inspect`."""
        events = {}
        for line in self.said("inspect", "--json"):
            if line["type"] == "copy":
                events.setdefault(line["guid"], line["event"])
        return sorted(events.values(), key=lambda event: event["sequence"])

    def replayed(self):
        """The scoreboards, and the players at the end, as `replay` makes them of the stream and the record."""
        record = self.folder / "record.ndjson"
        record.write_bytes(self.get("record", self.server.host_token).body)
        lines = self.said("replay", "--json", "--scoring", SCORING, "--top", "all", "--answers", record)
        return ([line for line in lines if line["type"] == kind] for kind in ("scoreboard", "player"))


class Recording:
    """Loads each segment of a live stream once, as long as it runs."""

    def __init__(self, port):
        self.port, self.segments, self.map = port, {}, None
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        with Client(self.port, timeout=10) as client:
            while self.is_running:
                try:
                    self.reload(client)
                except (OSError, http.client.HTTPException):
                    # What is missing in the end is a fact's business.
                    pass
                time.sleep(0.2)

    def load(self, client, name):
        answer = client.get(f"/live/live/{name}")
        if answer.status != 200:
            raise http.client.HTTPException(f"{name}: {answer.status}")
        return answer.body

    def reload(self, client):
        """Loads what is new. Sound in a track of its own is left out."""
        names = [line for line in self.load(client, "index.m3u8").decode().splitlines() if line and not line.startswith("#")]
        tags = []
        for line in self.load(client, names[0]).decode().splitlines():
            if line.startswith("#EXT-X-MAP:"):
                name = re.search('URI="([^"]+)"', line)[1]
                self.map = self.map or (name, self.load(client, name))
            elif line.startswith("#EXTINF:") or line == "#EXT-X-DISCONTINUITY":
                tags.append(line)
            elif line and not line.startswith("#"):
                if line not in self.segments:
                    self.segments[line] = tags, self.load(client, line)
                tags = []

    def end(self):
        self.is_running = False
        self.thread.join()

    def save(self, folder):
        """Writes what was loaded as a presentation that has ended; returns its playlist."""
        folder.mkdir(exist_ok=True)
        segments = dict(self.segments)
        longest = max(float(tag.split(":")[1].rstrip(",")) for tags, _ in segments.values() for tag in tags if tag.startswith("#EXTINF"))
        lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{round(longest + 0.5)}"]
        if self.map:
            lines.append(f'#EXT-X-MAP:URI="{self.map[0]}"')
            (folder / self.map[0]).write_bytes(self.map[1])
        for name, (tags, data) in segments.items():
            lines += [*tags, name]
            (folder / name).write_bytes(data)
        (folder / "index.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
        return folder / "index.m3u8"


# What is said to who hears the page, in the order in which it is said.
HEAR = """() => {
  globalThis.heard = [];
  const place = document.getElementById("spoken");
  new MutationObserver(() => heard.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
}"""


def prove_facts(lines, folder, name, facts, open_page, check=lambda page: None):
    """Proves facts of pages, each in a window of its own. A window of a fact that is broken leaves a picture.

    `open_page` gives a window and the server behind it, with which a fact is proved, and `check` looks at the window afterwards.
    """
    for fact, prove in facts.items():
        page, server = open_page()
        try:
            prove(page, server)
            check(page)
            lines.fact(f"{name}: {fact}")
        except Exception as error:  # A proof that cannot be made is a broken one.
            page.page.screenshot(path=folder / f"{prove.__name__}.png")
            lines.fails(f"{name}: {fact}: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-2)}")
        page.close()


class Window:
    """A window of its own: nothing that others have kept is there. What its console says, and each dialog, is a problem."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE * 1_000)
        self.problems = []
        self.is_steered = False
        self.page = self.tab()

    def tab(self):
        """Another tab."""
        page = self.context.new_page()
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("dialog", self.dismiss)
        return page

    def steer(self):
        """Stops the page's clock: from now on it goes only while this window waits for something, however slow the machine is."""
        self.page.clock.install(time=0)
        self.page.clock.pause_at(1)
        self.is_steered = True
        return self

    def hear(self, message):
        if message.type in ("error", "warning", "assert"):
            self.problems.append(f"{message.type}: {message.text} {message.location.get('url', '')}")

    def asked(self, method, path):
        """Counts calls from now on: a list of their times."""
        times = []
        self.page.on("request", lambda request: times.append(time.monotonic()) if request.method == method and path in request.url else None)
        return times

    def listen(self):
        """Keeps what the page says to who hears it."""
        self.page.evaluate(HEAR)

    def heard(self):
        return self.page.evaluate("heard")

    def key(self, key, code):
        """Presses a key of a keyboard with other letters: what it writes, and where it is."""
        self.page.evaluate(
            "(keys) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...keys, bubbles: true, cancelable: true }))", {"key": key, "code": code})

    def dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self):
        self.context.close()

    def part(self, name):
        """What is visible of that name."""
        return self.page.locator(f"#{name}")

    def text(self, name):
        return self.part(name).inner_text().strip()

    def see(self, selector):
        """Waits until something is to be seen."""
        found = self.page.locator(selector).first
        if self.is_steered:
            self.until(found.is_visible, f"{selector} is visible")
        found.wait_for(state="visible")
        return found

    def until(self, condition, what, seconds=None):
        """Waits until something is true, while the page goes on."""
        end = time.monotonic() + (seconds or PATIENCE)
        while True:
            found = condition()
            if found:
                return found
            assert time.monotonic() < end, f"not within {seconds or PATIENCE} s: {what() if callable(what) else what}"
            self.wait(50)

    def wait(self, milliseconds):
        """Lets the page go on for a while."""
        if self.is_steered:
            self.page.clock.run_for(milliseconds)
        else:
            self.page.wait_for_timeout(milliseconds)


class Viewer(Window):
    """Who plays."""

    def __init__(self, browser, show, **options):
        super().__init__(browser, **options)
        self.show = show

    def join(self, nickname, by_keys=False, address=None):
        """Types a nickname and joins; what the server has answered is the seat."""
        self.page.goto(address or self.show.page)
        return self.join_here(nickname, by_keys)

    def join_here(self, nickname, by_keys=False):
        """Does that on the page that is open."""
        self.see("#join")
        with self.page.expect_response(lambda response: "/players/" in response.url and response.request.method == "PUT") as answer:
            if by_keys:
                self.until(lambda: self.page.locator("#nickname:focus").count(), "the nickname has the focus")
                self.page.keyboard.type(nickname)
                self.page.keyboard.press("Enter")
            else:
                self.part("nickname").fill(nickname)
                self.page.locator("#join-form button.big").click()
        self.seat = answer.value.json()
        assert answer.value.status == 201, self.seat
        self.see("#show")
        return self

    def phase(self, name):
        """Waits for a phase of the game, as the picture shows it."""
        self.see(f"body[data-phase={name}]")
        return self

    def question(self, number):
        """Waits until a question takes answers."""
        self.see("body[data-phase=asking] #question")
        self.until(lambda: re.search(r"\d+", self.text("question-number"))[0] == str(number), f"question {number} is asked")

    def answer(self, index, by_keys=False):
        if by_keys:
            self.page.keyboard.press(str(index + 1))
        else:
            # Answers that are closed are clicked as well, without waiting for them to open.
            self.page.locator(".answer").nth(index).click(force=True)

    def saved(self):
        """Waits until the answer is shown as saved."""
        self.see("#answer-state[data-kind=good]")

    def is_chosen(self, index):
        return self.page.locator(f"#answer-{index}").is_checked()

    def reload(self):
        """Loads the page again; the server's answer to who comes back is the seat."""
        with self.page.expect_response(lambda response: "/players/" in response.url and response.request.method == "PUT") as answer:
            self.page.reload()
        self.see("#show")
        before, self.seat = self.seat, answer.value.json()
        return answer.value.status, before["player"] == self.seat["player"]

    def standing(self):
        """The own line at the foot of the page: rank, score and right answers."""
        return [self.text(f"you-{name}") for name in ("rank", "score", "right")]

    def told(self):
        """The same as the server says it."""
        standing = self.show.get("me", self.seat["token"]).object
        return [written(standing[name]) for name in ("rank", "score", "right")]

    def sees_standing(self):
        """Waits until the page has what the server says."""
        self.until(lambda: self.standing() == self.told(), f"{self.seat['nickname']} sees {self.told()}, not {self.standing()}")
        return self.standing()

    def board(self):
        """The scoreboard's lines: place, name and points."""
        return [
            [line.locator(place).inner_text().strip() for place in (".place", "bdi", ".points")]
            for line in self.page.locator("#leaders li").all()]

    def result(self):
        """What the result shows: the right answer, and how many chose each."""
        marks = self.page.locator("#answers .answer").all()
        right = [index for index, mark in enumerate(marks) if "right" in mark.get_attribute("class").split()]
        return {"right": right, "counts": [int(mark.locator(".count").inner_text()) for mark in marks], "verdict": self.text("verdict")}


def written(number):
    """A number as the pages write it in English."""
    return "–" if number is None else f"{number:,}"


def board_of(lines):
    """The lines of a scoreboard as the page shows them."""
    return [[written(line["rank"]), line["player"], written(line["score"])] for line in lines[:10]]
