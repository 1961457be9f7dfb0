#!/usr/bin/env python3
"""Recomputes every result of a game from its public record alone, and checks receipts; written from the page Record, with nothing but Python.

    verify_record.py https://HOST/v1/games/GAME/public-record [--key BASE64] [--end-hash HEX] [--receipt FILE]...

A folder with record.ndjson, answers-1.ndjson and so on may take the place of the address. The key is what the server has published, the hash that in
endGame. Every mistake is named; the status is then 1."""
import argparse, base64, decimal, hashlib, json, pathlib, sys, urllib.request
sha256 = lambda data: hashlib.sha256(data).digest()
read = lambda text: json.loads(text, parse_float=decimal.Decimal)
leaf_hash = lambda line: bytes.fromhex(read(line)) if line.startswith('"') else sha256(b"\0" + line.encode())
mistakes = []
# Ed25519 (RFC 8032, 5.1), in extended coordinates.
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    g, h = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(number, a):
    doubled = times(number >> 1, add(a, a)) if number > 1 else (0, 1, 1, 0)
    return add(doubled, a) if number & 1 else doubled

def point(data):
    sign, y = divmod(int.from_bytes(data, "little"), 1 << 255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("no point")
    return (x, y, 1, x * y % P) if x & 1 == sign else (P - x, y, 1, (P - x) * y % P)

BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
def is_signed(signature, message, key):
    signature = base64.b64decode(signature, validate=True)
    s, r, a = int.from_bytes(signature[32:], "little"), point(signature[:32]), point(key)
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    left, right = times(s, BASE), add(r, times(h, a))
    return len(signature) == 64 and s < Q and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))

def root(hashes):  # RFC 9162, 2.1: a hash without a neighbour goes up as it is.
    while len(hashes) > 1:
        hashes = [sha256(b"\1" + hashes[i] + hashes[i + 1]) if i + 1 < len(hashes) else hashes[i] for i in range(0, len(hashes), 2)]
    return hashes[0] if hashes else sha256(b"")

def chain(lines, key):
    """The entries of a record whose numbers, hashes and signatures are right."""
    entries, last = [], bytes(32)
    for number, line in enumerate(lines, 1):
        message, _, signature = line.rpartition(',"signature":"')
        try:
            entry = read(message + "}")
            key = key or base64.b64decode(entry["key"])
            is_own = signature.endswith('"}') and is_signed(signature[:-2], (message + "}").encode(), key)
        except (ValueError, KeyError, TypeError):
            is_own = False
        if not is_own or (entry["number"], entry["previous"]) != (number, last.hex()):
            reason = f"out of place: it is number {entry['number']} after {entry['previous']}" if is_own else "changed: its signature is wrong"
            sys.exit(f"line {number}: it is {reason}")
        entries, last = entries + [entry], sha256(line.encode())
    return entries, last, key

def mark(question, answer, right, nearest):
    """Whether an answer is right, and its part of the points: a share and the whole."""
    kind, within, is_right = question.get("kind"), question.get("within"), answer in question.get("accepted", [right])
    if kind == "multiple" and question.get("partial"):
        return is_right, max(len({*answer} & {*right}) - len({*answer} - {*right}), 0), len(right)
    if kind == "order":
        pairs = [answer.index(a) < answer.index(b) for i, a in enumerate(right) for b in right[i + 1:]]
        return all(pairs), sum(pairs), len(pairs)
    if kind == "number":
        distance, whole = abs(answer - right) * 10**6, max(int((within or 0) * 2 * 10**6), 1)
        is_right = distance in (nearest, 0) if within is None else distance <= within * 10**6
        if is_right and within is not None:
            return is_right, whole - min(int(distance), whole), whole
    return is_right, int(is_right), 1

