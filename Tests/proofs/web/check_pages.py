"""Proves what takes the pages of a game server longer than a short game: a show of twelve questions on time, lost networks, keys alone, hostile texts,
the host's console, pictures of every state, and memory. Prints a line for each fact.

    python3 -m proofs.web.check_pages --server PROGRAM --cuelight PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES [--screens FOLDER] [--minutes 2]
        [PROOF...]
"""

import contextlib
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import time

from proofs.facts import as_path, prove_and_end
from proofs.hosting.game import Player
from proofs.processes import wait_until
from proofs.web import pages
from proofs.web.pages import FRAME_RATE, PATIENCE, Show, Viewer, Window, chromium

# How late a transition may be by the picture, in seconds, and how early: a frame is shown from its time on.
LATEST = 0.060
EARLIEST = -1 / FRAME_RATE
# How long a network is away, and how long a picture stands still.
AWAY, STILL = 10, 30
CLIP = 600
SIZES = [(320, 640), (768, 1024), (1920, 1080)]
LANGUAGES = ["en", "ar"]
# What a finger needs, in CSS pixels.
TARGET = 44
# How much the JavaScript heap may grow over a run, in bytes: compiled code and caches come late.
GROWTH = 1_500_000
# What the reader may keep of an event of the game that runs, in bytes: one can go back to each. Its memory grows in steps.
KEPT, WASM_STEP = 2_000, 256 << 10

# Keeps what the picture showed at each change of the page's phase: the number in its squares, and the video's own time.
WITNESS = """
addEventListener("DOMContentLoaded", () => {
  const [bits, square] = [%d, %d];
  const canvas = Object.assign(document.createElement("canvas"), { width: bits * square, height: square });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  globalThis.seen = [];
  new MutationObserver(() => {
    const video = document.getElementById("video");
    context.drawImage(video, 0, 0);
    let frame = 0;
    for (let bit = 0; bit < bits; bit += 1) {
      if (context.getImageData((bit + 0.5) * square, square / 2, 1, 1).data[0] > 127) frame += 2 ** bit;
    }
    seen.push({ phase: document.body.dataset.phase, frame, time: video.currentTime });
  }).observe(document.body, { attributes: true, attributeFilter: ["data-phase"] });
});
""" % (pages.BITS, pages.SQUARE)


def quiz(count):
    return {
        "id": "pages", "title": "Pages",
        "questions": [{"question": f"Question {number}: which one?", "answers": ["This", "That", "Neither"], "correct": "That"} for number in range(count)]}


def tell(lines, name, fact, is_so, wrong=""):
    lines.tell(is_so, f"pages, {name}: {fact}", wrong)


def quiet(lines, name, *windows, allowed=()):
    """The consoles say nothing but what is meant to happen."""
    is_meant = lambda text: any(part in text if isinstance(part, str) else part.search(text) for part in allowed)
    said = [text for window in windows for text in window.problems if not is_meant(text)]
    tell(lines, name, "the consoles say nothing", not said, said[:4])


# What a browser says of calls that have no network, and of those that are refused with a status, with the address.
AWAY_CALLS = ["net::ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED", "net::ERR_NETWORK_CHANGED"]


def refused(status, path):
    return re.compile(rf"status of {status} .*/v1/{path}")


# ---- On time

def transitions(lines, options, browser):
    for kind in ("ts", "fmp4"):
        arguments = ["--start-in", 20, "--time", 3, "--delay", 3, "--pause", 1, "--segment-type", kind]
        with Show(options, options.folder / f"transitions-{kind}", quiz(12), *arguments) as show:
            viewer = Viewer(browser, show)
            viewer.page.add_init_script(WITNESS)
            viewer.join("Ann")
            viewer.until(lambda: viewer.page.locator("body[data-phase=ended]").count(), "the show is over", 300)
            seen = viewer.page.evaluate("seen")
            check_times(lines, f"transitions, {kind}", show.events(), seen)
            quiet(lines, f"transitions, {kind}", viewer)
            viewer.close()


def check_times(lines, name, events, seen):
    wanted = []
    for event in events:
        if event["eventType"] == "askQuestion":
            wanted += [("asking", event["at"]), ("closed", event["at"] + event["allottedTime"])]
        elif event["eventType"] == "showResults":
            wanted.append(("results", event["at"]))
        elif event["eventType"] == "endGame":
            wanted.append(("ended", event["at"]))
    found = [look for look in seen if look["phase"] in ("asking", "closed", "results", "ended")]
    if [look["phase"] for look in found] != [phase for phase, _ in wanted]:
        place = next(index for index, (look, (phase, _)) in enumerate(zip(found, wanted)) if look["phase"] != phase)
        shown = [(look["phase"], look["frame"] / FRAME_RATE, round(look["time"], 2)) for look in found[max(place - 2, 0):place + 3]]
        return tell(lines, name, "each transition is shown once", False, f"{shown} instead of {wanted[max(place - 2, 0):place + 3]} (load {os.getloadavg()[0]:.1f})")
    late = sorted(look["frame"] / FRAME_RATE - at for look, (_, at) in zip(found, wanted))
    text = f"p50 {1_000 * statistics.median(late):.0f}, p99 {1_000 * late[int(0.99 * (len(late) - 1))]:.0f}, worst {1_000 * late[-1]:.0f}, earliest {1_000 * late[0]:.0f} ms"
    # Where others work on the machine, single pictures come later than their time.
    load = os.getloadavg()[0]
    is_quiet = load <= os.cpu_count()
    judged = late[-1] if is_quiet else statistics.median(late)
    tell(lines, name, f"{len(late)} transitions by the picture's own number, after their time: {text}"
         f"{'' if is_quiet else f' (load {load:.1f}: the machine is busy, and only the median counts)'}",
         EARLIEST - 0.001 <= late[0] and judged <= LATEST)


# ---- The network

def networks(lines, options, browser):
    with Show(options, options.folder / "networks", quiz(4), "--hosted", "--time", 60, "--delay", 20) as show:
        ann = Viewer(browser, show).join("Ann")
        show.command("next")
        ann.question(1)
        answer_offline(lines, ann)
        answer_over_reload(lines, ann)
        second_tab(lines, ann)
        show.command("reveal")
        ann.phase("results").sees_standing()

        show.command("next")
        ben = Viewer(browser, show)
        ben.join("Ben")
        ben.question(2)
        ben.answer(1, by_keys=True)
        ben.saved()
        lose_answer(lines, show, ann)
        ben.phase("results")
        standing = ben.sees_standing()
        tell(lines, "networks", f"who joins within a question answers it: {standing}", standing[2] == "1", standing)

        fall_behind(lines, show, ann)
        quiet(lines, "networks", ann, ben, allowed=[refused(409, "games/.*/answers"), *AWAY_CALLS])
        for viewer in (ann, ben):
            viewer.close()
    standing_picture(lines, options, browser)


