"""Plays games with the hook of React, the element and the adapters of dash.js, Shaka Player and the Amazon IVS player, in Chromium, and proves that each is
that of `cuelight replay`.

    python3 -m proofs.web.frameworks --package FOLDER --library FOLDER --page FOLDER --samples FOLDER --shows FOLDER --react FOLDER \\
        --guide FILE --signed FOLDER --folder FOLDER

The guide is the page of the documentation whose examples are played. The folder --signed has a presentation of fragmented MP4 whose events are signed,
with what `replay` prints of it, and the private key, key.pem; --react has the packages react and react-dom. Players that no package of the registries holds
are those of page/standins.js. Also proves what is left of an element that is gone, that a strict policy is enough, that the pages of the samples play, and
that a server can render all of it.
"""

import base64
import json
import re
import shutil

from proofs.facts import proof_parser, run_proof
from proofs.players import browser, server
from proofs.processes import finished, new_folder
from proofs.web.check_web import comparable, difference, expected

# Seconds within which a show has to be over.
PATIENCE = 60

# What the examples of the documentation find on their page.
NAMES = "dashjs, shaka, IVSPlayer, videojs, wasmWorker, wasmBinary"
CALLS = "attachDash, attachIVS, attachShaka, attachVideoJs, follow"

# A script for browsers of before modules, as a module: the names are what its package exports.
MODULE = """const exports = {{}};
const module = {{ exports }};
const require = () => React;
{script}
export const {{ {names} }} = exports;
export default exports;
"""


def make_example(options):
    """The folder in which the samples find what they name."""
    folder = new_folder(options.folder / "example")
    for sample in options.samples.glob("*.html"):
        shutil.copy(sample, folder)
    react = (options.react / "react/umd/react.production.min.js").read_text()
    names = "createElement, StrictMode, useCallback, useEffect, useRef, useState"
    (folder / "react.js").write_text(MODULE.format(script=react, names=names))
    dom = (options.react / "react-dom/umd/react-dom.production.min.js").read_text()
    (folder / "react-dom.js").write_text('import React from "react";\n' + MODULE.format(script=dom, names="createRoot, hydrateRoot"))
    (folder / "hls.js").write_text('export { Hls as default } from "/library/hls.js";\n')
    (folder / "cuelight-client").symlink_to(options.package)
    (folder / "show").symlink_to(options.shows / "quick-round-ts")
    examples = re.findall(r"^```js\n// ([^:\n]+)(.*?)^```$", options.guide.read_text(), re.MULTILINE | re.DOTALL)
    functions = "".join(f'  "{name}": async (game, video, source, {{ {NAMES} }}) => {{\n//{text}  }},\n' for name, text in examples)
    (folder / "examples.js").write_text(
        f'import * as client from "cuelight-client";\nconst {{ {CALLS} }} = client;\nexport default {{\n{functions}}};\n')
    return folder


def server_side(lines, options):
    """Imports and renders everything in Node, with the package as npm lays it."""
    folder = new_folder(options.folder / "server")
    shutil.copy(options.page.parent / "server_side.mjs", folder)
    modules = folder / "node_modules"
    shutil.copytree(options.package, modules / "cuelight-client")
    for name in ("react", "react-dom"):
        (modules / name).symlink_to(options.react / name)
    said = json.loads(finished("node", "--preserve-symlinks", str(folder / "server_side.mjs")).stdout)
    lines.tell(said["html"] == "<article><video></video><p>waiting</p><p>null</p></article>" and said["phase"] == "waiting",
               "a server imports every module and renders the hook without touching a page", str(said))
    for name, found in zip(("client", "react", "element", "signatures"), said["exports"]):
        types = (options.package / f"cuelight-{name}.d.ts").read_text()
        named = sorted(re.findall(r"^export (?:declare )?(?:function|class) (\w+)", types, re.MULTILINE))
        lines.tell(found == named and named, f"the types of cuelight-{name} name what it exports: {', '.join(named)}", str(found))


def unscored(transitions):
    """Transitions without the player's score: `replay` has no player."""
    return [transition | {"state": transition["state"] | {"score": 0, "answered": 0}} for transition in transitions]


def tell_game(lines, name, game, wanted, more=True, wrong=""):
    found = difference(unscored(map(comparable, game["transitions"])), unscored(wanted))
    lines.tell(not found and more, f"{name}: {len(game['transitions'])} of {len(wanted)} transitions are those of replay", found or wrong or str(game)[:1500])


