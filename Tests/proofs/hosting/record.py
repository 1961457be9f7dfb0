"""Plays a show with a public record, kills the server in it, and checks the record with `verify_record.py`, also one that was tampered with. Prints a line for
each fact.

    python3 -m proofs.hosting.record --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--players 60] [--questions 5] [--time 4] [--seed 1]

Somebody who has the server's key changes the record, signs all of it again, and is found by what the record says itself. OpenSSL is the witness of the
signatures, and this file's own recount that of the board.
"""

import base64
import hashlib
import hmac
import json
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proofs import verify_record
from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, Watcher, edge, join_all, write_quiz, write_tokens
from proofs.processes import wait_until

DELAY = 3
SCORING = "speed:1000:500+streak:100"
# A question of every kind that is no choice of one.
KINDS = [
    {"kind": "multiple", "question": "Which are even?", "answers": ["1", "2", "3", "4"], "correct": ["2", "4"], "partial": True},
    {"kind": "order", "question": "In which order?", "answers": ["one", "two", "three"], "correct": ["one", "two", "three"]},
    {"kind": "number", "question": "How many?", "least": 0, "most": 100, "correct": 42, "within": 10},
    {"kind": "text", "question": "Which planet is red?", "correct": ["Mars", "The planet Mars"], "tolerance": 1, "points": 500},
    {"kind": "poll", "question": "Which do you like?", "answers": ["this", "that"]},
]


def choose(question, chance):
    """Any answer to a question of the quiz."""
    kind, count = question.get("kind", "single"), len(question.get("answers", []))
    if kind == "number":
        return chance.randrange(101)
    if kind == "text":
        return chance.choice(["Mars", "mars!", "MÄRS", "Marz", "Venus", "the planet mars", "Mals and more"])
    if kind == "order":
        return chance.sample(range(count), count)
    return sorted(chance.sample(range(count), chance.randrange(1, count))) if kind == "multiple" else chance.randrange(count)


class Show:
    """A show, and all that players were given."""

    def __init__(self, options):
        self.options, self.folder, self.chance = options, options.folder, random.Random(options.seed)
        write_quiz(self.folder / "quiz.json", max(options.questions - len(KINDS), 1), options.seed)
        quiz = json.loads((self.folder / "quiz.json").read_text())
        quiz["questions"] = (KINDS + quiz["questions"])[:options.questions]
        self.questions = quiz["questions"]
        (self.folder / "quiz.json").write_text(json.dumps(quiz))
        self.players = [Player(f"Player {number}", self.chance) for number in range(options.players)]
        # By players and the GUIDs of questions: the receipts of their answers, the last one that counts at the end.
        self.receipts, self.watcher, self.guids = {}, Watcher(), []

    def serve(self):
        return Server(
            self.options.server, self.folder / "data", "--public-record", "--input", self.options.clip, "--loop", "--quiz", self.folder / "quiz.json",
            "--hosted", "--delay", DELAY, "--time", self.options.time, "--scoring", SCORING, "--token-file", write_tokens(self.folder / "tokens"),
            log=self.folder / "server.log")

    def answer_all(self, server, question, share):
        guid, index = question["guid"], question["number"] - 1

        def some(players):
            chance = random.Random(f"{self.options.seed} {index} {players[0].nickname}")
            with server.client() as client, server.client(server.operator_token) as watch:
                for player in players:
                    # Some change their minds.
                    for _ in range(2 if chance.random() < 0.1 else 1):
                        reply = player.answer(client, server, (guid, choose(self.questions[index], chance), round(edge(watch), 3)))
                        # The host has removed one of them.
                        if reply.status == 409 and reply.kind in ("too-late", "eliminated"):
                            break
                        assert reply.status == 202 and len(reply.object["receipts"]) == 1, reply
                        self.receipts.setdefault(player.uuid, {}).setdefault(guid, []).append(reply.object["receipts"][0])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(some, [group for group in (share[place::8] for place in range(8)) if group]))

    def play(self):
        server = self.serve()
        wait_until(server.is_ready, 10, "the input comes")
        self.watcher.begin(server.port)
        join_all(server, self.players)
        for number in range(1, len(self.questions) + 1):
            with_kill = number == 2
            host = Host(server)
            question = host.ask()
            wait_until(lambda: edge(host.client) > question["opensAt"] + 0.5, 20, "the question is open")
            half = len(self.players) // 2
            self.answer_all(server, question, self.players[:half])
            if with_kill:
                # Between two changes of the record: it goes on after the next start.
                before = record_of(server)
                server.kill()
                host.client.close()
                server = self.serve()
                wait_until(server.is_ready, 10, "the input comes")
                self.watcher.begin(server.port)
                assert record_of(server)[:len(before)] == before, "the record is another one after the kill"
                host = Host(server)
            else:
                self.answer_all(server, question, self.players[half:])
            self.guids.append(question["guid"])
            if number == 3:
                host.command("kick", player=self.players[1].number)
            wait_until(lambda: server.state()["board"] == number, 60, "the result is in the stream")
            host.client.close()
        host = Host(server)
        host.command("end")
        wait_until(lambda: self.watcher.of("endGame"), 30, "the end is in the stream")
        self.watcher.end()
        self.hash = self.watcher.of("endGame")[0]["record"]
        host.client.close()
        return server


