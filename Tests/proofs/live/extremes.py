"""Sends extreme numbers wherever a server's OpenAPI document has room for any: in paths, queries, header fields and numbers of JSON."""

import collections
import http.client
import itertools
import json
import socket
import urllib.parse
import uuid

from proofs.client import JSON

DIGITS = "9" * 2_000
NUMBERS = [
    "0", "-0", "-1", "+1", "01", *(f"{sign}{2 ** power}" for power in (31, 53, 63) for sign in ("", "-")), str(2 ** 63 - 1), str(2 ** 64 - 1), str(2 ** 64), "1e18", "1e19",
    "1e308", "-1e308", "1e309", "1e-400", "-1e-400", "0.1e1", "1.0", "NaN", "nan", "Infinity", "-inf", DIGITS, f"-{DIGITS}", f"0.{DIGITS}", f"1e{DIGITS}", f"{DIGITS}e-2000",
    "0x10", "0x1p1023", "1_000", "", "\u0663", "\uff11", "1\u0663", "292277026596-12-04T15:30:08Z", "0000-00-00T00:00:00Z", "9999-12-31T23:59:60Z"]
# What says how a request is to be understood, and not what it asks for. Each number comes in each of these, too.
FIELDS = {
    "Range": ["{}", "bytes={}-", "bytes=-{}", "bytes=0-{}", "bytes={0}-{0}"], "If-None-Match": ["{}", '"{}"'], "Last-Event-ID": ["{}"],
    "X-Forwarded-For": ["{}", "203.0.113.1, {}", "203.0.113.1:{}", "[::{}]", "1.2.3.{}"]}
# How long a body is said to be: by a length, and by chunks.
LENGTHS = [*NUMBERS, "2, 2", "2, 3", "2;", "2 2", "2\r\nContent-Length: 3", "2\r\nTransfer-Encoding: chunked", "2\r\nTransfer-Encoding: identity"]
CHUNKS = ["0" * 17, "0" * 2_000, "7fffffffffffffff", "8000000000000000", "ffffffffffffffff", "1" + "0" * 16, "f" * 2_000, "-1", "+2", "0x2", "2 ", " 2", "2_0", "2;" + "x" * 4_000, "\u0663", ""]

MARK, UNIQUE = "a number", "a text that is another one every time"
# What the document leaves open: the numbers of the game's own events.
CUES = [
    {"event": "startGame", "title": "Numbers", "startsIn": MARK}, {"event": "startGame", "title": "Numbers", "totalQuestions": MARK},
    {"event": "askQuestion", "question": "?", "answers": ["a", "b"], "correct": "a", "allottedTime": MARK},
    {"event": "askQuestion", "question": "?", "answers": ["a", "b"], "correct": MARK}, {"event": "showResults", "counts": [MARK, 1]},
    {"event": "adjustTime", "allottedTime": MARK}, {"event": "periodicInfo", "viewers": MARK}, {"event": "mine", "anything": MARK},
    *({"event": "periodicInfo", "viewers": 1, key: MARK} for key in ("at", "in", "expires", "wallClock", "guid"))]


class Examples:
    """Makes values of the schemas of a document."""

    def __init__(self, document, values):
        self.schemas, self.values = document["components"]["schemas"], values

    def resolved(self, schema):
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def plain(self, schema, name=None):
        """A value of a schema."""
        schema = self.resolved(schema)
        if name in self.values:
            return self.values[name][0]
        if "anyOf" in schema:
            return self.plain(schema["anyOf"][0])
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            return {key: self.plain(schema["properties"][key], key) for key in schema.get("required", [])}
        if kind == "array":
            return [self.plain(schema["items"]) for _ in range(schema.get("minItems", 0))]
        return {"boolean": True, "integer": 1, "number": 1, "null": None}.get(kind, "x" * max(schema.get("minLength", 1), 1))

    def marked(self, schema):
        """Values of a schema, in each of which one number is the mark."""
        if schema.get("$ref", "").endswith("/Cue"):
            yield from CUES
            return
        schema = self.resolved(schema)
        for choice in schema.get("anyOf", []):
            yield from self.marked(choice)
        kinds = schema.get("type", "")
        if not {"integer", "number"}.isdisjoint(kinds if isinstance(kinds, list) else [kinds]) or schema.get("format") == "date-time":
            yield MARK
        for item in self.marked(schema["items"]) if "items" in schema else []:
            yield [item]
        bases = [dict(zip(self.values, chosen)) for chosen in itertools.product(*self.values.values())] if schema.get("properties") else []
        for key, base in itertools.product(schema.get("properties", {}), bases):
            for value in [MARK] if key == "cues" else self.marked(schema["properties"][key]):
                chosen = {name: choice for name, choice in base.items() if name in schema["properties"]}
                yield self.plain(schema) | chosen | {key: value if key != "cues" else CUES[-1:]}


