"""Plays the samples with the package for the web in Chromium, and proves that each game is that of `cuelight replay`, and on time.

    python3 -m proofs.web.check_web --package FOLDER --library FOLDER --page FOLDER --example FOLDER --shows FOLDER --largest BYTES

Each folder of --shows holds a presentation, index.m3u8, and what `cuelight replay --json` prints of it, replay.ndjson; BYTES is
the most that a page may load for the game, with Brotli. Prints a line for each fact; ends with status 1 where one is not so.
"""

import json
import re
import statistics

from proofs.facts import proof_parser, run_proof
from proofs.players import browser, server

# How late a transition may be, in seconds, and how early: less than a frame, since the clock is read a moment later or earlier than the frame's.
LATEST = 0.060
EARLIEST = -0.040
# An adapter that looks for cues sees them with the next sign of the player that more has come, four times a second.
LATEST_OF_CUES = 0.300
# How long a game may take to start, in milliseconds, and how many tags it takes a second at least.
START = 20
SPEED = 5_000
# Seconds within which a show has to be over.
PATIENCE = 120
# What the module may take from the page.
IMPORTS = ["env.random"]


def exports(package):
    """The functions that the module exports and those that its types name, and the members of both games."""
    module, types = ((package / f"cuelight-client.{ending}").read_text() for ending in ("js", "d.ts"))
    functions = [set(re.findall(r"^export (?:async )?function (\w+)", text, re.MULTILINE)) for text in (module, types)]
    game = re.search(r"^class Game extends EventTarget \{(.*?)^\}", module, re.MULTILINE | re.DOTALL)[1]
    interface = re.search(r"^export interface Game extends EventTarget \{(.*?)^\}", types, re.MULTILINE | re.DOTALL)[1]
    members = [
        set(re.findall(r"^  (?:get )?(\w+)\(.*\) \{$", game, re.MULTILINE)) - {"constructor"},
        set(re.findall(r"^  (?:readonly )?(\w+)[(:]", interface, re.MULTILINE)) - {"addEventListener", "removeEventListener"}]
    return functions, members


def expected(show):
    lines = map(json.loads, (show / "replay.ndjson").read_text().splitlines())
    return [comparable(line) for line in lines if line["type"] == "transition"]


def comparable(transition):
    """A transition as `replay` has it, without the moment at which it was seen and what only a player has."""
    state = {key: value for key, value in transition["state"].items() if key not in ("selectedAnswer", "correctAnswer", "isQuestionOver", "selection", "right")}
    return {key: value for key, value in transition.items() if key != "time"} | {"state": state}


def difference(found, wanted):
    """Where two lists of transitions differ first; nothing where they do not."""
    for index, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            keys = [key for key in other if one.get(key) != other[key]]
            return f"transition {index + 1}, {', '.join(keys) or 'more keys'}: {json.dumps(one)} instead of {json.dumps(other)}"
    names = lambda transitions: [transition["transition"] for transition in transitions]
    return "" if len(found) == len(wanted) else f"{names(found)} instead of {names(wanted)}"


def check_game(lines, game, wanted):
    name = f"{game['show']}, {game['way']}{', frame by frame' if game['precision'] == 'frame' else ''}"
    wrong = difference([comparable(transition) for transition in game["transitions"]], wanted)
    sealed = [transition["state"]["result"]["seal"] for transition in game["transitions"] if transition["transition"] == "resultsShown"]
    lines.tell(game["ended"] and not game["errors"] and not wrong and sealed and set(sealed) == {"valid"},
               f"{name}: {len(game['transitions'])} of {len(wanted)} transitions are those of replay, {sealed.count('valid')} seals hold",
               wrong or "; ".join(game["errors"]) or f"ended: {game['ended']}, seals: {sealed}")
    late = sorted(game["late"]) or [0]
    limit = LATEST if game["way"] == "hls.js" else LATEST_OF_CUES
    lines.tell(EARLIEST <= late[0] and late[-1] <= limit,
               f"{name}: each is shown {1_000 * late[0]:.0f} to {1_000 * late[-1]:.0f} ms after its time (median {1_000 * statistics.median(late):.0f} ms)",
               str([(transition["transition"], round(1_000 * seconds)) for transition, seconds in zip(game["transitions"], game["late"])]))