def record_of(server):
    return fetch(server, "public-record")


def fetch(server, name):
    status, _, body = server.get(server.path(name))
    assert status == 200, f"{name}: {status} {body}"
    return body.decode().splitlines()


def save(server, folder, count):
    """Keeps the record with all answers, as anybody can."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "record.ndjson").write_text("".join(f"{line}\n" for line in record_of(server)))
    for number in range(1, count + 1):
        lines, page = [], fetch(server, f"public-record/answers/{number}")
        while page:
            lines += page
            page = fetch(server, f"public-record/answers/{number}?from={len(lines)}")
        (folder / f"answers-{number}.ndjson").write_text("".join(f"{line}\n" for line in lines))


def verify(source, *arguments):
    """The status and the words of the verifier, as a program of its own."""
    program = Path(verify_record.__file__)
    done = subprocess.run([sys.executable, "-I", program, source, *arguments], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, (done.stdout + done.stderr).strip()


def is_right(show, server):
    """The record from the server itself, with the key it publishes, the hash in the stream, and receipts of some players."""
    started = time.monotonic()
    key = json.loads(server.get("/v1/public-record/key")[2])["key"]
    receipts = [one for own in list(show.receipts.values())[:5] for many in own.values() for one in many]
    arguments = ["--key", key, "--end-hash", show.hash]
    for number, receipt in enumerate(receipts):
        path = show.folder / f"receipt-{number}.json"
        path.write_text(json.dumps(receipt))
        arguments += ["--receipt", path]
    status, said = verify(f"http://127.0.0.1:{server.port}{server.path('public-record')}", *arguments)
    assert status == 0 and said.startswith("right: "), said
    return f"{said}; {len(receipts)} receipts, {time.monotonic() - started:.1f} s"


def receipts_are_kept(show, server):
    """Every answer with a receipt is a leaf, and no other one; a path of the server leads from some to the root."""
    leaves = {number: fetch_all(show.folder / "record" / f"answers-{number}.ndjson") for number in range(1, len(show.guids) + 1)}
    promised = {number: [one["leaf"] for own in show.receipts.values() for one in own.get(guid, [])] for number, guid in enumerate(show.guids, 1)}
    for number in leaves:
        assert sorted(leaves[number]) == sorted(promised[number]), f"question {number}: the leaves are not those of the receipts"
    closes = {line["question"]: line for line in map(json.loads, record_of(server)) if line["type"] == "close"}
    paths = 0
    for number, lines in leaves.items():
        for line in show.chance.sample(lines, min(5, len(lines))):
            leaf = verify_record.leaf_hash(line)
            proof = json.loads(server.get(server.path(f"public-record/proofs/{number}/{leaf.hex()}"))[2])
            place, last, found = proof["place"], proof["answers"] - 1, leaf
            path = [bytes.fromhex(text) for text in proof["path"]]
            while last:
                if place % 2 or place < last:
                    other = path.pop(0)
                    found = hashlib.sha256(b"\1" + (other + found if place % 2 else found + other)).digest()
                place, last = place // 2, last // 2
            assert not path and found.hex() == closes[number]["root"], f"question {number}: the path leads elsewhere"
            paths += 1
    return f"{sum(map(len, leaves.values()))} leaves are those of the receipts, and {paths} paths lead to their roots"


def board_agrees(show, server):
    """The points that the record gives to pseudonyms are those that the server shows under the nicknames."""
    board = json.loads(server.get(server.path("board"))[2])["leaders"]
    names = {}
    for player in show.players:
        for many in show.receipts.get(player.uuid, {}).values():
            names[json.loads(many[0]["leaf"])[1]] = player.nickname
    assert len(names) == len({*names.values()}), "two players have one pseudonym, or one has two"
    end = json.loads(record_of(server)[-1])
    wanted = {line["player"]: line["score"] for line in board}
    found = {names[name]: score for name, score in end["board"] if name in names}
    assert found.items() <= wanted.items(), f"{found}, not {wanted}"
    assert show.players[1].nickname not in found, "who was kicked is on the board"
    text = "".join(record_of(server))
    assert not any(f'"{player.nickname}"' in text or player.uuid in text for player in show.players), "the record has a name"
    return f"{len(found)} players have their points, under pseudonyms"


def openssl_agrees(show, server):
    """OpenSSL takes the signatures of lines and receipts."""
    folder = show.folder / "openssl"
    folder.mkdir(exist_ok=True)
    key = base64.b64decode(json.loads(server.get("/v1/public-record/key")[2])["key"])
    (folder / "key.der").write_bytes(bytes.fromhex("302a300506032b6570032100") + key)
    signed = []
    for line in record_of(server)[:5]:
        message, _, signature = line.rpartition(',"signature":"')
        signed.append((message + "}", signature[:-2]))
    receipt = next(iter(next(iter(show.receipts.values())).values()))[0]
    signed.append((f"{server.game}\n{receipt['question']}\n{receipt['leaf']}", receipt["signature"]))
    for message, signature in signed:
        (folder / "message").write_text(message)
        (folder / "signature").write_bytes(base64.b64decode(signature))
        subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", folder / "key.der", "-in", folder / "message", "-sigfile",
             folder / "signature"], check=True, capture_output=True)
    return f"{len(signed)} signatures"


def fetch_all(path):
    return path.read_text().splitlines()


def sign(seed, message):
    """A signature with the server's own key (RFC 8032, 5.1.6)."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    def packed(number):
        x, y, z, _ = verify_record.times(number, verify_record.BASE)
        inverse = pow(z, -1, verify_record.P)
        return (y * inverse % verify_record.P | (x * inverse % verify_record.P & 1) << 255).to_bytes(32, "little")
    nonce = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % verify_record.Q
    first, key = packed(nonce), packed(scalar)
    challenge = int.from_bytes(hashlib.sha512(first + key + message).digest(), "little") % verify_record.Q
    return first + ((nonce + challenge * scalar) % verify_record.Q).to_bytes(32, "little")


