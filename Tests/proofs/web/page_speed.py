"""Measures a player's page in Chromium where the network and the processor are slow: what it loads before one can join, how soon the first question is there
once the stream plays, and what moves while a result is shown. Prints a line for each fact.

    python3 -m proofs.web.page_speed --server PROGRAM --cuelight PROGRAM --package FOLDER --library FOLDER --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES
"""

from proofs.facts import prove_and_end
from proofs.web import page_languages, pages
from proofs.web.page_kinds import QUESTIONS, RESULTS
from proofs.web.page_states import Page
from proofs.web.pages import SCORING, Show, Viewer

# Bits in a second, and how long each request takes besides, in milliseconds.
SLOW, LATENCY = 400_000, 100
# How long after the first picture the question that is open is there, in seconds; what a page loads before it, in bytes.
SOON, MOST = 1.5, 60_000
# How much slower the processor is.
SLOWER = 6
QUIZ = {"id": "speed", "title": "Speed", "questions": [{"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars"}]}
# When the picture began, and when a question was in sight, on the page's clock.
WATCH = """() => {
  globalThis.times = {};
  addEventListener("playing", () => { times.playing ??= performance.now(); }, true);
  const look = () => {
    if (document.querySelector("#question")?.checkVisibility() && document.querySelectorAll(".answer").length > 0) times.question ??= performance.now();
    else requestAnimationFrame(look);
  };
  addEventListener("DOMContentLoaded", look);
}"""
# How much was loaded until now, and from where.
LOADED = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize]).filter(([path]) => /^[/]play$|^[/]web[/][^/]+$/.test(path) && !path.includes("player-library"))"""
# The names of what changes in animations and transitions, besides what the compositor does alone, and the light bulbs, whose light goes on in a few steps a
# second. What follows a finger that scrolls is no motion.
MOVING = """() => [...new Set(document.getAnimations().filter(({ timeline }) => timeline === document.timeline).flatMap(({ effect, animationName }) => effect.getKeyframes().flatMap((frame) => Object.keys(frame)
  .filter((name) => !["offset", "computedOffset", "easing", "composite", "transform", "translate", "scale", "rotate", "opacity", "--turn"].includes(name))
  .map((name) => `${name} of ${animationName ?? "a transition"} at ${effect.target.id || effect.target.className}`))))]"""
# The pauses between pictures within so many milliseconds.
FRAMES = """(length) => new Promise((resolve) => {
  const [times, start] = [[], performance.now()];
  const step = (now) => {
    times.push(now);
    if (now - start < length) requestAnimationFrame(step);
    else resolve(times.slice(1).map((time, index) => time - times[index]));
  };
  requestAnimationFrame(step);
})"""


def first_question(options):
    """Somebody comes while a question is open, over a slow network."""
    options.clip = options.folder / "clip.mp4"
    pages.make_clip(options.clip, 120)
    with Show(options, options.folder / "show", QUIZ, "--hosted", "--time", 120, "--delay", 60, "--scoring", SCORING) as show, pages.chromium() as browser:
        show.command("start")
        viewer = Viewer(browser, show)
        viewer.context.add_init_script(f"({WATCH})()")
        session = viewer.context.new_cdp_session(viewer.page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": LATENCY, "downloadThroughput": SLOW / 8, "uploadThroughput": SLOW / 8, "connectionType": "cellular3g"})
        viewer.page.goto(show.page)
        viewer.see("#join")
        doorway = viewer.page.evaluate("performance.now()") / 1000
        files = viewer.page.evaluate(LOADED)
        size = sum(bytes for _, bytes in files)
        show.command("next")
        viewer.until(lambda: show.server.state()["phase"] == "open", "the question is open")
        viewer.join_here("Ann")
        times = viewer.until(lambda: (times := viewer.page.evaluate("times")).keys() == {"playing", "question"} and times, "the question is there")
        took = max(0, times["question"] - times["playing"]) / 1000
    assert took <= SOON, f"the question comes {took:.1f} s after the picture"
    assert size <= MOST, f"{size} bytes: {sorted(files, key=lambda file: -file[1])}"
    return (f"at {SLOW // 1000} kbit/s one can join after {doorway:.1f} s and {size:,} bytes in {len(files)} files besides the player library, and the open question is "
            f"there {took:.1f} s after the first picture")


def motion(options):
    """What moves with a question and its result, on a slow processor."""
    found, pauses = [], []
    with pages.chromium() as browser:
        page = Page(browser, page_languages.Server(options.pages))
        page.page.set_viewport_size({"width": 390, "height": 844})
        page.join()
        session = page.context.new_cdp_session(page.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        for name in ("single", "multiple", "poll", "number", "order"):
            for state in ({"phase": "asking", "question": QUESTIONS[name]}, {"phase": "results", "question": QUESTIONS[name], "result": RESULTS[name]}):
                page.show(state=state)
                page.see("#question")
                found += [f"{name}, {state['phase']}: {what}" for what in page.page.evaluate(MOVING)]
                pauses += page.page.evaluate(FRAMES, 700)
        page.show(state={"phase": "ended", "ending": {"winners": ["Ann"]}})
        page.see("#end")
        found += page.page.evaluate(MOVING)
        page.close()
    assert not found, found[:8]
    pauses.sort()
    middle = pauses[len(pauses) // 2]
    return (f"only what the compositor moves by itself is moved; with a processor {SLOWER} times slower there are {1000 / middle:.0f} pictures a second (median), "
            f"and 95 of 100 come within {pauses[len(pauses) * 95 // 100]:.0f} ms")


def run(lines, options):
    lines.prove("page, speed, a slow processor", motion, options)
    lines.prove("page, speed, a slow network", first_question, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library", "pages")
