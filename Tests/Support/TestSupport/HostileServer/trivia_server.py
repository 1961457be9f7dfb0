#!/usr/bin/env python3
"""A stand-in for Open Trivia DB, for tests. It prints its port on its first line and ends when its standard input does.

    trivia_server.py [--questions N] [--pause SECONDS]

It has N questions (120), whose category, difficulty and type follow from their number, and takes one call in so many seconds (0). `api.php`,
`api_token.php` and `api_category.php` answer as the real ones do, with all response codes. In front of them a path says how it misbehaves,
for each call, such as in `/slow=2/api.php`:

    code=C       answer with this response code (and no question); code=C,N for the first N calls of api.php only
    status=S     answer with this status of HTTP; status=S,N for the first N calls only
    slow=S       wait S seconds before the answer
    text=T       answer with this text
    cut=N        close the connection after N bytes of the answer
    repeat=1     give the same questions in every call, whatever the token
    large=N      N bytes of spaces behind the answer

`/-/requests` lists the requests so far: the seconds since the first one, a space, and the target.
"""

import argparse
import base64
import html
import http.server
import json
import sys
import threading
import time
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

NAMES = "General Knowledge|Entertainment: Books|Entertainment: Film"


def question(number):
    """The question of a number, with characters that every encoding has to take care of."""
    kind = "boolean" if number % 4 == 3 else "multiple"
    right, *wrong = ["True", "False"] if kind == "boolean" else [f"{number} & \"é\" +{index}% π" for index in range(4)]
    if kind == "boolean" and number % 8 == 7:
        right, wrong = "False", ["True"]
    return {
        "type": kind, "difficulty": ["easy", "medium", "hard"][number % 3], "category": NAMES.split("|")[number % 2],
        "question": f"Don't <forget> №{number}: is π = 3?", "correct_answer": right, "incorrect_answers": wrong}


ENCODINGS = {
    "html": lambda text: html.escape(text).replace("é", "&eacute;").replace("&#x27;", "&#039;"),
    "url3986": lambda text: quote(text, safe=""), "urlLegacy": lambda text: quote_plus(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode()}


def encoded(value, encode):
    """A question with all its texts encoded; as in the real service, plain words stay plain unless it is base64."""
    if isinstance(value, list):
        return [encode(text) for text in value]
    return encode(value)


class Service:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.requests = []
        self.start = None
        self.last_call = None
        self.tokens = {}
        self.counts = {}

    def answer(self, behaviour, path, query):
        if behaviour.get("code") and path == "/api.php":
            code, _, times = behaviour["code"].partition(",")
            self.counts[path] = self.counts.get(path, 0) + 1
            if not times or self.counts[path] <= int(times):
                return {"response_code": int(code), "results": []}
        now = time.monotonic()
        if self.last_call is not None and now - self.last_call < self.options.pause:
            return {"response_code": 5, "results": []}
        self.last_call = now
        if path == "/api_category.php":
            return {"trivia_categories": [{"id": 9 + index, "name": name} for index, name in enumerate(NAMES.split("|"))]}
        if path == "/api_token.php":
            return self.token(query)
        return self.results(behaviour, query)

    def token(self, query):
        if query.get("command") == "request":
            token = f"{len(self.tokens) + 1:064x}"
            self.tokens[token] = set()
            return {"response_code": 0, "response_message": "Token Generated Successfully!", "token": token}
        if query.get("command") == "reset":
            if query.get("token") not in self.tokens:
                return {"response_code": 3}
            self.tokens[query["token"]] = set()
            return {"response_code": 0, "token": query["token"]}
        return {"response_code": 2}

    def results(self, behaviour, query):
        invalid = {"response_code": 2, "results": []}
        if not query.get("amount", "").isdigit() or not 1 <= int(query["amount"]) <= 50:
            return invalid
        if "category" in query and not (query["category"].isdigit() and 9 <= int(query["category"]) <= 32):
            return invalid
        if query.get("difficulty", "easy") not in ("easy", "medium", "hard") or query.get("type", "boolean") not in ("multiple", "boolean"):
            return invalid
        encoding = query.get("encode", "html")
        if encoding not in ENCODINGS:
            return invalid
        token = query.get("token")
        if token is not None and token not in self.tokens:
            return {"response_code": 3, "results": []}
        amount = int(query["amount"])
        wanted = [
            number for number in range(self.options.questions)
            if ("category" not in query or int(query["category"]) - 9 == number % 2)
            and ("difficulty" not in query or query["difficulty"] == question(number)["difficulty"])
            and ("type" not in query or query["type"] == question(number)["type"])]
        if amount > len(wanted):
            return {"response_code": 1, "results": []}
        left = wanted if token is None or "repeat" in behaviour else [number for number in wanted if number not in self.tokens[token]]
        if amount > len(left):
            return {"response_code": 4, "results": []}
        if token is not None:
            self.tokens[token].update(left[:amount])
        encode = ENCODINGS[encoding]
        return {"response_code": 0, "results": [
            {key: encoded(value, encode) for key, value in question(number).items()} for number in left[:amount]]}


class Handler(http.server.BaseHTTPRequestHandler):
    service = None

    def do_GET(self):
        service = self.service
        with service.lock:
            if self.path == "/-/requests":
                return self.send("".join(f"{seconds:.3f} {target}\n" for seconds, target in service.requests).encode())
            service.start = service.start or time.monotonic()
            service.requests.append((time.monotonic() - service.start, self.path))
        url = urlsplit(self.path)
        *behaviours, name = url.path.strip("/").split("/")
        behaviour = dict(part.split("=", 1) for part in map(unquote, behaviours))
        if "slow" in behaviour:
            time.sleep(float(behaviour["slow"]))
        if "status" in behaviour:
            status, _, times = behaviour["status"].partition(",")
            with service.lock:
                service.counts["status"] = service.counts.get("status", 0) + 1
            if not times or service.counts["status"] <= int(times):
                return self.send(b"no", int(status))
        if "text" in behaviour:
            return self.send(behaviour["text"].encode())
        with service.lock:
            answer = service.answer(behaviour, "/" + name, dict(parse_qsl(url.query)))
        content = json.dumps(answer).encode() + b" " * int(behaviour.get("large", 0))
        self.send(content, cut=int(behaviour["cut"]) if "cut" in behaviour else None)

    def send(self, content, status=200, cut=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content[:cut])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--pause", type=float, default=0)
    Handler.service = Service(parser.parse_args())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