class Forgery:
    """A copy of the record that somebody changes."""

    def __init__(self, show, name):
        self.show, self.folder = show, show.folder / name
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(show.folder / "record", self.folder)

    def lines(self, name="record.ndjson"):
        return fetch_all(self.folder / name)

    def write(self, lines, name="record.ndjson"):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))

    def sign(self, change):
        """Changes entries, and chains and signs all of them again as only the server could."""
        secret = (self.show.folder / "data/record.key").read_text().strip().encode()
        seed, last, lines = hmac.digest(secret, b"signatures", "sha256"), bytes(32), []
        for line in self.lines():
            entry = json.loads(line)
            del entry["signature"]
            change(entry)
            entry["previous"] = last.hex()
            text = json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
            lines.append(f'{text[:-1]},"signature":"{base64.b64encode(sign(seed, text.encode())).decode()}"}}')
            last = hashlib.sha256(lines[-1].encode()).digest()
        self.write(lines)

    def is_found(self, words, *arguments):
        status, said = verify(self.folder, *arguments)
        assert status == 1 and words in said, f"{words} is not found: {status} {said}"
        shutil.rmtree(self.folder)
        return said.splitlines()[0]


def flipped_bit(show):
    chance, found = show.chance, []
    for number in range(6):
        forgery = Forgery(show, "flipped")
        name = "record.ndjson" if number < 4 else "answers-1.ndjson"
        lines = forgery.lines(name)
        place = chance.randrange(len(lines))
        column = chance.randrange(lines[place].index('"type"') if number < 4 else 20, len(lines[place]) - 100 if number < 4 else len(lines[place]) - 10)
        lines[place] = lines[place][:column] + chr(ord(lines[place][column]) ^ 1) + lines[place][column + 1:]
        forgery.write(lines, name)
        status, said = verify(forgery.folder)
        assert status == 1 and (f"line {place + 1}: " if number < 4 else "question 1: ") in said, f"{place} {column}: {said}"
        found.append(said.splitlines()[0])
    return found[0]


def dropped_answer(show):
    forgery = Forgery(show, "dropped")
    lines = forgery.lines("answers-1.ndjson")
    forgery.write(lines[:3] + lines[4:], "answers-1.ndjson")
    first = forgery.is_found("question 1: ")
    # The server itself drops an answer, and makes everything fit: the receipt of the player tells.
    forgery = Forgery(show, "dropped")
    receipt = show.folder / "dropped.json"
    receipt.write_text(json.dumps(next(own[show.guids[0]][-1] for own in show.receipts.values() if show.guids[0] in own)))
    left = [line for line in lines if line != json.loads(receipt.read_text())["leaf"]]
    forgery.write(left, "answers-1.ndjson")

    def drop(entry):
        if entry["type"] == "close" and entry["question"] == 1:
            entry["answers"], entry["root"] = len(left), verify_record.root([verify_record.leaf_hash(line) for line in left]).hex()

    forgery.sign(drop)
    second = forgery.is_found("the answer is not among those to question 1", "--receipt", receipt)
    return f"{first}; {second}"