def check_react(lines, react, wanted):
    first = react["first"] or {}
    tell_game(lines, "the hook of React, in strict mode", react, wanted)
    lines.tell(first and first["rendered"] == first["fresh"], "the first state is that of a game that knows nothing", str(first))
    phases = [phase for phase, _ in react["states"]]
    lines.tell([phase for index, phase in enumerate(phases) if phases[index - 1:index] != [phase]]
               == ["waiting", *[state["state"]["phase"] for index, state in enumerate(wanted)
                                if state["state"]["phase"] != (wanted[index - 1]["state"]["phase"] if index else "waiting")], "waiting"][:-1],
               "it renders each phase, once", str(phases))
    lines.tell(react["answers"] == ["accepted", "accepted"] and react["score"] == 2 and ["asking", 1] in react["states"],
               "it takes answers, shows them at once, and counts them", str(react["answers"]))
    counts = [seconds for seconds in react["seconds"] if seconds is not None]
    lines.tell(react["seconds"][-1] is None and len(counts) > 6 and all(0 <= seconds <= 10 for seconds in counts), f"it counts the seconds: {counts}",
               str(react["seconds"]))
    lines.tell(react["games"] == react["destroyed"] == 1 and react["isClosed"], "its game ends with the component", str(react["games"]))


def check_element(lines, name, element, wanted, language="en"):
    tell_game(lines, name, element, wanted, not element["failures"], str(element["failures"]))
    if element["failures"] or len(element.get("seen", [])) != 3:
        return
    asking, results, ended = element["seen"]
    question = wanted[1]["state"]["question"]
    words = {"en": ("Question 1 of 2", "Right!", "2 of 2 right", "The game is over."),
             "de": ("Frage 1 von 2", "Richtig!", "2 von 2 richtig", "Das Spiel ist zu Ende.")}[language]
    lines.tell(asking["question"] == question["text"] and asking["number"] == words[0] and question["text"] in asking["status"]
               and re.match(r"\d+ ", asking["time"]) and results["result"].startswith(words[1]) and ended["score"] == words[2]
               and ended["message"] == words[3], f"{name}: it shows and says question, time, result and score", str(element["seen"]))
    lines.tell(element["selected"] == 1 and element["marked"] == ["answer", "answer selected", *["answer"] * (len(question["answers"]) - 2)]
               and element["parts"][1] == "answer selected right" and element["focused"] in ("button", "elsewhere"), f"{name}: keys answer, and keep their place",
               f"{element['marked']} {element['parts']} {element['focused']}")
    asked = [line["state"]["question"] for line in wanted if line["transition"] == "questionAsked"]
    lines.tell(len(element["given"]) == len(asked) == 2
               and all(given.keys() == {"question", "answer", "at"} and given["question"] == one["guid"] and given["answer"] == 1
                       and one["opensAt"] <= given["at"] < one["closesAt"] for given, one in zip(element["given"], asked)),
               f"{name}: it tells the page of each answer, as the game server takes it", str(element["given"]))
    lines.tell(element["video"] and element["moved"] and element["removed"] and element["styles"] == 0,
               f"{name}: it survives a move, ends with its removal, and styles nothing else", str(element))


# Of questions of each kind: the hint, what is selected after each press, which answers are pressed then, what they show at the end, and the result.
KINDS = {
    "single": ["", [1, 0], [True, False, False], ["1A25%", "2B✓ 50%", "3C25%"], "Wrong. Right answer: B"],
    "multiple": ["Choose one or more answers.", [[0], [0, 1], [0, 1, 2], [0, 2]], [True, False, True], ["1A✓", "2B", "3C✓"], "Right! Right answer: A, C"],
    "order": ["Choose the answers in their order.", [None, None, [2, 0, 1]], [True, True, True], ["1A2.", "2B3.", "3C1."], "Right! Right answer: C → A → B"],
    "number": ["", [7], [], [], "Right answer: 8 km"],
    "poll": ["", [1], [False, True, False], ["1A25%", "2B75%", "3C0%"], ""],
    "text": ["", ["rome"], [], [], "Right answer: Rome"],
    "words": ["", ["sea"], [], [], ""],
    "dream": ["", [None], [False, False, False], ["1A", "2B", "3C"], ""],
}


def check_kinds(lines, kinds):
    for kind, wanted in KINDS.items():
        found = kinds[kind]
        lines.tell([found[name] for name in ("hint", "selections", "pressed", "texts", "result")] == wanted and found["phase"] == "results",
                   f"the element asks questions of the kind {kind}", str(found))