def points(rules, q, answer, time, is_right, share, whole, streak, first):
    part = lambda value: value * share // whole
    base = int((rules.get("right") or [1])[0]) if "right" in rules or not {"first", "points", "speed"} & rules.keys() else 0
    total = part(base) + (int((rules.get("first") or [1])[0]) if "first" in rules and is_right and time == first else 0)
    if "speed" in rules and share:
        (most, least), passed, allotted = map(int, (rules["speed"] + [0])[:2]), max(time - q["opensAt"], 0), q["allottedTime"]
        passed -= 0 if rules["speed"][2:] else passed % 90000
        total += part(most if allotted <= 0 else least if passed >= allotted else least + (most - least) * (allotted - passed) // allotted)
    total += int(rules["streak"][0]) if "streak" in rules and is_right and streak >= int((rules["streak"] + [2])[1]) else 0
    worth, full = q["words"].get("points"), base + int(rules.get("speed", [0])[0]) or int((rules.get("first") or [1])[0])
    total = total * worth // full if isinstance(worth, int) else total  # In proportion to what the rules give for a right answer at once.
    own = sum(worth[i] for i in (answer if isinstance(answer, list) else [answer])) if isinstance(worth, list) else is_right * (1 if worth is None else worth)
    return total + (own if "points" in rules else 0)

def fold(questions, rules, kicked, players=()):
    """The points of all players by their pseudonyms, and how often each answer to the last question was chosen."""
    out_after = int((rules.get("elimination") or [0])[0]) if "elimination" in rules else float("inf")
    names = {name for q in questions for name in q["given"]}.union(players) - kicked
    states = {name: {"score": 0, "streak": 0, "mistakes": 0, "out": False} for name in names}
    for q in questions:
        given = {name: answer for name, answer in q["given"].items() if name in states and not states[name]["out"]}
        right, words, counts = q["right"], q["words"], [0] * len(q["words"].get("answers", []))
        for answer, _ in given.values():
            for i, item in enumerate(answer if isinstance(answer, list) else [answer] if counts else []):
                counts[item] += words.get("kind") != "order" or item == right[i]
        if right is None:
            continue
        near = min((abs(a - right) * 10**6 for a, _ in given.values()), default=None) if words.get("kind") == "number" else None
        marks = {name: mark(words, answer, right, near) for name, (answer, _) in given.items()}
        first = min((given[name][1] for name in marks if marks[name][0]), default=None)
        for name, state in ((name, state) for name, state in states.items() if not state["out"]):
            is_right, share, whole = marks.get(name, (False, 0, 1))
            state["streak"] = state["streak"] + 1 if is_right else 0
            state["score"] += points(rules, q, *given[name], is_right, share, whole, state["streak"], first) if name in given else 0
            state["mistakes"] += not is_right and (name in given or "answered" not in rules.get("elimination", []))
            state["out"] = state["mistakes"] > out_after
    return states, len(given), counts

def check(entries, answers):
    rules = {part.split(":")[0]: part.split(":")[1:] for part in entries[0]["scoring"].split("+")}
    asked, shown, kicked, told, lines, gone = {}, [], set(), set(), {}, 0
    seal = lambda text: base64.b64encode(sha256(text.encode())).decode()
    for entry in entries[1:]:
        kind, number = entry["type"], entry.get("question")
        problem = lambda text: mistakes.append(f"question {number}: {text}" if number else f"the end: {text}")
        if (kind, number) in told and kind != "kick":
            problem("a line is told twice")
        told.add((kind, number))
        if kind in ("ask", "close"):
            asked[number] = {**asked.get(number, {}), **entry}
        elif kind == "kick":
            kicked.add(entry["player"])
        elif kind == "settle":
            next(q for q in shown if q["question"] == number)["right"] = entry["right"]["correctAnswer"]
        elif kind == "reveal":
            ask, salt, right = asked[number], entry["salt"], next(iter(entry.get("right", {}).values()), None)
            if seal(f"{salt}:{entry['content']}") != ask["content"]:
                problem("it is another question than the one that was sealed")
            sealed = ("\n" if "correctTexts" in entry.get("right", {}) else ",").join(map(str, right if isinstance(right, list) else [right]))
            if right is not None and seal(f"{salt}:{ask['guid']}:{sealed}") != ask.get("seal"):
                problem("the right answer is another one than the one that was sealed")
            lines[ask["guid"]] = leaves = answers(number)
            if len(leaves) != ask["answers"]:
                problem(f"{len(leaves)} answers are given, and {ask['answers']} were recorded: answers were dropped or added")
            elif root([leaf_hash(line) for line in leaves]).hex() != ask["root"]:
                problem("the answers are not those that were recorded: they have another root")
            given, deleted = {}, sum(line.startswith('"') for line in leaves)
            for place, (_, name, answer, time) in enumerate(read(line) for line in leaves if not line.startswith('"')):
                if not ask["opensAt"] <= time < ask["closesAt"]:
                    problem(f"answer {place} is {'late' if time >= ask['closesAt'] else 'early'}, and was recorded")
                if entry["opensAt"] <= time < entry["closesAt"]:
                    given[name] = answer, max(time, given.get(name, (0, time))[1])
            gone += deleted
            shown.append({**ask, **entry, "right": right, "words": read(entry["content"]) | {key: entry[key] for key in ("accepted",) if key in entry}, "given": given})
            _, taken, counts = fold(shown, rules, kicked)
            published = [entry["taken"], *entry.get("counts", counts)]
            if len(published) != 1 + len(counts) or any(not n <= p <= n + deleted for p, n in zip(published, [taken, *counts])):
                problem(f"the result is {published[1:] or taken}, and the answers give {counts or taken}")
        elif kind == "end":
            for n in [n for kind, n in told if kind == "close" and not {("reveal", n), ("void", n)} & told]:
                mistakes.append(f"question {n}: it was closed, and has no result")
            states, _, _ = fold(shown or [{"given": {}, "right": None, "words": {}}], rules, kicked, [name for name, _ in entry["board"]])
            present = {name for q in shown for name in q["given"]} - kicked if gone else states.keys()
            keys = {name: (states[name]["out"], -states[name]["score"]) for name in present}
            listed = [(name, score) for name, score in entry["board"] if name in present]
            for name, score in [(name, score) for name, score in listed if states[name]["score"] != score]:
                problem(f"player {name} has {states[name]['score']} points, and the board says {score}")
            if [keys[name] for name, _ in listed] != sorted(keys.values())[:len(listed)]:
                problem("the board is not that of the best players")
    return lines, {q["guid"]: n for n, q in asked.items()}, gone

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    _ = [options.add_argument(name) for name in ("source", "--key", "--end-hash")]
    options.add_argument("--receipt", action="append", default=[])
    options = options.parse_args()
    def load(path):
        if "://" in options.source:
            return urllib.request.urlopen(options.source + path).read().decode().splitlines()
        return [] if "?" in path else pathlib.Path(options.source, (path[1:].replace("/", "-") or "record") + ".ndjson").read_text().splitlines()
    def answers(number, start=0):
        page = load(f"/answers/{number}" + (f"?from={start}" if start else ""))
        return page and page + answers(number, start + len(page))
    entries, last, key = chain(load(""), base64.b64decode(options.key or "") or None)
    lines, numbers, gone = check(entries, answers)
    if options.end_hash not in (None, last.hex()):
        mistakes.append(f"the record ends with {last.hex()}, and endGame says {options.end_hash}: lines are missing, or others")
    for path in options.receipt:
        guid, leaf, signature = map(json.loads(pathlib.Path(path).read_text()).get, ("question", "leaf", "signature"))
        if not is_signed(signature, f"{entries[0]['game']}\n{guid}\n{leaf}".encode(), key):
            mistakes.append(f"{path}: the receipt was not made by the server of this record")
        elif not {leaf, f'"{leaf_hash(leaf).hex()}"'} & set(lines.get(guid, [])):
            mistakes.append(f"{path}: the answer is not among those to question {numbers.get(guid)}")
    sys.exit("\n".join(mistakes) or print(f"right: {len(entries)} lines, {sum(map(len, lines.values()))} answers ({gone} deleted), hash {last.hex()}"))

if __name__ == "__main__":
    try:
        main()
    except (ArithmeticError, LookupError, StopIteration, TypeError, ValueError) as error:
        sys.exit("\n".join([*mistakes, f"the rest cannot be read: {error!r}"]))