# A browser that takes in nothing more once the picture plays: what is appended to one source buffer never ends.
STOP_TAKING = """
const append = SourceBuffer.prototype.appendBuffer;
globalThis.stopped = null;
SourceBuffer.prototype.appendBuffer = function (data) {
  const video = document.getElementById("video");
  if (stopped === null && video.currentTime > 0 && data.byteLength > 8_000) globalThis.stopped = { buffer: this, at: video.currentTime };
  if (stopped?.buffer !== this) append.call(this, data);
};
"""


def standing_picture(lines, options, browser):
    """A picture that stands although the stream goes on is begun again, at live."""
    with Show(options, options.folder / "standing", quiz(1), "--hosted", "--time", 60, "--delay", 20) as show:
        viewer = Viewer(browser, show)
        viewer.context.add_init_script(STOP_TAKING)
        viewer.join("Ann")
        at = viewer.until(lambda: viewer.page.evaluate("globalThis.stopped?.at"), "the browser takes in nothing more")
        began = time.monotonic()
        # What was loaded before lasts for some seconds.
        viewer.until(lambda: viewer.page.evaluate("document.getElementById('video').currentTime") > at + 10, "the picture goes on")
        took = time.monotonic() - began
        is_back(viewer)
        show.command("next")
        viewer.question(1)
        viewer.answer(1, by_keys=True)
        viewer.saved()
        tell(lines, "networks", f"a browser that takes in nothing more: the picture is begun again, and 10 s further {took:.0f} s later", took < 40, took)
        quiet(lines, "networks", viewer)
        viewer.close()


def answer_offline(lines, ann):
    """An answer waits for the network, and counts."""
    began = time.monotonic()
    ann.context.set_offline(True)
    ann.answer(1, by_keys=True)
    ann.see("#network")
    ann.see("#answer-state[data-kind=wait]")
    said = ann.text("answer-state")
    ann.until(lambda: time.monotonic() - began > AWAY, "the network is away", AWAY + 5)
    is_waiting = ann.part("answer-state").get_attribute("data-kind") == "wait"
    ann.context.set_offline(False)
    ann.saved()
    is_back(ann)
    tell(lines, "networks", f"{AWAY} s without network: the answer waits (“{said}”), and is saved", is_waiting)


def answer_over_reload(lines, ann):
    """An answer that waits when the page is loaded again is sent by the page that comes."""
    ann.page.route("**/answers", lambda route: route.abort())
    ann.answer(2, by_keys=True)
    ann.see("#answer-state[data-kind=wait]")
    with ann.page.expect_response("**/players/**"):
        ann.page.reload()
    ann.question(1)
    ann.see("#answer-state[data-kind=wait]")
    is_there = ann.is_chosen(2)
    ann.page.unroute("**/answers")
    ann.saved()
    ann.answer(1, by_keys=True)
    ann.saved()
    tell(lines, "networks", "an answer that waits is there, and is saved, after the page was loaded again", is_there)


def is_back(viewer):
    """Waits until the page has its network and its picture again."""
    viewer.until(lambda: not viewer.part("network").is_visible(), "the network is there again")
    viewer.until(lambda: re.search(r"[1-9] s|Live", viewer.text("delay")), "the picture is there again")


def second_tab(lines, ann):
    """Another tab of the same browser is the same player, and both show what is chosen in either."""
    first, seat = ann.page, ann.seat
    ann.page = ann.tab()
    with ann.page.expect_response(lambda response: "/players/" in response.url and response.request.method == "PUT") as answer:
        ann.page.goto(ann.show.page)
    ann.see("#show")
    ann.question(1)
    ann.until(lambda: ann.is_chosen(1), "the second tab shows what was chosen")
    other = answer.value.json()
    ann.answer(2)
    ann.saved()
    first_shows = lambda: first.locator("#answer-2").is_checked()
    ann.until(first_shows, "the first tab shows what was chosen in the second")
    ann.answer(1)
    ann.saved()
    tell(lines, "networks", "a second tab is the same player, and each shows what is chosen in the other",
         (answer.value.status, other["player"], other["nickname"]) == (200, seat["player"], "Ann"), other)
    ann.page.close()
    ann.page = first
    ann.until(lambda: ann.is_chosen(1), "the first tab shows what was chosen last")


def lose_answer(lines, show, ann):
    """An answer that comes when the result is decided is told as lost, and not as right."""
    ann.question(2)
    ann.context.set_offline(True)
    ann.answer(1, by_keys=True)
    ann.see("#answer-state[data-kind=wait]")
    show.command("reveal")
    wait_until(lambda: show.server.state()["phase"] == "result", PATIENCE, "the result is in the stream")
    ann.context.set_offline(False)
    ann.see("#answer-state[data-kind=bad]")
    ann.phase("results")
    said, verdict = ann.text("answer-state"), ann.text("verdict")
    standing = ann.sees_standing()
    tell(lines, "networks", f"an answer that comes too late is told as lost: “{said}”, {standing}", "Right" not in verdict and standing[2] == "1", verdict)


def fall_behind(lines, show, ann):
    """The page says how far behind it is, that this is too far, and what became of the answer."""
    is_back(ann)
    ann.page.evaluate("document.getElementById('video').pause()")
    show.command("next")
    began = time.monotonic()
    ann.until(lambda: time.monotonic() - began > STILL, "the picture stands still", STILL + 5)
    ann.part("sound").click()
    ann.see("#delay.alarm")
    said = ann.text("delay")
    behind = int(re.search(r"\d+", said)[0])
    ann.question(3)
    ann.answer(1)
    ann.see("#answer-state[data-kind=bad]")
    refused = ann.text("answer-state")
    ann.part("go-live").click()
    ann.until(lambda: not ann.part("go-live").is_visible(), "it is live again")
    tell(lines, "networks", f"{STILL} s behind: “{said}”, then “{refused}”, and live again: “{ann.text('delay')}”",
         STILL <= behind <= STILL + 15 and "behind" in refused)


# ---- Keys alone

