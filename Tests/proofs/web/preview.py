"""Looks at stamped streams with `cuelight preview` in Chromium, by keyboard alone, and proves that the page shows what is in them.

    python3 -m proofs.web.preview --server PROGRAM --cuelight PROGRAM --package FOLDER --library SCRIPT --clip CLIP --cues SHEET --folder FOLDER

The clip is stamped as one transport stream, as one file of fragmented MP4 and as a playlist with segments. Prints a line for each fact; ends with
status 1 where one is not so.
"""

import base64
import json
import signal
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.players import browser
from proofs.processes import finished

# How far the picture may be off the place that it jumps to, in seconds, and how late a question may be on the screen.
OFF = 0.15
LATEST = 0.3
# How long the page waits before an event that is chosen, in seconds.
LEAD = 1
# How long the page gathers what it says to who hears it, in seconds, and a little more.
SPEAKING = 0.2
# How long anything may take, in seconds.
PATIENCE = 30
WIDTHS = [(320, 640), (768, 1024), (1280, 720), (1920, 1080)]
KEYS = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, " ": 32}


class Server:
    """A `cuelight preview` of a stream."""

    def __init__(self, options, stream):
        self.process = subprocess.Popen(
            [options.server, "preview", str(stream), "--web", options.package, "--player-library", options.library, "--json"],
            stderr=subprocess.PIPE, text=True)
        self.page = json.loads(self.process.stderr.readline())["page"]

    def end(self):
        """Interrupts it; gives its status and how long it took to end, in seconds."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE), time.monotonic() - start
        finally:
            self.process.kill()


class Page:
    """A page in Chromium that is operated by keys."""

    def __init__(self, chromium, address):
        self.chromium = chromium
        self.target = chromium.call("Target.createTarget", 20, url="about:blank")["targetId"]
        self.session = chromium.call("Target.attachToTarget", 20, targetId=self.target, flatten=True)["sessionId"]
        chromium.events = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)

    def call(self, method, **parameters):
        return self.chromium.call(method, PATIENCE, self.session, **parameters)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise browser.BrowserError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def wait(self, expression, seconds=PATIENCE):
        """Waits until an expression is true; gives whether it became so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.value(expression):
                return True
            time.sleep(0.02)
        return False

    def press(self, key, times=1):
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else None)
        code = KEYS.get(key, ord(key[0]))
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, windowsVirtualKeyCode=code, **({"text": text} if text else {}))
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def tab_to(self, expression):
        """Presses Tab until an expression is true; gives whether it became so."""
        for _ in range(60):
            if self.value(expression):
                return True
            self.press("Tab")
        return False

    def picture(self, path):
        # What is fixed to the window would lie in the middle of the page.
        self.value("scrollTo({ top: 0, behavior: 'instant' })")
        height = self.value("document.documentElement.scrollHeight")
        width = self.value("innerWidth")
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        """Closes it, and gives what its console said."""
        said = list(self.chromium.console(self.session))
        self.chromium.call("Target.closeTarget", 20, targetId=self.target)
        return said


def clock(seconds):
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths // 1000, 60)
    return f"{minutes:02}:{rest:02}.{thousandths % 1000:03}"


def check_events(lines, page, name, events, last):
    """The marks and the list have each event once, in order, where its time is."""
    page.wait(f"document.querySelectorAll('#list li').length === {len(events)} && document.getElementById('seek').max > 1")
    wanted = [[event["guid"], event["time"]] for event in events]
    marks = page.value("[...document.querySelectorAll('#marks button')].map((mark) => [mark.dataset.guid, parseFloat(mark.style.insetInlineStart), mark.textContent])")
    lines.tell([mark[0] for mark in marks] == [guid for guid, _ in wanted], f"{name}: {len(marks)} marks, one for each event that inspect lists", str(marks))
    off = max((abs(mark[1] / 100 * last - at) for mark, (_, at) in zip(marks, wanted)), default=0)
    lines.tell(off < 0.05, f"{name}: each mark is where its event is")
    letters = {letter: event["eventType"] for (_, _, letter), event in zip(marks, events)}
    lines.tell(len(letters) == len({event["eventType"] for event in events}), f"{name}: types have letters of their own: {' '.join(letters)}")
    listed = page.value("[...document.querySelectorAll('#list li')].map((line) => [line.querySelector('.event-guid').textContent, line.querySelector('.event-time').textContent, line.querySelector('.event-text').textContent])")
    lines.tell([line[:2] for line in listed] == [[guid, clock(at)] for guid, at in wanted], f"{name}: the list has the same events, with their times", str(listed))
    questions = [event["event"]["question"] for event in events if event["eventType"] == "askQuestion"]
    lines.tell(all(any(question in line[2] for line in listed) for question in questions), f"{name}: the list has the questions' words")