def swapped_entry(show):
    forgery = Forgery(show, "swapped")
    lines = forgery.lines()
    lines[3], lines[4] = lines[4], lines[3]
    forgery.write(lines)
    first = forgery.is_found("line 4: it is out of place")
    forgery = Forgery(show, "shortened")
    forgery.write(forgery.lines()[:-1])
    return f"{first}; {forgery.is_found('lines are missing', '--end-hash', show.hash)}"


def late_answer(show):
    forgery = Forgery(show, "late")
    lines = forgery.lines("answers-1.ndjson")
    close = next(line for line in map(json.loads, forgery.lines()) if line["type"] == "close" and line["question"] == 1)
    salt, name, answer, _ = json.loads(lines[0])
    lines.append(json.dumps([salt, name, answer, close["closesAt"]], separators=(",", ":")))
    forgery.write(lines, "answers-1.ndjson")

    def add(entry):
        if entry["type"] == "close" and entry["question"] == 1:
            entry["answers"], entry["root"] = len(lines), verify_record.root([verify_record.leaf_hash(line) for line in lines]).hex()

    forgery.sign(add)
    return forgery.is_found("is late, and was recorded")


def forged_result(show):
    found = []
    for name, change, words in [
        ("counts", lambda entry: entry["counts"].reverse() or entry["counts"].__setitem__(0, entry["counts"][0] + 1), "question 1: the result is"),
        ("right", lambda entry: entry.__setitem__("right", {"correctAnswers": [0]}), "question 1: the right answer is another one"),
        ("content", lambda entry: entry.__setitem__("content", entry["content"].replace("even", "odd")), "question 1: it is another question"),
    ]:
        forgery = Forgery(show, name)
        forgery.sign(lambda entry, change=change: change(entry) if entry["type"] == "reveal" and entry["question"] == 1 else None)
        found.append(forgery.is_found(words))
    forgery = Forgery(show, "board")
    forgery.sign(lambda entry: entry["board"][0].__setitem__(1, entry["board"][0][1] + 1) if entry["type"] == "end" else None)
    found.append(forgery.is_found("the board says"))
    forgery = Forgery(show, "winner")
    forgery.sign(lambda entry: entry["board"].pop(0) if entry["type"] == "end" else None)
    return "; ".join([*found, forgery.is_found("the board is not that of the best players")])


def hashes_are_left(show, server):
    """A player is deleted: the answers are hashes, the record is right, and the player's own receipts are still good."""
    player = next(one for one in show.players[3:] if len(show.receipts.get(one.uuid, {})) > 1)
    with server.client(player.token) as client:
        answer = client.call("DELETE", server.path(f"players/{player.uuid}"))
    assert answer.status == 204, answer
    own = [one for many in show.receipts[player.uuid].values() for one in many]
    pseudonym = json.loads(own[0]["leaf"])[1]
    before = fetch_all(show.folder / "record/record.ndjson")
    for _ in range(2):
        save(server, show.folder / "deleted", len(show.guids))
        lines = "".join(path.read_text() for path in show.folder.glob("deleted/answers-*.ndjson"))
        assert pseudonym not in lines and not any(one["leaf"] in lines for one in own), "something of the player is left"
        assert all(f'"{verify_record.leaf_hash(one["leaf"]).hex()}"' in lines for one in own), "a hash is missing"
        assert fetch_all(show.folder / "deleted/record.ndjson") == before, "the record has changed"
        arguments = []
        for number, one in enumerate(own):
            path = show.folder / f"deleted-{number}.json"
            path.write_text(json.dumps(one))
            arguments += ["--receipt", path]
        status, said = verify(show.folder / "deleted", "--end-hash", show.hash, *arguments)
        assert status == 0 and f"({len(own)} deleted)" in said, said
        # Also after a restart.
        game = server.game
        server.stop()
        server = show.server = show.serve()
        # The server begins another game with the quiz.
        server.game = game
    return f"{said}, also after a restart"


def run(lines, options):
    show = Show(options)
    show.server = show.play()
    save(show.server, show.folder / "record", len(show.guids))
    lines.prove("record, a whole show with a kill", is_right, show, show.server)
    lines.prove("record, receipts", receipts_are_kept, show, show.server)
    lines.prove("record, the board", board_agrees, show, show.server)
    lines.prove("record, signatures", openssl_agrees, show, show.server)
    for name, fact in [
            ("a flipped bit", flipped_bit), ("a dropped answer", dropped_answer), ("a swapped entry", swapped_entry), ("a late answer", late_answer),
            ("a forged result", forged_result)]:
        lines.prove(f"record, {name}", fact, show)
    lines.prove("record, a deleted player", hashes_are_left, show, show.server)
    show.server.stop()


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", players=60, questions=5, time=4, seed=1)