def keys(lines, options, browser):
    with Show(options, options.folder / "keys", quiz(2), "--hosted", "--time", 15, "--delay", 20) as show:
        ann = Viewer(browser, show)
        press, focus = ann.page.keyboard.press, lambda: ann.page.evaluate("document.activeElement.id")
        ann.page.goto(f"http://127.0.0.1:{show.server.port}/play")
        ann.until(lambda: focus() == "code", "the code has the focus")
        ann.page.keyboard.type(show.get("").object["code"].lower())
        press("Tab")
        ann.page.keyboard.type("Kay")
        with ann.page.expect_response(lambda response: "/players/" in response.url) as answer:
            press("Enter")
        ann.seat = answer.value.json()
        ann.phase("lobby")
        where = [focus()]
        show.command("next")
        ann.question(1)
        where.append(focus())
        press("Tab")
        press("Space")
        ann.saved()
        press("ArrowDown")
        ann.saved()
        ann.until(lambda: ann.is_chosen(1), "an arrow chooses the next answer")
        for phase in ("closed", "results"):
            if phase == "results":
                show.command("reveal")
            ann.phase(phase)
            where.append(focus())
        ann.sees_standing()
        show.command("next")
        ann.question(2)
        where.append(focus())
        press("2")
        ann.saved()
        where.append(focus())
        show.command("reveal")
        ann.phase("results")
        show.command("end")
        ann.phase("ended")
        standing = ann.sees_standing()
        for _ in range(20):
            press("Tab")
            if focus() == "contact-name":
                break
        ann.page.keyboard.type("Kay")
        press("Tab")
        ann.page.keyboard.type("kay@example.org")
        press("Tab")
        press("Tab")
        press("Space")
        press("Enter")
        ann.see("#contact-sent")
        where.append(focus())
        tell(lines, "keys", f"from the door to the form for contacts, with {standing[2]} right; the focus: {', '.join(where)}",
             standing[2] == "2" and where == ["panel", "panel", "answer-1", "answer-1", "panel", "answer-1", "panel"], where)
        quiet(lines, "keys", ann)
        ann.close()
    other_keys(lines, options, browser)


def other_keys(lines, options, browser):
    """Keys that are held down, keyboards with other letters, and what is said to who hears the page."""
    with Show(options, options.folder / "other-keys", quiz(2), "--hosted", "--time", 20, "--delay", 20) as show:
        show.command("next")
        wait_until(lambda: show.server.state()["phase"] == "open", PATIENCE, "a question is open")
        ann = Viewer(browser, show)
        ann.page.add_init_script(f"addEventListener('DOMContentLoaded', {pages.HEAR})")
        ann.join("Ann")
        ann.question(1)
        sent = ann.asked("POST", "/answers")
        for _ in range(12):
            ann.page.keyboard.down("2")
        ann.page.keyboard.up("2")
        ann.saved()
        ann.answer(1, by_keys=True)
        ann.page.wait_for_timeout(300)
        held = len(sent)
        chosen = []
        for key, code, index in (("\u0663", "Digit3", 2), ("&", "Digit1", 0), ("\u00e9", "Digit2", 1), ("1", "Numpad1", 0)):
            ann.key(key, code)
            ann.saved()
            chosen.append(ann.is_chosen(index))
        tell(lines, "keys", f"a key that is held down sends {held} answer; other digits work by their places", held == 1 and all(chosen), f"{held}, {chosen}")

        show.command("extend", seconds=10)
        ann.until(lambda: any("More time" in text for text in ann.heard()), f"more time is told: {ann.heard()}")
        ann.context.set_offline(True)
        ann.answer(2, by_keys=True)
        ann.see("#network")
        ann.until(lambda: any("No network" in text for text in ann.heard()), "the lost network is told")
        show.command("reveal")
        wait_until(lambda: show.server.state()["phase"] == "result", PATIENCE, "the result is in the stream")
        ann.context.set_offline(False)
        ann.phase("results").sees_standing()
        show.command("next")
        ann.question(2)
        ann.answer(1, by_keys=True)
        ann.saved()
        ann.until(lambda: "That: Saved." in ann.heard()[-3:], f"the answer is told as saved: {ann.heard()[-3:]}")
        heard = ann.heard()
        wanted = ["You play as Ann", "Question 0: which one?", "That: Saved.", "More time: ", "No network. ", "right answer is That", "Question 1: which one?"]
        missing = [text for text in wanted if not any(text in said for said in heard)]
        tell(lines, "keys", f"who hears the page hears who plays, questions, what is saved, more time and lost networks: {len(heard)} texts", not missing, f"{missing} in {heard}")
        quiet(lines, "keys", ann, allowed=AWAY_CALLS + [refused(409, "games/.*/answers")])
        ann.close()


# ---- Doors

def doors(lines, options, browser):
    for proof in (before_the_stream, before_the_door_opens, behind_the_door, in_arabic, by_itself):
        proof(lines, options, browser)