def check_viewer(lines, viewer):
    wanted = {
        "before": "noQuestion", "accepted": "accepted", "selected": 0, "unknown": "unknownAnswer", "hidden": True, "late": "tooLate",
        "closed": ["questionClosed"], "again": ["questionAsked"], "moves": ["asking"], "closedThrows": True}
    found = {key: viewer[key] for key in wanted}
    lines.tell(found == wanted and abs(viewer["deadline"]) < 0.001, "a viewer answers, is told what became of it, goes back and is asked again", str(viewer))


def is_steady(sizes):
    return sizes[-1] == sizes[len(sizes) // 4]


def run(lines, options):
    functions, members = exports(options.package)
    lines.tell(functions[0] == functions[1] and len(functions[0]) > 3 and members[0] == members[1] and len(members[0]) > 3,
               f"the types name what the module exports: {', '.join(sorted(functions[0]))}, and a game's {len(members[0])} members",
               f"{functions[0] ^ functions[1]} {members[0] ^ members[1]}")
    shows = {folder.name: expected(folder) for folder in sorted(options.shows.iterdir()) if folder.is_dir()}
    games = [{"show": show, "way": "hls.js", "precision": "deadline"} for show in shows]
    games += [
        {"show": "quick-round-ts", "way": "hls.js", "precision": "frame"},
        {"show": "quick-round-ts", "way": "video.js", "precision": "deadline"},
        {"show": "quick-round-fmp4", "way": "text tracks", "precision": "deadline"}]
    address = server.serve({
        "page": options.page, "library": options.library, "package": options.package, "shows": options.shows, "example": options.example})
    with browser.start() as chromium:
        report, console = chromium.evaluate(f"{address}/page/check.html", f"check({json.dumps(games)}, {PATIENCE})", 2 * PATIENCE + 120)
    lines.tell(report["imports"] == IMPORTS, f"the module takes {', '.join(report['imports'])} from the page and nothing else")
    size = (options.package / "cuelight-client.wasm.br").stat().st_size
    lines.tell(size <= options.largest, f"a page loads {size} bytes for the game, of at most {options.largest}")
    starts = report["starts"]
    lines.tell(statistics.median(starts) <= START,
               f"a game starts in {statistics.median(starts):.1f} ms (median of {len(starts)}, {min(starts):.1f} to {max(starts):.1f})")
    for game in report["games"]:
        check_game(lines, game, shows[game["show"]])
    wanted = shows[games[0]["show"]]
    for name, transitions in report["handed"].items():
        wrong = difference([comparable(transition) for transition in transitions], wanted)
        lines.tell(not wrong, f"{name}: {len(transitions)} of {len(wanted)} transitions are those of replay", wrong)
    check_viewer(lines, report["viewer"])
    trusted, forged = report["seals"]["trusted"], report["seals"]["forged"]
    lines.tell(trusted and set(trusted) == {"unchecked"}, "checkSeals: false takes right answers as they are", str(trusted))
    lines.tell(forged.count("sealBroken") == len(trusted), f"{forged.count('sealBroken')} of {len(trusted)} changed results break their seals", str(forged))
    lines.tell(any("2 of 2 right" in text for text in report["example"]) and "begins soon" in report["example"][-1],
               "the page of the documentation plays, takes answers, counts them, and shows the beginning where one goes back to it", str(report["example"]))
    lines.tell(report["speed"] >= SPEED, f"{report['speed']:.0f} tags a second")
    rounds, ended = report["memory"]["rounds"], report["memory"]["games"]
    lines.tell(is_steady(rounds), f"memory stays at {rounds[-1] // 1024} KB over {len(rounds)} rounds of a show", str(rounds))
    lines.tell(is_steady(ended), f"memory stays at {ended[-1] // 1024} KB over {len(ended)} games", str(ended))
    lines.tell(not console, "the console says nothing", "; ".join(console))


if __name__ == "__main__":
    run_proof(run, proof_parser("package", "library", "page", "example", "shows", largest=int))