def check_jump(lines, page, name, event, open_it):
    """Goes to a question by keys: the picture begins before it, and the question comes when it is asked."""
    open_it()
    page.wait(f"Math.abs(document.getElementById('video').currentTime - {event['time'] - LEAD}) < 1 && !document.getElementById('video').seeking")
    at = page.value("document.getElementById('video').currentTime")
    lines.tell(event["time"] - LEAD - OFF <= at < event["time"], f"{name}: the picture goes on {event['time'] - at:.2f} s before the event at {clock(event['time'])}")
    text = json.dumps(event["event"]["question"])
    isThere = f"!document.getElementById('question').hidden && document.getElementById('question-text').textContent === {text}"
    # Looked for within the page, so that the time is that of the frame.
    seen = page.value(f"""new Promise((resolve) => {{
      const end = performance.now() + {PATIENCE * 1000};
      const look = () => {isThere} ? resolve(document.getElementById('video').currentTime) : performance.now() > end ? resolve(null) : setTimeout(look, 10);
      look();
    }})""")
    isOnTime = seen is not None and event["time"] - OFF <= seen <= event["time"] + LATEST
    lines.tell(isOnTime, f"{name}: its question is on the screen {(seen or 0) - event['time']:+.2f} s after its time", str(seen))


def check_cards(lines, page, name, events):
    """Each step to the next event, and back, shows the card that the game has there, also where nothing is announced."""
    cards = {"startGame": "watching", "askQuestion": "question", "showResults": "question", "endGame": "end"}
    page.value("document.getElementById('video').pause()")
    wrong = []
    for at, wanted in [(events[0]["time"] - 5, None)] + [(event["time"] + 0.5, cards.get(event["eventType"])) for event in [*events, *reversed(events)]]:
        page.value(f"Object.assign(document.getElementById('video'), {{ currentTime: {max(at, 0)} }}) && 0")
        page.wait("!document.getElementById('video').seeking")
        shown = "['lobby', 'watching', 'question', 'end'].filter((id) => !document.getElementById(id).hidden).join()"
        if wanted is not None and not page.wait(f"{shown} === {json.dumps(wanted)}", 3):
            wrong.append(f"{at:.1f} s: {page.value(shown)} instead of {wanted}")
    lines.tell(not wrong, f"{name}: after {2 * len(events) + 1} jumps there is the card of the place that was jumped to", "; ".join(wrong))


def check_steps(lines, page, name, events):
    """The buttons go from event to event, also where several come at once and at the beginning."""
    page.tab_to("document.activeElement.id === 'previous'")
    page.value("""(() => {
      globalThis.heard = [];
      const place = document.getElementById("spoken");
      new MutationObserver(() => heard.push(...(place.textContent.match(/the event at ([0-9:.]+)/) ?? []).slice(1))).observe(place, { childList: true });
    })()""")
    said = lambda: page.value("heard.at(-1)")
    steps = []
    for key, count in (("previous", len(events) + 1), ("next", len(events) + 1), ("previous", len(events) + 1)):
        page.tab_to(f"document.activeElement.id === '{key}'")
        for _ in range(count):
            page.press("Enter")
            page.wait("!document.getElementById('video').seeking")
            time.sleep(SPEAKING)
            steps.append(said())
    wanted = [clock(event["time"]) for event in events]
    there, back = steps[len(events) + 1:2 * len(events) + 2], steps[2 * len(events) + 2:]
    ends = lambda found, order: found[:len(order)] == order
    lines.tell(ends(there, wanted[1:]) and ends(back, wanted[-2::-1]),
               f"{name}: the buttons go through all {len(events)} events and back", f"{there} {back} instead of {wanted}")
    # Two come at once, and the picture has passed both.
    first, second = next(pair for pair in zip(events, events[1:]) if pair[1]["time"] - pair[0]["time"] < 0.05)
    page.value("Object.assign(document.getElementById('seek'), { value: %f }).dispatchEvent(new Event('input'))" % (second["time"] + 0.4))
    page.tab_to("document.activeElement.id === 'previous'")
    found = []
    for _ in range(2):
        page.wait(f"document.getElementById('video').currentTime > {second['time'] + 0.2}")
        page.press("Enter")
        time.sleep(SPEAKING)
        found.append(said())
    before = wanted[wanted.index(clock(first["time"])) - 1]
    lines.tell(found == [clock(first["time"]), before], f"{name}: it goes on from two events that come at once", str(found))