def before_the_stream(lines, options, browser):
    """Players join when nothing plays yet, and play when the encoder comes."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as free:
        free.bind(("127.0.0.1", 0))
        address = f"udp://127.0.0.1:{free.getsockname()[1]}"
    with Show(options, options.folder / "before", quiz(1), "--hosted", "--time", 30, source=address) as show:
        ann = Viewer(browser, show)
        began = time.monotonic()
        ann.join("Ann").phase("lobby")
        took = time.monotonic() - began
        ann.see("#network")
        said = ann.text("network")
        sender = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", str(options.clip), "-c", "copy", "-f", "mpegts", f"{address}?pkt_size=1316"])
        try:
            wait_until(show.server.is_ready, PATIENCE, "the stream is there")
            show.command("next")
            ann.question(1)
            is_back(ann)
            tell(lines, "doors", f"a player is in {took:.1f} s later without a stream (“{said}”), and plays when it comes", took < 20 and ("away" in said or "stopped" in said), said)
        finally:
            sender.kill()
            sender.wait()
        quiet(lines, "doors", ann, allowed=[re.compile(r"status of (404|503) .*/live/")])
        ann.close()


def before_the_door_opens(lines, options, browser):
    """For a show of next month the page waits without asking all the time, and sees when that is changed."""
    with Show(options, options.folder / "month", quiz(1), "--hosted", "--time", 30) as show:
        show.plan(entryOpensAt=30 * 86_400, startsAt=31 * 86_400)
        ann = Viewer(browser, show)
        ann.page.goto(show.page)
        ann.see("#join")
        tries = ann.asked("PUT", "/players/")
        ann.part("nickname").fill("Ann")
        ann.page.locator("#join-form button.big").click()
        ann.see("#join-problem")
        said = ann.text("join-problem")
        ann.page.wait_for_timeout(5_000)
        count = len(tries)
        day = time.gmtime(time.time() + 30 * 86_400)
        show.plan(entryOpensAt=-1, startsAt=900)
        ann.see("#show")
        tell(lines, "doors", f"30 days before, one try in 5 s: “{said}”; then the host opens the door",
             count == 1 and len(tries) == 2 and str(day.tm_year) in said and time.strftime("%B", day) in said, f"{len(tries)} tries")
        quiet(lines, "doors", ann, allowed=[refused(409, "games/.*/players/")])
        ann.close()


def behind_the_door(lines, options, browser):
    """Nothing plays before one is in; and what could not be loaded is loaded again."""
    with Show(options, options.folder / "behind", quiz(2), "--hosted", "--time", 60, "--delay", 20) as show, show.server.client() as client:
        assert Player("Ann", random.Random(1)).join(client, show.server).status == 201
        show.command("next")
        wait_until(lambda: show.server.state()["phase"] == "open", PATIENCE, "a question is open")
        ann = Viewer(browser, show)
        ann.page.goto(show.page)
        ann.see("#join")
        ann.part("nickname").fill("Ann")
        ann.page.locator("#join-form button.big").click()
        ann.see("#suggestions button")
        ann.page.wait_for_timeout(1_000)
        is_still = ann.page.evaluate("(() => { const video = document.getElementById('video'); return video.paused && video.currentTime === 0; })()")
        ann.page.locator("#suggestions button").first.click()
        ann.question(1)
        is_playing = "!document.getElementById('video').paused && document.getElementById('video').currentTime > 0"
        ann.until(lambda: ann.page.evaluate(is_playing), "the video plays")
        tell(lines, "doors", "nothing plays behind the door, also where a name is taken in mid-game", is_still)
        for name in ("cuelight-client.js", "player-library.mjs"):
            ann.page.route(f"**/{name}", lambda route: route.abort())
            ann.page.reload()
            ann.see("#missing")
            said = ann.text("missing-reason")
            ann.page.unroute(f"**/{name}")
            ann.page.locator("#try-again").click()
            ann.question(1)
            tell(lines, "doors", f"what cannot be loaded is loaded again: “{said}”", "http" not in said)
        quiet(lines, "doors", ann, allowed=[refused(409, "games/.*/players/"), *AWAY_CALLS])
        ann.close()


def in_arabic(lines, options, browser):
    """A refusal has no words of another language, and numbers have the forms of this one."""
    with Show(options, options.folder / "arabic", quiz(1), "--hosted", "--time", 60) as show, show.server.client() as client:
        for name in ("Ann", "Ben"):
            assert Player(name, random.Random(name)).join(client, show.server).status == 201
        ann = Viewer(browser, show, locale="ar")
        ann.page.goto(show.page)
        ann.see("#join")
        ann.part("nickname").fill("...")
        ann.page.locator("#join-form button.big").click()
        ann.see("#join-problem")
        said = ann.text("join-problem")
        ann.part("nickname").fill("سارة")
        ann.page.locator("#join-form button.big").click()
        ann.phase("lobby")
        ann.until(lambda: ann.text("lobby-players"), "the lobby counts the players")
        counted = ann.text("lobby-players")
        tell(lines, "doors", f"in Arabic, a refusal has no English in it, and three players are “{counted}”",
             not re.search("[A-Za-z]", said) and counted == "3 لاعبين", f"{said}, {counted}")
        quiet(lines, "doors", ann, allowed=[refused(422, "games/.*/players/")])
        ann.close()


# Without Media Source, Chromium plays HLS by itself, as Safari does.
NATIVE = """
for (const name of ["MediaSource", "ManagedMediaSource", "WebKitMediaSource"]) delete globalThis[name];
"""


def by_itself(lines, options, browser):
    """Where the browser plays the stream by itself, it plays on after an error."""
    with Show(options, options.folder / "native", quiz(1), "--hosted", "--time", 60) as show:
        ann = Viewer(browser, show)
        ann.page.add_init_script(NATIVE)
        broken = []

        def play(route):
            broken.append(route.request.url)
            if len(broken) == 1:
                route.fulfill(status=404)
            else:
                route.continue_()

        ann.page.route("**/live/**", play)
        ann.join("Ann").phase("lobby")
        ann.see("#network")
        said = lambda: ann.page.evaluate("(({ currentTime, paused, error, readyState }) => [currentTime, paused, error?.message, readyState])(document.getElementById('video'))")
        ann.until(lambda: said()[0] > 0.5 and not said()[1], lambda: f"the video plays on: {said()}, {broken}")
        ann.until(lambda: not ann.part("network").is_visible(), "the picture is told as there again")
        tell(lines, "doors", f"a browser that plays by itself plays on after an error ({len(broken)} requests)", len(broken) > 1)
        quiet(lines, "doors", ann, allowed=[re.compile("status of 404 .*/live/")])
        ann.close()


# ---- Hostile texts

HOSTILE = [
    "<img src=x onerror=hacked=1>", "<script>hacked=1</script>", "\"><svg/onload=hacked=1>", "javascript:hacked=1", "</legend></form><iframe srcdoc='<script>hacked=1'>",
    "{{constructor.constructor('hacked=1')()}}", "${hacked=1}", "a\0<b>NUL</b>", "\u202egnihton syas siht", "\u2067\u202e\u2066 unbalanced", "\\u0000\\x00%00&#0;", "<!-- <![CDATA[",
    "&lt;b&gt;&amp;&#x27;", "W" * 120, "\U0001F468\u200d\U0001F469\u200d\U0001F467\u200d\U0001F466" * 6, "Z\u0351\u0363\u0352a\u0310\u0344l\u0301\u0302g\u0300o" * 4,
    "'; DROP TABLE players; --", "مرحبا <b>world</b> שלום", "\ufeff\u200b\u2060x"]
HIDDEN = re.compile("[\0\u200b\u202a-\u202e\u2060-\u2069\ufeff]")
# What no text may become.
ELEMENTS = "img, script, iframe, svg, object, embed, style, link, base, b, form form, [onerror], [onload], [style*=url], a[href^='javascript']"
INJECTED = f"""() => Array.from(document.body.querySelectorAll("{ELEMENTS}"), (found) => found.outerHTML.slice(0, 120))"""
# What is not the page's own text keeps its direction to itself.
ISOLATED = """() => Array.from(document.querySelectorAll("legend, .answer-text, bdi, #you-name, #title, #winners, #explanation-text"))
  .filter((part) => part.textContent && !getComputedStyle(part).unicodeBidi.match(/isolate|plaintext/)).map((part) => part.outerHTML.slice(0, 120))"""
OVERFLOW = "() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth"


def hostile_quiz():
    """Questions of these texts, with others as answers. What changes the direction of its surroundings is refused in quizzes."""
    texts = [text for text in HOSTILE if len(text.encode()) < 130 and not HIDDEN.search(text)]
    chosen = [text for text in HOSTILE if not HIDDEN.search(text)][::2]
    questions = []
    for number, text in enumerate(chosen):
        answers = [texts[(number * 2 + index) % len(texts)] for index in range(3)]
        questions.append({
            "question": text, "answers": answers, "correct": answers[1], "explanation": texts[(number + 5) % len(texts)],
            "link": "https://example.org/?q=%22%3E%3Cscript%3E"})
    return {"id": "hostile", "title": HOSTILE[0], "questions": questions}


def hostile(lines, options, browser):
    chance = random.Random(1)
    with Show(options, options.folder / "hostile", hostile_quiz(), "--hosted", "--time", 60, "--delay", 20) as show, show.server.client() as client:
        players, refused = [], []
        for text in HOSTILE:
            player = Player(text[:40], chance)
            answer = player.join(client, show.server)
            assert answer.status in (201, 422, 409), f"{text!r}: {answer}"
            (players if answer.status == 201 else refused).append(player)
        ann = Viewer(browser, show, viewport={"width": 320, "height": 640})
        ann.join("<u>Ann</u>")
        console = Console(browser, show)
        console.open(show.console)
        wrong, wide = [], []
        for number, question in enumerate(hostile_quiz()["questions"], 1):
            show.command("next")
            ann.question(number)
            guid = show.server.state()["question"]["guid"]
            opens = show.server.state()["question"]["opensAt"]
            for player in players:
                player.answer(client, show.server, (guid, 1, opens + 0.1))
            ann.answer(1, by_keys=True)
            ann.saved()
            texts = ann.page.locator("#question-text").text_content(), ann.page.locator(".answer-text").all_text_contents()
            if texts != (question["question"], question["answers"]):
                wrong.append(texts)
            show.command("reveal")
            ann.phase("results")
            ann.sees_standing()
            if ann.page.locator("#explanation-text").text_content() != question["explanation"]:
                wrong.append(ann.page.locator("#explanation-text").text_content())
            wide.append(ann.page.evaluate(OVERFLOW))
            check_inert(wrong, ann, console)
        show.command("end")
        ann.phase("ended")
        ann.sees_standing()
        names = [line[1] for line in ann.board()]
        console.page.locator("#people li").first.wait_for()
        check_inert(wrong, ann, console)
        shown = console.page.locator("#people bdi").all_text_contents()
        kept = [player["nickname"] for player in show.get("players", show.server.host_token).object["players"]]
        tell(lines, "hostile", f"{len(players)} nicknames ({len(refused)} are refused) and {len(wide)} questions are texts and nothing else",
             not wrong and set(shown) == set(kept) and set(names) <= set(kept), wrong[:3] or f"{shown} and {kept}")
        tell(lines, "hostile", "none is wider than a phone of 320 px", max(wide) <= 0, wide)
        quiet(lines, "hostile", ann, console)
        ann.close()
        console.close()


def check_inert(wrong, *windows):
    for window in windows:
        # The console has keys and numbers in elements of its own.
        own = ("<b id=", "<b>", "<b aria-hidden")
        wrong += [text for text in window.page.evaluate(INJECTED) if not text.startswith(own)]
        wrong += window.page.evaluate(ISOLATED)
        wrong += ["a script ran"] if window.page.evaluate("'hacked' in globalThis") else []


# ---- The host's console

class Console(Window):
    """A window of a host."""

    def __init__(self, browser, show, **options):
        super().__init__(browser, **options)
        self.show = show

    def focus(self):
        return self.page.evaluate("document.activeElement.id")

    def tab_to(self, name, most=40):
        for _ in range(most):
            if self.focus() == name:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{name} is not reached with the Tab key")

    def enter(self, address, token):
        """Opens the door by keys."""
        self.page.goto(address)
        self.see("#door")
        self.tab_to("token")
        self.page.keyboard.type(token)
        self.page.keyboard.press("Enter")

    def open(self, address):
        self.enter(address, self.show.server.host_token)
        self.see("#link.on")
        return self

    def press(self, key, phase):
        """Presses a key, and waits for what the console says of the game."""
        self.page.keyboard.press(key)
        return self.wait_for(phase)

    def wait_for(self, phase):
        self.until(lambda: self.show.server.state()["phase"] == phase, f"the game is {phase}")
        self.until(lambda: self.text("phase") == PHASES[phase], f"the console says {PHASES[phase]}, not {self.text('phase')}")
        return self.show.server.state()["question"]

    def confirm(self):
        """Says yes in the dialog."""
        self.see("#confirm[open]")
        self.until(lambda: self.page.locator("#confirm button:focus").count(), "the dialog has the focus")
        while self.page.locator("#confirm button:focus").get_attribute("value") != "yes":
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")

    def journal(self):
        return [" · ".join(line.inner_text().split("\n")) for line in self.page.locator("#events li").all()]


PHASES = {
    "lobby": "Lobby", "starting": "Starting", "open": "Answers are open", "closed": "Time is up", "result": "Result is shown", "ended": "Over"}
PASTED = """title: Pasted
questions:
  - { question: Which planet is red?, answers: [Venus, Mars], correct: Mars }
  - { question: Which metal is liquid?, answers: [Mercury, Iron, Tin], correct: Mercury }
  - { question: Which bird swims?, answers: [Wren, Penguin], correct: Penguin }
  - { question: Which is a prime?, answers: ["7", "8"], correct: "7" }