def check_standins(lines, report, wanted, fragments):
    tell_game(lines, "the example of dash.js, by its documented events", report["dash"], fragments, report["dash"]["left"] == 0)
    tell_game(lines, "the example of Shaka Player 4.3 to 4.10, by its documented events", report["shaka"], fragments, report["shaka"]["metadata"] == 0)
    tell_game(lines, "the example of video.js", report["videoJs"], wanted)
    ivs = report["ivs"]
    tell_game(lines, "the example of Amazon IVS, by its documented events, with a position of its own", ivs, wanted,
              ivs["listeners"] == 4 and ivs["left"] == 0 and ivs["isOver"] and ivs["source"].endswith("index.m3u8"))
    tell_game(lines, "times that began again at 2^33 ticks", report["wrapped"], wanted)
    tell_game(lines, "a video that ends half a second before its last event", report["early"], wanted)
    events = [transition["guid"] for transition in report["joined"]["transitions"] if transition["transition"] == "customEvent"]
    lines.tell(events == ["new-2"], "a custom event from before the viewer came is not announced, and a new one is", str(report["joined"]))


def check_signed(lines, signed, wanted):
    for name in ("tags", "frames that a system on the way has escaped", "date ranges"):
        tell_game(lines, f"a game that requires signatures, by {name}", signed["right"][name], wanted)
    for name, game in signed["wrong"].items():
        lines.tell(game["transitions"] == [], f"to a game that requires signatures, no event {name} counts", str(game)[:1000])


def run(lines, options):
    server_side(lines, options)
    wanted = expected(options.shows / "quick-round-ts")
    fragments = expected(options.shows / "quick-round-fmp4")
    address = server.serve({
        "page": options.page, "library": options.library, "package": options.package, "shows": options.shows, "signed": options.signed, "example": make_example(options)})
    # The last 32 bytes of the key's form.
    key = base64.b64encode(finished("openssl", "pkey", "-in", options.signed / "key.pem", "-pubout", "-outform", "DER", text=False).stdout[-32:]).decode()
    # So that the page can ask for what nobody uses to be collected.
    browser.Browser.OPTIONS = [*browser.Browser.OPTIONS, "--js-flags=--expose-gc"]
    with browser.start() as chromium:
        report, console = chromium.evaluate(f"{address}/page/frameworks.html", f"check({PATIENCE}, {json.dumps(key)})", 4 * PATIENCE)
        pages = [f"{address}/example/react.html", f"{address}/example/element.html", f"{address}/page/policy.html"]
        looked = f"Promise.all({json.dumps(pages)}.map((page) => look(page, {PATIENCE})))"
        (react, element, policy), more = chromium.evaluate(f"{address}/page/frameworks.html", looked, 3 * PATIENCE)
    check_react(lines, report["react"], wanted)
    check_element(lines, "the element with attributes alone", report["element"], wanted)
    check_element(lines, "the element in German", report["german"], wanted, "de")
    check_element(lines, "the element with a video of the page's", report["own"], wanted)
    signed = expected(options.signed)
    check_element(lines, "the element with a public key and dash.js, by its documented events", report["mpd"], signed)
    lines.tell("button" in [report[name].get("focused") for name in ("element", "german", "own", "mpd")], "the focus stays where an answer was given")
    lines.tell(report["failing"]["failures"] == ["Error: cuelight-game: hls.js is missing, to play " + f"{address}/page/show.m3u8"]
               and report["failing"]["shown"] == "Le jeu ne peut pas être chargé.", "an element without a player says so", str(report["failing"]))
    check_kinds(lines, report["kinds"])
    left = report["leftovers"]
    lines.tell(left["listeners"] == [] and left["modules"] <= 1 and left["ended"] == 10,
               "of 20 elements that are gone, half of them before they began, no listener and no module is left", str(left))
    check_standins(lines, report, wanted, fragments)
    check_signed(lines, report["signed"], signed)
    lines.tell("2 of 2 right" in react["seen"][-1], "the sample of React plays", str(react["seen"]))
    lines.tell("2 of 2 right" in element["seen"][-1], "the sample of the element plays", str(element["seen"]))
    lines.tell("2 von 2 richtig" in policy["seen"][-1] and policy["violations"] == [],
               "a policy without inline scripts, styles and eval is enough", str(policy))
    lines.tell(not console and not more, "the console says nothing", "; ".join([*console, *more]))


if __name__ == "__main__":
    run_proof(run, proof_parser("package", "library", "page", "samples", "shows", "react", "guide", "signed", "folder"))