class Numbers:
    """Calls everything that a document describes, with numbers."""

    def __init__(self, server, document, names, values, token, step=1):
        """
        - names: what there is in paths.
        - values: choices for members of JSON, by their names.
        - token: makes a token for a call (method, path); asked again where one is no good any more.
        - step: only every so many numbers are sent, each time other ones.
        """
        self.server, self.document, self.names, self.token, self.step = server, document, names, token, step
        self.examples = Examples(document, values)
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.statuses, self.wrong, self.turn = collections.Counter(), [], 0

    def chosen(self, values):
        self.turn += 1
        return values[self.turn % self.step::self.step]

    def send(self, method, path, fields, body, reads):
        """The status of the answer to a request, in which there may be anything."""
        for attempt in range(2):
            try:
                self.connection.putrequest(method, path, skip_accept_encoding=True)
                for name, value in fields.items():
                    self.connection.putheader(name, value.encode())
                if body is not None:
                    self.connection.putheader("Content-Length", str(len(body)))
                self.connection.endheaders(body)
                answer = self.connection.getresponse()
                if reads:
                    answer.read()
                else:
                    self.connection.close()
                return answer.status
            except (OSError, http.client.HTTPException) as error:
                # An idle connection may be closed at any time.
                self.connection.close()
                if attempt:
                    return f"{type(error).__name__} {error}"

    def call(self, method, path, operation, parts={}, query={}, fields={}, body=None):
        """Makes a call, and keeps it where the answer is none that the document describes."""
        target = path
        for name, value in (self.names | parts).items():
            target = target.replace(f"{{{name}}}", urllib.parse.quote(value, safe=""))
        if query:
            target += "?" + urllib.parse.urlencode(query)
        reads = "text/event-stream" not in operation["responses"].get("200", {}).get("content", {})
        for is_again in (False, True):
            token = self.token(method, path, is_again)
            status = self.send(method, target, fields | ({"Authorization": f"Bearer {token}"} if token else {}), body, reads)
            # Who is said to come from elsewhere is limited there, whatever the token.
            if status not in (401, 403, 429) or "X-Forwarded-For" in fields:
                break
        self.statuses[status] += 1
        if str(status) not in operation["responses"] or status >= 500 and status != 503:
            self.wrong.append(f"{method} {target[:120]} {dict(fields)!s:.120} {(body or b'')[:120]}: {status}")

    def operation(self, method, path, item, operation):
        """Sends numbers in everything that an operation has."""
        content = operation.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        plain = json.dumps(self.examples.plain(schema)).encode() if schema else b"" if method != "GET" else None
        fields = JSON if schema else {}
        for parameter in item.get("parameters", []) + operation.get("parameters", []):
            name, place = parameter["name"], parameter["in"]
            for value in self.chosen(NUMBERS):
                if place == "path" and value:
                    self.call(method, path, operation, parts={name: value}, fields=fields, body=plain)
                elif place == "query":
                    self.call(method, path, operation, query={name: value}, fields=fields, body=plain)
                elif place == "header":
                    self.call(method, path, operation, fields=fields | {name: value}, body=plain)
        for name, forms in FIELDS.items() if method == "GET" else []:
            for form, value in itertools.product(forms, self.chosen(NUMBERS)):
                self.call(method, path, operation, fields={name: form.format(value)})
        for value in self.examples.marked(schema) if schema else []:
            for number, form in itertools.product(self.chosen(NUMBERS), ("{}", '"{}"')):
                text = json.dumps(value).replace(f'"{MARK}"', form.format(number)).replace(UNIQUE, str(uuid.uuid4())).encode()
                for kind in content:
                    if kind != "text/csv":
                        self.call(method, path, operation, fields={"Content-Type": kind}, body=text)

    def lengths(self, path, token):
        """Says of a body that it is as long as nothing is."""
        heads = [(f"Content-Length: {length}", "{}") for length in LENGTHS]
        heads += [("Transfer-Encoding: chunked", f"{chunk}\r\n{{}}\r\n0\r\n\r\n") for chunk in CHUNKS]
        for head, body in heads:
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n{head}\r\n\r\n{body}".encode())
                connection.shutdown(socket.SHUT_WR)
                try:
                    said = connection.recv(1 << 16)
                except OSError:
                    said = b""
            # Who cuts the connection off says nothing.
            if said and not (said.startswith(b"HTTP/1.1 ") and said[9:10] in b"24"):
                self.wrong.append(f"{head[:120]}: {said[:60]}")

    def run(self, grown):
        """Makes all calls; says how many, and what is answered. The memory may have grown by so many bytes."""
        before, was_ready = self.server.resources()[0], self.server.is_ready()
        operations = [(method.upper(), path, item, operation) for path, item in self.document["paths"].items() for method, operation in item.items() if method != "parameters"]
        # What is taken away is not there for the others.
        for operation in sorted(operations, key=lambda operation: operation[0] == "DELETE"):
            self.operation(*operation)
        path = next(path for method, path, _, operation in operations if method == "POST" and "application/json" in operation.get("requestBody", {}).get("content", {}))
        for name, value in self.names.items():
            path = path.replace(f"{{{name}}}", value)
        self.lengths(path, self.token("POST", path, True))
        assert not self.wrong, f"{len(self.wrong)} answers are not described: " + "; ".join(self.wrong[:5])
        assert self.server.get("/healthz")[0] == 200 and self.server.is_ready() == was_ready, "the server is no longer what it was"
        more = self.server.resources()[0] - before
        assert more < grown, f"the memory has grown by {more >> 20} MB"
        return f"{len(operations)} operations, {sum(self.statuses.values())} calls: {dict(sorted(self.statuses.items()))}; {more >> 20} MB"