def check_answer(lines, page, name):
    page.press("2")
    chosen = page.value("[...document.querySelectorAll('#answers input')].findIndex((input) => input.checked)")
    said = page.value("document.getElementById('answer-state').textContent")
    lines.tell(chosen == 1 and "preview" in said, f"{name}: the key 2 chooses the second answer, and nothing is sent: {said}", f"{chosen} {said}")
    sent = page.value("performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname).filter((path) => path.startsWith('/v1'))")
    lines.tell(sent == [], f"{name}: no call goes to a game server", str(sent))


# What a finger cannot hit: buttons, and marks but where another one of the row is nearer; and marks that lie over each other.
SMALL = """(() => {
  const least = 44;
  const wrong = [...document.querySelectorAll("button:not(.event-mark), input, .answer")].map((part) => part.closest(".answer") ?? part)
    .filter((part) => part.checkVisibility() && Math.min(part.offsetHeight, part.offsetWidth) < least)
    .map((part) => `${part.id || part.className} ${part.offsetWidth} x ${part.offsetHeight}`);
  const rows = Map.groupBy(document.querySelectorAll(".event-mark"), (mark) => mark.offsetTop);
  for (const row of rows.values()) {
    const places = row.map((mark) => mark.getBoundingClientRect()).sort((one, other) => one.x - other.x);
    const middles = places.map(({ x, width }) => x + width / 2);
    places.forEach(({ x, width, height }, index) => {
      const room = Math.min(least, ...[middles[index - 1], middles[index + 1]].filter((other) => other !== undefined).map((other) => Math.abs(other - middles[index])));
      if (height < least || width < room - 1) wrong.push(`mark ${width.toFixed(1)} x ${height}, with room for ${room.toFixed(1)}`);
      if (index > 0 && x < places[index - 1].right - 1 && room > 12) wrong.push(`marks over each other at ${x}`);
    });
  }
  return wrong;
})()"""


def check_sizes(lines, page, name, folder):
    wide, small = [], []
    for width, height in WIDTHS:
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        for scheme in ("dark", "light"):
            page.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            if page.value("document.documentElement.scrollWidth > innerWidth"):
                wide.append(f"{width} {scheme}")
            small += [f"{width}: {text}" for text in page.value(SMALL)]
            if width < 400 and (high := page.value("document.getElementById('transport').offsetHeight")) > 72:
                small.append(f"the buttons take {high} px")
            page.picture(folder / f"{name}-{width}-{scheme}.png")
    lines.tell(not small, f"{name}: a finger can hit all, and the buttons are one row on a phone", "; ".join(small[:6]))
    lines.tell(not wide, f"{name}: nothing is cut off from {WIDTHS[0][0]} to {WIDTHS[-1][0]} px, light and dark", ", ".join(wide))


