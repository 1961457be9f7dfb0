"""Lets players change their nicknames and teams while the server is killed, plays a question, and counts the teams again. Prints a line for each fact.

    python3 -m proofs.hosting.teams --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--players 90] [--kills 3] [--seed 1]
"""

import collections
import http.client
import random
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, edge, join_all, write_quiz, write_tokens
from proofs.processes import wait_until

TEAMS = ["Reds", "Blues", "Ants", "Nachtschwärmer", "فريق الليل"]


def serve(options, name, *arguments):
    return Server(
        options.server, options.folder / name, "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted", "--delay", 2,
        "--time", 5, "--token-file", write_tokens(options.folder / "tokens"), *arguments, log=options.folder / "server.log")


def change(client, server, player, nickname, team):
    return client.call("PUT", server.path(f"players/{player.uuid}"), {"nickname": nickname, "team": team})


def changes_outlive_kills(options):
    """What was answered is there after the next start, or what the client has asked for since."""
    chance = random.Random(options.seed)
    players = [Player(f"Player {number}", chance) for number in range(options.players)]
    server = serve(options, "kills", "--teams", "free")
    wait_until(server.is_ready, 10, "the input comes")
    join_all(server, players)
    # By player: the state that was answered last, and every one that was asked for since.
    known = {player.uuid: [(player.nickname, None)] for player in players}
    count = 0
    for kill in range(options.kills):
        stop = threading.Event()

        def some(share, kill=kill, stop=stop, server=server):
            mine, done = random.Random(f"{options.seed} {kill} {share[0].nickname}"), 0
            try:
                with server.client() as client:
                    while not stop.is_set():
                        player = mine.choice(share)
                        wanted = (f"{player.nickname} x {mine.randrange(100)}", mine.choice(TEAMS))
                        known[player.uuid].append(wanted)
                        answer = change(client, server, player, *wanted)
                        assert answer.status in (200, 503), f"{wanted}: {answer}"
                        if answer.status == 200:
                            known[player.uuid] = [wanted]
                            done += 1
            except (OSError, http.client.HTTPException):
                pass
            return done

        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(some, players[index::8]) for index in range(8)]
            time.sleep(1.0)
            server.kill()
            stop.set()
            count += sum(one.result() for one in running)
        server = serve(options, "kills", "--teams", "free")
        for player in players:
            with server.client() as client:
                answer = client.call("GET", server.path(f"players/{player.uuid}"), token=player.token)
            assert answer.status == 200, answer
            found = (answer.object["nickname"], answer.object.get("team"))
            assert found in known[player.uuid], f"kill {kill + 1}: {found} is none of {known[player.uuid]}"
            known[player.uuid] = [found]
    server.stop()
    shutil.rmtree(options.folder / "kills")
    return f"{options.kills} kills in {count} acknowledged changes of {options.players} players, and none is lost"


def hundredths(value):
    """A fraction in hundredths, halves away from zero."""
    scaled = abs(value) * 100
    whole = int(scaled + Fraction(1, 2))
    return (whole if value >= 0 else -whole) / 100


def teams_are_recounted(options, rule):
    """A question is played; the board of teams is that of a recount of the players' board, which the table for spreadsheets also has."""
    chance = random.Random(options.seed + 1)
    name = f"board-{rule.replace(':', '-')}"
    with serve(options, name, "--teams", ",".join(TEAMS), "--team-points", rule) as server:
        wait_until(server.is_ready, 10, "the input comes")
        players, teams = [Player(f"Player {number}", chance) for number in range(options.players)], {}
        join_all(server, players)
        host = Host(server)
        with server.client() as client:
            for player in players[:-5]:
                teams[player.nickname] = chance.choice(TEAMS)
                answer = change(client, server, player, player.nickname, teams[player.nickname].upper())
                assert answer.object["team"] == teams[player.nickname], answer
            question = host.ask()
            wait_until(lambda: edge(host.client) > question["opensAt"] + 1, 20, "the question is open")
            for player in players:
                if chance.random() < 0.8:
                    player.answer(client, server, (question["guid"], chance.randrange(2), edge(host.client)))
            # From now on everybody stays in the team.
            refused = change(client, server, players[0], players[0].nickname, next(team for team in TEAMS if team != teams[players[0].nickname]))
            assert (refused.status, refused.kind) == (409, "joined-otherwise"), refused
            wait_until(lambda: server.state()["board"] == 1, 60, "the result is in the stream")
            board = client.get(server.path("board")).object
            table = client.call("GET", server.path("results.csv"), token=server.host_token).body.decode("utf-8-sig").splitlines()
        host.client.close()
    scores = collections.defaultdict(list)
    for line in board["leaders"]:
        if line["player"] in teams:
            scores[teams[line["player"]]].append(line["score"])
    assert sum(map(len, scores.values())) == len(teams), "somebody is not on the board"
    points = {
        "mean": lambda own: hundredths(Fraction(sum(own), len(own))), "sum": sum, "best:3": lambda own: sum(sorted(own, reverse=True)[:3])}[rule]
    wanted = {team: (points(own), len(own)) for team, own in scores.items()}
    found = {line["team"]: (line["score"], line["players"]) for line in board["teams"]}
    assert found == wanted, f"{found}, not {wanted}"
    for line in board["teams"]:
        assert line["rank"] == 1 + sum(points > line["score"] for points, _ in wanted.values()), line
    assert table[0].startswith("rank,nickname,team,") and len(table) == len(players) + 1
    rows = {row.split(",")[1]: row.split(",")[2] for row in table[1:]}
    assert rows == {player.nickname: teams.get(player.nickname, "") for player in players}
    shutil.rmtree(options.folder / name)
    return f"{len(found)} teams of {len(teams)} players are those of the recount, with {', '.join(str(line['score']) for line in board['teams'])} points"


def run(lines, options):
    write_quiz(options.folder / "quiz.json", 1)
    lines.prove("teams, kills", changes_outlive_kills, options)
    for rule in ("mean", "sum", "best:3"):
        lines.prove(f"teams, {rule}", teams_are_recounted, options, rule)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", players=90, kills=3, seed=1)
