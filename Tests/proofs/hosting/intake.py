"""Measures how many answers a game server takes with all that it does for each: the token's signature, the clock, the journal on the disk. Beside it,
in the same process, what the web framework does for a call that does nothing. Prints a line for each fact.

    python3 -m proofs.hosting.intake --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--players 10000] [--connections 256] [--seconds 8] [--rounds 3] [--seed 1]
        [--least 0.7] [--memory 400]

The load comes from wrk. A core is a second of the server's processor time, so that what wrk takes does not count. Fewer answers for each call of the plain
route than --least, or more megabytes than --memory are a fault; the ratio is judged only where the machine is quiet enough. How many answers a core takes
depends on the machine and is only told.
"""

import os
import random
import re
import statistics
import subprocess

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, edge, is_quiet, join_all, write_quiz, write_tokens
from proofs.processes import processor_time, raise_limit, wait_until

# Nobody is too far behind as long as wrk runs.
TIME, DELAY = 600, 120
# Each answer of a player has a position of its own, so that none is the same as another.
SCRIPT = """
local tokens, count, place = {}, 0, 0
for line in io.lines(os.getenv("TOKENS")) do tokens[#tokens + 1] = line end
function request()
  place = place + 1
  if place > #tokens then place, count = 1, count + 1 end
  local body = string.format('{"answers":[{"question":"%s","answer":%d,"at":%.6f}]}', os.getenv("QUESTION"), count % 2, os.getenv("AT") + count / 1000000)
  return wrk.format("POST", os.getenv("WHERE"), {["Authorization"] = "Bearer " .. tokens[place], ["Content-Type"] = "application/json"}, body)
end
function response(status, _, body)
  if status ~= 202 and not told then
    told = true
    io.stderr:write(status, " ", body, "\\n")
  end
end
"""


def load(server, options, path, **environment):
    """Runs wrk; returns the calls, and the server's processor time in seconds."""
    script = options.folder / "intake.lua"
    script.write_text(SCRIPT)
    before = processor_time(server.process)
    ended = subprocess.run(
        ["wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s", *(["-s", script] if environment else []), f"http://127.0.0.1:{server.port}{path}"],
        env=os.environ | {name: str(value) for name, value in environment.items()}, capture_output=True, text=True, check=True)
    said = ended.stdout
    took = processor_time(server.process) - before
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: (.*)", said)
    assert not broken, f"wrk on {path}: {broken[0]}"
    assert not refused, f"{refused[1]} calls of {path} are refused, such as {ended.stderr.strip()}"
    return int(re.search(r"(\d+) requests in", said)[1]), took


def run(lines, options):
    folder = options.folder
    raise_limit(options.connections + 1_000)
    quiet = is_quiet()
    write_quiz(folder / "quiz.json", 1)
    chance = random.Random(options.seed)
    players = [Player(f"Player {number}", chance) for number in range(options.players)]
    with Server(
            options.server, folder / "data", "--input", options.clip, "--loop", "--quiz", folder / "quiz.json", "--hosted", "--time", TIME,
            "--delay", DELAY, "--token-file", write_tokens(folder / "tokens"), log=folder / "server.log") as server:
        wait_until(server.is_ready, 10, "the input comes")
        join_all(server, players)
        tokens = folder / "players"
        tokens.write_text("".join(f"{player.token}\n" for player in players))
        question = Host(server).ask()
        answers, plain = [], []
        for _ in range(options.rounds):
            with server.client() as client:
                at = min(edge(client), question["opensAt"] + 1)
                said = players[0].answer(client, server, (question["guid"], 0, at))
                assert (said.status, said.object["results"]) == (202, ["recorded"]), f"an answer at {at}, question at {question['opensAt']}: {said}"
            answers.append(load(server, options, "/", TOKENS=tokens, QUESTION=question["guid"], AT=at, WHERE=server.path("answers")))
            plain.append(load(server, options, "/healthz"))
        memory = server.resources()[1]
        took = server.stop()

    def rate(loads):
        return statistics.median(calls / processor for calls, processor in loads)

    def intake():
        text = (f"{rate(answers):,.0f} POST a second and core, each with a signature, and on the disk before it is answered; "
                f"the framework's plain route {rate(plain):,.0f} ({rate(answers) / rate(plain):.1f} times); medians of {options.rounds} in turn, "
                f"{options.connections} connections, {sum(calls for calls, _ in answers):,} answers; load {os.getloadavg()[0]:.1f}; {options.least} times are wanted{'' if quiet else ', and not judged: the machine is busy'}")
        assert not quiet or rate(answers) >= options.least * rate(plain), text
        return text

    def server_holds():
        assert took[1] in (0, 130), f"SIGTERM {took}"
        assert memory <= options.memory << 20, f"{memory / 1048576:.1f} MB in use, {options.memory} are allowed"
        return f"{memory / 1048576:.1f} MB in use at most, of {options.memory}; SIGTERM ends it in {took[0]:.2f} s"

    lines.prove("intake", intake)
    lines.prove("intake, server", server_holds)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", players=10_000, connections=256, seconds=8, rounds=3, least=0.7, memory=400, seed=1)