def look(lines, options, chromium, name, stream):
    said = finished(options.cuelight, "inspect", "--json", stream).stdout.splitlines()
    events = [line for line in map(json.loads, said) if line["type"] == "copy" and not line["duplicate"]]
    questions = [event for event in events if event["eventType"] == "askQuestion"]
    server = Server(options, stream)
    page = Page(chromium, server.page)
    try:
        page.wait("document.getElementById('video')?.readyState > 2")
        check_events(lines, page, name, events, page.value("Number(document.getElementById('seek').max)"))
        place = [event["guid"] for event in events].index(questions[-1]["guid"])

        def by_mark():
            page.tab_to("Boolean(document.activeElement.closest('#marks'))")
            page.press("Home")
            page.press("ArrowRight", place)
            page.press("Enter")

        def by_line():
            guid = json.dumps(questions[0]["guid"])
            page.tab_to(f"document.activeElement.matches('.event-line') && document.activeElement.dataset.guid === {guid}")
            page.press("Enter")

        check_jump(lines, page, f"{name}, from the timeline", questions[-1], by_mark)
        check_jump(lines, page, f"{name}, from the list", questions[0], by_line)
        check_answer(lines, page, name)
        check_cards(lines, page, name, events)
        check_steps(lines, page, name, events)
        moved = page.wait("parseFloat(document.getElementById('head').style.insetInlineStart) > 0 && document.querySelector('#list [aria-current]') !== null")
        lines.tell(moved, f"{name}: the line shows where the picture is")
        check_jump(lines, page, f"{name}, from the list again", questions[0], by_line)
        check_answer(lines, page, name)
        check_sizes(lines, page, name, options.folder)
        lines.tell(not (said := page.close()), f"{name}: the console says nothing", "; ".join(said))
        if stream.suffix == ".ts":
            look_in_arabic(lines, options, chromium, server, f"{name}, in Arabic", questions[0])
    finally:
        status, seconds = server.end()
    lines.tell(status == 0 and seconds < 1, f"{name}: the server ends {seconds:.2f} s after SIGINT, with a page open", f"status {status}")


def look_in_arabic(lines, options, chromium, server, name, question):
    """The same page from right to left: its own words are Arabic, and others' stay beside what they belong to."""
    page = Page(chromium, f"{server.page}?lang=ar")
    page.wait("document.getElementById('video')?.readyState > 2 && document.querySelectorAll('#list li').length > 0")
    guid = json.dumps(question["guid"])
    page.tab_to(f"document.activeElement.matches('.event-line') && document.activeElement.dataset.guid === {guid}")
    page.press("Enter")
    page.wait("!document.getElementById('question').hidden")
    latin = page.value("""[...document.querySelectorAll("[data-say], [data-say-label]")].map((part) => part.dataset.say ? part.textContent : part.getAttribute("aria-label"))
      .filter((text) => /[a-z]{3}/i.test(text))""")
    lines.tell(page.value("document.documentElement.dir") == "rtl" and not latin, f"{name}: the page's own words are Arabic", str(latin))
    # A line's text begins at the right, where its type ends or the line does.
    far = page.value("""[...document.querySelectorAll(".event-text, .answer-text")].filter((part) => part.textContent).map((part) => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return part.getBoundingClientRect().right - range.getBoundingClientRect().right;
    }).filter((gap) => gap > 2)""")
    lines.tell(not far, f"{name}: words from left to right stay beside what they belong to", str(far))
    check_sizes(lines, page, name, options.folder)
    lines.tell(not (said := page.close()), f"{name}: the console says nothing", "; ".join(said))


def make_streams(options):
    """The clip stamped in each way: names and paths."""
    # One event is nearer to the beginning than the picture goes back, and two come at once.
    sheet = options.folder / "cues.yaml"
    cues = options.cues.read_text().replace("at: 1s,", "at: 0.2s,").replace("  - { at: 10s,", "  - { at: 8.02s, event: periodicInfo, viewers: 500 }\n  - { at: 10s,")
    sheet.write_text(cues)
    stamp = [options.cuelight, "stamp", options.clip, "--cues", sheet, "-o"]
    show, playlist, parts = options.folder / "show.ts", options.folder / "hls" / "index.m3u8", options.folder / "parts" / "index.m3u8"
    for command in ([*stamp, show], [*stamp, playlist], [*stamp, parts, "--segment-type", "fmp4"]):
        finished(*command)
    # The video's initialization segment and its segments, one behind the other, are a file of fragmented MP4.
    whole = options.folder / "show.mp4"
    with open(whole, "wb") as file:
        for part in [parts.parent / "index-segment-init.mp4", *sorted(parts.parent.glob("index-segment-0*.m4s"))]:
            file.write(part.read_bytes())
    return [("transport stream", show), ("fragmented MP4", whole), ("playlist", playlist)]


def run(lines, options):
    streams = make_streams(options)
    with browser.start() as chromium:
        for name, stream in streams:
            look(lines, options, chromium, name, stream)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library", "clip", "cues")