"""


def hosts(lines, options, browser):
    chance = random.Random(1)
    with Show(options, options.folder / "hosts", None) as show, show.server.client() as client:
        console = Console(browser, show)
        console.enter(f"http://127.0.0.1:{show.server.port}/host", show.server.operator_token)
        console.see("#maker")
        console.tab_to("quiz-text")
        console.page.keyboard.insert_text(PASTED)
        console.page.keyboard.press("Tab")
        console.page.keyboard.press("Enter")
        console.see("#link.on")
        show.server.game = client.get(f"/v1/games?code={console.text('code')}").object["id"]
        players = [Player(name, chance) for name in ("Ann", "Ben", "Cat")]
        for player in players:
            assert player.join(client, show.server).status == 201
        console.until(lambda: console.text("audience").startswith("3 players"), "the console counts the players")

        console.press("g", "starting")
        question = console.press("g", "open")
        answer_all(console, client, show, players, question, "0\n3")
        console.page.keyboard.press("+")
        console.until(lambda: show.server.state()["question"]["closesAt"] - question["closesAt"] > 9.9, "the time is 10 s longer")
        console.press("c", "closed")
        console.press("r", "result")
        count = lambda: "\n".join(console.page.locator("#tally b").all_inner_texts())
        console.until(lambda: "Which planet" in console.text("asked"), "the picture has told the question")
        kept = count(), console.text("asked"), console.text("answered")
        tell(lines, "hosts", f"the counts stay until the next question: {kept}", kept[0] == "0\n3" and "3 of 3" in kept[2])
        console.until(lambda: console.page.locator("#people li").count() == 3, "the console lists the players, as they come")
        tell(lines, "hosts", "by keys: a game of a pasted quiz, GO, +10 s, close, reveal; counts as they come", True)

        reload_console(lines, console)
        # Twice, as fingers do, and on a keyboard with Arabic letters.
        for _ in range(2):
            console.key("\u0644", "KeyG")
        question = console.wait_for("open")
        tell(lines, "hosts", "GO twice at once, by a key of an Arabic keyboard, asks once", not console.part("console-problem").is_visible())
        answer_all(console, client, show, players, question, "0\n3\n0")
        console.page.keyboard.press("v")
        console.confirm()
        console.wait_for("result")
        is_void = show.server.state()["question"]["guid"] == question["guid"]
        console.until(lambda: any("void" in line for line in console.journal()), "the journal has the void question")
        console.tab_to("find")
        console.page.keyboard.type("ben")
        console.until(lambda: console.page.locator("#people li").count() == 1, "one player is found")
        console.page.keyboard.press("Tab")
        console.page.keyboard.press("Enter")
        console.confirm()
        left = lambda: [player["nickname"] for player in show.get("players", show.server.operator_token).object["players"]]
        console.until(lambda: left() == ["Ann", "Cat"], f"one is out: {left()}")
        tell(lines, "hosts", "a question is void, and a player is out, when the host says yes", is_void)
        console.until(lambda: console.focus() == "find", f"the search has the focus, when nobody else is found: {console.focus()}")
        console.page.keyboard.press("Control+a")
        console.page.keyboard.press("Delete")
        console.until(lambda: console.page.locator("#people li").count() == 2, "two players are left")
        console.page.keyboard.press("Tab")
        console.page.keyboard.press("Enter")
        console.confirm()
        console.until(lambda: left() == ["Cat"], f"another one is out: {left()}")
        label = lambda: console.page.evaluate("document.activeElement.getAttribute('aria-label')")
        console.until(lambda: label() == "Take out: Cat", f"the next one has the focus: {label()}")
        tell(lines, "hosts", "who takes players out by keys keeps the focus", True)
        lose_server(lines, console, show)

        console.tab_to("keys")
        console.press("g", "open")
        console.press("r", "result")
        console.page.keyboard.press("x")
        console.confirm()
        console.wait_for("ended")
        # All that is in the stream is on the host's picture in the end.
        is_seen = lambda line: "Programme time" in line and "on this picture now" in line and "for the last viewers at" in line
        console.until(lambda: is_seen(console.journal()[0]), f"the end is seen: {console.journal()[:3]}")
        journal = console.journal()
        placed = [line for line in journal if "Programme time" in line]
        kinds = [line.split(" · ")[0] for line in reversed(placed)]
        longer, asked = "Another end of the time for answers", "Question {} is asked".format
        wanted = ["Game starts", asked(1), longer, longer, "The result is decided", asked(2), asked(3), "The result is decided", "Game ends"]
        tell(lines, "hosts", f"what is in the stream, and when viewers see it: {'; '.join(kinds)}",
             sorted(kinds) == sorted(wanted) and all(map(is_seen, placed)), journal)
        take_over(lines, browser, console, show)
        # The operator has no quizzes of its own, and is told so.
        quiet(lines, "hosts", console, allowed=[refused(403, "quizzes"), refused(409, "games/.*/events"), *AWAY_CALLS])
        console.close()


def reload_console(lines, console):
    """Who loads the console again leads as before."""
    states = console.asked("GET", "/state")
    before = console.journal()
    console.page.reload()
    console.see("#link.on")
    began = time.monotonic()
    console.listen()
    console.until(lambda: len(console.journal()) == len(before), f"the journal is there again: {console.journal()} and {before}")
    console.page.wait_for_timeout(1_500)
    # One with the connection, one for all messages, and one for each three seconds.
    most = 3 + (time.monotonic() - began) / 3
    heard = console.heard()
    is_busy = console.part("busy").is_visible()
    tell(lines, "hosts", f"loaded again, the console leads, asks {len(states)} times for the state, and reads nothing out of {len(before)} lines",
         len(states) <= most and heard == [] and not is_busy, f"{len(states)}, {heard}, busy: {is_busy}")


def lose_server(lines, console, show):
    """A connection that says nothing any more is given up, and another one takes its place, though the server has not seen its end."""
    show.server.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        console.see("#link:not(.on)")
        took = time.monotonic() - began
    finally:
        show.server.process.send_signal(signal.SIGCONT)
    console.see("#link.on")
    tell(lines, "hosts", f"a server that says nothing is given up {took:.0f} s later, and heard again when it speaks", 10 < took < 40 and not console.part("busy").is_visible())


def answer_all(console, client, show, players, question, tally):
    """Everybody answers, and the console counts it."""
    for player in players:
        index = 1
        answer = player.answer(client, show.server, (question["guid"], index, question["opensAt"] + 0.1))
        assert answer.status == 202, answer
    count = lambda: "\n".join(console.page.locator("#tally b").all_inner_texts())
    console.until(lambda: count() == tally, f"the console counts {tally!r}, not {count()!r}")


def take_over(lines, browser, first, show):
    """A second host is told of the first, and takes over; the first is told of that, and goes on listening. Nobody leads by itself."""
    token = show.server.operator_token
    second = Console(browser, show)
    second.enter(f"http://127.0.0.1:{show.server.port}/host?game={show.server.game}", token)
    second.see("#busy")
    name = first.text("own-name")
    second.until(lambda: name in second.text("busy-text"), f"the second host is told that {name} leads")
    second.tab_to("take-over")
    second.page.keyboard.press("Enter")
    second.see("#link.on")
    first.see("#busy")
    name = second.text("own-name")
    first.until(lambda: name in first.text("busy-text"), f"the first host is told that {name} leads")
    said = first.text("busy-text")
    tell(lines, "hosts", f"a second host takes over, and the first is told: “{said}”", first.part("next").get_attribute("aria-disabled") == "true")
    # Another one listens until that one has left, and then takes the lead.
    third = Console(browser, show)
    third.enter(f"http://127.0.0.1:{show.server.port}/host?game={show.server.game}", token)
    third.see("#busy")
    second.page.locator("#log-out").focus()
    second.page.keyboard.press("Enter")
    second.see("#door")
    third.until(lambda: "No console leads" in third.text("busy-text"), "the third host is told that nobody leads")
    third.tab_to("take-over")
    third.page.keyboard.press("Enter")
    third.until(lambda: not third.part("busy").is_visible() and third.focus() == "next", "the third host leads")
    tell(lines, "hosts", "a host who listens leads when the other one has left, and it says so", True)
    quiet(lines, "hosts, the others", second, third, allowed=[refused(409, "games/.*/events")])
    second.close()
    third.close()


# ---- Pictures

class Camera:
    """Takes pictures of a state in each size, light and dark, and finds what is too wide or too small to be hit."""

    def __init__(self, folder):
        self.folder, self.count, self.wrong = folder, 0, []
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, state, windows):
        for language, window in windows.items():
            for width, height in SIZES:
                window.page.set_viewport_size({"width": width, "height": height})
                for scheme in ("light", "dark"):
                    window.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    window.page.mouse.move(0, 0)
                    name = f"{state}-{language}-{width}-{scheme}"
                    window.page.screenshot(path=self.folder / f"{name}.png")
                    self.count += 1
                    if window.page.evaluate(SCROLL, True):
                        window.page.screenshot(path=self.folder / f"{name}-below.png")
                        covered = window.page.evaluate(COVERED)
                        if covered:
                            self.wrong.append(f"{name}: {covered} covered")
                        window.page.evaluate(SCROLL, False)
                        self.count += 1
                over = window.page.evaluate(OVERFLOW)
                small = window.page.evaluate(SMALL, TARGET)
                spilt = window.page.evaluate(SPILT)
                if over > 0 or small or spilt:
                    self.wrong.append(f"{state}-{language}-{width}: {over} px too wide, {small}, {spilt} out of its ring")


# Goes to the end of the page, or back; tells whether that is somewhere else.
SCROLL = """(down) => {
  const before = scrollY;
  scrollTo({ top: down ? document.body.scrollHeight : 0, behavior: "instant" });
  return scrollY !== before;
}"""
# What the bar says, and cards lie over.
COVERED = """() => Array.from(document.querySelectorAll(".topline > *")).filter((part) => {
  const { left, top, width, height } = part.getBoundingClientRect();
  return part.checkVisibility({ visibilityProperty: true }) && !part.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map((part) => part.id)"""
# Seconds that have no room in their ring.
SPILT = """() => Array.from(document.querySelectorAll("#seconds")).filter((part) => {
  if (!part.checkVisibility()) return false;
  const range = document.createRange();
  range.selectNodeContents(part);
  const text = range.getBoundingClientRect();
  return range.getClientRects().length > 1 || text.width > part.clientWidth * 0.86;
}).map((part) => part.textContent)"""
# What a finger has to hit, and cannot: fields, buttons and answers, with what belongs to them.
SMALL = """(least) => Array.from(document.querySelectorAll("button, input, textarea, select, .answer, a[href]:not(.skip)"))
  .map((part) => part.closest(".answer, .check") ?? part)
  .filter((part) => part.checkVisibility() && Math.min(part.offsetHeight, part.offsetWidth) < least)
  .map((part) => `${part.id || part.className || part.tagName} ${part.offsetWidth} x ${part.offsetHeight}`)"""


# How long a result waits, in seconds: longer than its pictures take on a busy machine.
WAIT = 50


def screens(lines, options, browser):
    """Every state that a page can be in."""
    camera = Camera(options.screens)
    with Show(options, options.folder / "screens", quiz(3), "--hosted", "--time", 240, "--delay", WAIT) as show:
        viewers = {language: Viewer(browser, show, locale=language) for language in LANGUAGES}
        consoles = {language: Console(browser, show, locale=language) for language in LANGUAGES}
        names = {"en": "Ann Bee", "ar": "سارة"}
        for viewer in viewers.values():
            viewer.page.goto(show.page)
            viewer.see("#join")
        camera.take("viewer-01-join", viewers)
        with show.server.client() as client:
            for name in names.values():
                Player(name, random.Random(name)).join(client, show.server)
        for language, viewer in viewers.items():
            viewer.part("nickname").fill(names[language])
            viewer.page.locator("#join-form button.big").click()
            viewer.see("#suggestions button")
        camera.take("viewer-02-name-taken", viewers)
        for viewer in viewers.values():
            with viewer.page.expect_response(lambda response: "/players/" in response.url and response.status == 201) as answer:
                viewer.page.locator("#suggestions button").first.click()
            viewer.seat = answer.value.json()
            viewer.phase("lobby")
        camera.take("viewer-03-lobby", viewers)
        for console in consoles.values():
            console.page.goto(show.console)
            console.see("#door")
        camera.take("host-01-door", consoles)
        for language in LANGUAGES:
            consoles[language].enter(show.console, show.server.host_token)
        consoles["en"].see("#link.on")
        consoles["ar"].see("#busy")
        camera.take("host-02-lobby-and-busy", consoles)

        show.command("next")
        for viewer in viewers.values():
            viewer.question(1)
        camera.take("viewer-04-question", viewers)
        held = []
        for viewer in viewers.values():
            viewer.page.route("**/answers", lambda route: held.append(route))
            viewer.answer(1 if viewer is viewers["en"] else 0)
            viewer.see("#answer-state[data-kind=wait]")
        camera.take("viewer-05-sending", viewers)
        for viewer in viewers.values():
            viewer.until(lambda: len(held) == len(viewers), "the answers are sent")
        for route in held:
            route.continue_()
        for viewer in viewers.values():
            viewer.saved()
            viewer.page.unroute("**/answers")
        camera.take("viewer-06-saved", viewers)
        camera.take("host-03-open", consoles)
        for viewer in viewers.values():
            viewer.context.set_offline(True)
            viewer.see("#network")
        camera.take("viewer-07-offline", viewers)
        for viewer in viewers.values():
            viewer.context.set_offline(False)
        show.command("close")
        for viewer in viewers.values():
            viewer.phase("closed")
        camera.take("viewer-08-closed", viewers)
        camera.take("host-04-closed", consoles)
        show.command("reveal")
        for viewer in viewers.values():
            viewer.phase("results").sees_standing()
        camera.take("viewer-09-right-and-wrong", viewers)
        camera.take("host-05-result", consoles)
        for console in consoles.values():
            console.page.locator("#people button").first.click()
            console.see("#confirm[open]")
        camera.take("host-06-confirm", consoles)
        for console in consoles.values():
            console.page.keyboard.press("Escape")

        show.command("next")
        for viewer in viewers.values():
            viewer.question(2)
        show.command("reveal")
        for viewer in viewers.values():
            viewer.phase("results").sees_standing()
        camera.take("viewer-10-no-answer", viewers)
        for viewer in viewers.values():
            viewer.page.evaluate("document.getElementById('video').pause()")
        began = time.monotonic()
        viewers["en"].until(lambda: time.monotonic() - began > WAIT + 5, "the picture stands still", WAIT + 10)
        for viewer in viewers.values():
            viewer.part("sound").click()
            viewer.see("#delay.alarm")
        camera.take("viewer-11-too-far-behind", viewers)
        for viewer in viewers.values():
            viewer.part("go-live").click()
        show.command("end")
        for viewer in viewers.values():
            viewer.phase("ended").sees_standing()
        camera.take("viewer-12-end", viewers)
        for viewer in viewers.values():
            viewer.part("contact-email").fill("ann@example.org")
            viewer.part("consent").check()
            viewer.page.locator("#contact button").click()
            viewer.see("#contact-sent")
        camera.take("viewer-13-contact-sent", viewers)
        camera.take("host-07-ended", consoles)
        for viewer in viewers.values():
            viewer.page.route("**/cuelight-client.js", lambda route: route.abort())
            viewer.page.reload()
            viewer.see("#missing")
        camera.take("viewer-14-no-reader", viewers)
        for window in [*viewers.values(), *consoles.values()]:
            window.close()
    other_screens(camera, options, browser)
    tell(lines, "screens", f"{camera.count} pictures in {camera.folder}; nothing is too wide, and nothing too small to be hit", not camera.wrong, camera.wrong[:12])


def other_screens(camera, options, browser):
    """Before players are let in, with a countdown, out, taken out, and where a host makes a game."""
    arguments = ["--hosted", "--time", 240, "--delay", 20, "--scoring", "right+elimination"]
    with Show(options, options.folder / "other-screens", quiz(2), *arguments) as show:
        show.plan(entryOpensAt=30, startsAt=900)
        viewers = {language: Viewer(browser, show, locale=language) for language in LANGUAGES}
        for language, viewer in viewers.items():
            viewer.page.goto(show.page)
            viewer.see("#join")
            viewer.part("nickname").fill({"en": "Ann", "ar": "سارة"}[language])
            viewer.page.locator("#join-form button.big").click()
            viewer.see("#join-problem")
        camera.take("viewer-15-too-early", viewers)
        for viewer in viewers.values():
            viewer.phase("lobby")
            viewer.until(lambda: ":" in viewer.text("countdown"), "the countdown runs")
        camera.take("viewer-16-countdown", viewers)
        show.command("next")
        for viewer in viewers.values():
            viewer.question(1)
            viewer.answer(0)
            viewer.saved()
        show.command("reveal")
        for viewer in viewers.values():
            viewer.see("#you-out")
        camera.take("viewer-17-out", viewers)
        for player in show.get("players", show.server.host_token).object["players"]:
            show.command("kick", player=player["player"])
        for viewer in viewers.values():
            viewer.page.reload()
            viewer.see("#join-problem")
        camera.take("viewer-18-taken-out", viewers)
        consoles = {language: Console(browser, show, locale=language) for language in LANGUAGES}
        for console in consoles.values():
            console.enter(f"http://127.0.0.1:{show.server.port}/host", show.server.operator_token)
            console.see("#maker")
        camera.take("host-08-maker", consoles)
        for window in [*viewers.values(), *consoles.values()]:
            window.close()


# ---- Memory

# The latest instance of the game's module.
INSTANCE = """
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...values) => (globalThis.instance = await instantiate(...values));
"""


def growth(lines, options, browser):
    """The page's memory over a show that goes on and on."""
    # A question takes its time, and four seconds more.
    seconds = max(2, options.minutes * 60 / 200 - 4)
    count = int(options.minutes * 60 / (seconds + 3)) + 8
    with Show(options, options.folder / "growth", quiz(count), "--start-in", 15, "--time", seconds, "--delay", 2, "--pause", 1) as show:
        viewer = Viewer(browser, show)
        viewer.page.add_init_script(INSTANCE)
        viewer.join("Ann")
        session = viewer.context.new_cdp_session(viewer.page)
        session.send("Performance.enable")
        viewer.question(2)
        samples, end = [], time.monotonic() + options.minutes * 60
        while time.monotonic() < end:
            viewer.page.wait_for_timeout(min(10_000, options.minutes * 6_000))
            for _ in range(2):
                session.send("HeapProfiler.collectGarbage")
            metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
            wasm = viewer.page.evaluate("instance.exports.memory.buffer.byteLength")
            samples.append((metrics["JSHeapUsedSize"], metrics["Nodes"], metrics["JSEventListeners"], wasm))
        asked = viewer.text("question-number")
        with show.server.client() as client:
            events = 2 * client.get(show.server.path("board")).object["version"] + options.minutes * 6
        kept = (int(events * KEPT) // WASM_STEP + 1) * WASM_STEP
        first = samples[len(samples) // 4]
        last = samples[-1]
        text = f"heap {first[0] / 1e6:.1f} to {last[0] / 1e6:.1f} MB, {first[1]:.0f} to {last[1]:.0f} nodes, {first[2]:.0f} to {last[2]:.0f} listeners, reader {first[3] >> 10} to {last[3] >> 10} KB for {events:.0f} events"
        is_flat = last[0] - first[0] < GROWTH and last[1] - first[1] < 200 and last[2] - first[2] < 20 and last[3] - first[3] <= kept
        tell(lines, "growth", f"{options.minutes:g} minutes to “{asked}” without growth: {text}", is_flat, samples)
        quiet(lines, "growth", viewer)
        viewer.close()


PROOFS = {
    "transitions": transitions, "networks": networks, "doors": doors, "keys": keys, "hostile": hostile, "hosts": hosts, "screens": screens, "growth": growth}


def run(lines, options):
    options.screens = options.screens or options.folder / "screens"
    options.clip = options.folder / "clip.mp4"
    pages.make_clip(options.clip, CLIP)
    for name in options.only:
        try:
            with chromium() as browser:
                PROOFS[name](lines, options, browser)
        except Exception as error:  # A proof that cannot be made is a broken one.
            lines.fails(f"pages, {name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library", screens=as_path, minutes=2.0, only=PROOFS)
