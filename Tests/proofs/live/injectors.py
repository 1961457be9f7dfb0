"""Hands events to stand-ins for injectors of other makers, which check what they get as the makers do, and prints a line for each fact.

    python3 -m proofs.live.injectors --server PROGRAM --cuelight PROGRAM --folder FOR_ITS_FILES [--brief] [--seed 1]

Amazon's signatures are computed again by botocore, and its requests are compared with those that botocore makes of the same parameters. Nobody's
service is called. Whole games are played at the same time as the single events are handed over; with --brief there is one short game.
"""

import base64
import hashlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.serialize
import botocore.session
import botocore.validate

from proofs.facts import prove_and_end
from proofs.processes import free_port, in_background, wait_until

KEY, SECRET, SESSION, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "session/token+==", "one-word"
REGION = "eu-west-1"
IVS = f"arn:aws:ivs:{REGION}:123456789012:channel/abcdEFGH"
MEDIALIVE = f"arn:aws:medialive:{REGION}:123456789012:channel:1234567"
SERVICES = {name: botocore.session.get_session().create_client(
    name, region_name=REGION, aws_access_key_id=KEY, aws_secret_access_key=SECRET).meta.service_model for name in ("ivs", "medialive")}


class StandIn:
    """All five, on one port. `answers` are what the next requests get, whatever they are."""

    def __init__(self):
        self.lock = threading.Lock()
        self.forget()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with stand_in.lock:
                    try:
                        status, answer, kind = stand_in.answer(self.command, self.path, self.headers, body)
                    except Exception as error:
                        stand_in.wrong.append(f"{self.command} {self.path}: {type(error).__name__}: {error}")
                        status, answer, kind = 400, {"message": str(error)}, "ValidationException"
                content = json.dumps(answer).encode() if answer is not None else b""
                self.send_response(status)
                if kind:
                    self.send_header("x-amzn-errortype", kind)
                if status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if status != 204:
                    self.wfile.write(content)

            do_POST = do_PUT = handle_one

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        in_background(self.server.serve_forever)

        self.targets = {
            "ivs": f"ivs:{IVS}", "medialive": f"medialive:{MEDIALIVE}", "antmedia": f"antmedia:{self.url}/LiveApp/show",
            "medialive-both": f"medialive:{MEDIALIVE}?groups=both", "ome": f"ome:{self.url}/default/app/show", "wowza": f"wowza:{self.url}/live/show"}

    def forget(self):
        with self.lock:
            self.calls, self.wrong, self.answers, self.times, self.groups = [], [], [], [], []

    def answer(self, method, path, headers, body):
        if path == "/PutMetadata" or path.startswith("/prod/"):
            return self.amazon("ivs" if path == "/PutMetadata" else "medialive", method, path, headers, body)
        assert headers["Content-Type"] == "application/json", headers["Content-Type"]
        object = json.loads(body)
        if "/id3" in path:
            return self.ant_media(path, headers, body, object)
        if path.endswith(":sendEvent"):
            return self.oven_media_engine(path, headers, object)
        return self.wowza(path, headers, object)

    def amazon(self, name, method, path, headers, body):
        service = SERVICES[name]
        operation = service.operation_model("PutMetadata" if name == "ivs" else "BatchUpdateSchedule")
        signature = headers["Authorization"].rpartition("Signature=")[2]
        if signature != self.signature(name, method, path, headers, body):
            return 403, {"message": f"The request signature we calculated does not match {headers['Authorization']}"}, "InvalidSignatureException"
        if self.answers:
            return self.answers.pop(0)
        now = time.monotonic()
        self.times.append(now)
        if len([moment for moment in self.times if now - moment < 1]) > 5:
            self.wrong.append("more than five requests in a second")
            return 429, {"exceptionMessage": "slow down"}, "ThrottlingException"
        object = json.loads(body)
        if name == "ivs":
            parameters = {"channelArn": object["channelArn"], "metadata": object["metadata"]}
            assert object["channelArn"] == IVS
            assert len(object["metadata"].encode()) <= 1024, f"{len(object['metadata'].encode())} bytes"
            self.calls.append(("ivs", json.loads(object["metadata"])))
        else:
            actions = object["creates"]["scheduleActions"]
            parameters = {"ChannelId": path.split("/")[3], "Creates": {"ScheduleActions": [
                {"ActionName": action["actionName"],
                 "ScheduleActionSettings": {name[0].upper() + name[1:]: {"Id3": value["id3"]}
                                            for name, value in action["scheduleActionSettings"].items()},
                 "ScheduleActionStartSettings": {"ImmediateModeScheduleActionStartSettings": {}}} for action in actions]}}
            for action in actions:
                (setting, value), = action["scheduleActionSettings"].items()
                assert setting in ("hlsTimedMetadataSettings", "timedMetadataSettings"), setting
                tag = substituted(base64.b64decode(value["id3"], validate=True))
                assert tag[:4] == b"ID3\x04" and b"TXXX" in tag
                self.groups.append(setting)
                self.calls.append(("medialive", json.loads(tag[tag.index(b"{"):tag.rindex(b"}") + 1])))
        report = botocore.validate.ParamValidator().validate(parameters, operation.input_shape)
        assert not report.has_errors(), report.generate_report()
        made = botocore.serialize.create_serializer(service.protocol).serialize_to_request(parameters, operation)
        assert (method, path, object) == (made["method"], made["url_path"], json.loads(made["body"])), f"botocore sends {made}"
        assert headers["Content-Type"] == made["headers"]["Content-Type"]
        return (204, None, None) if name == "ivs" else (200, {"creates": {"scheduleActions": []}}, None)

    def signature(self, service, method, path, headers, body):
        """What botocore signs such a request with."""
        token = headers.get("X-Amz-Security-Token")
        signer = botocore.auth.SigV4Auth(botocore.credentials.Credentials(KEY, SECRET, token), service, REGION)
        request = botocore.awsrequest.AWSRequest(method, self.url + path, data=body)
        for name in ("Content-Type", "X-Amz-Date", "X-Amz-Security-Token"):
            if name in headers:
                request.headers[name] = headers[name]
        request.context["timestamp"] = headers["X-Amz-Date"]
        return signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)

    def ant_media(self, path, headers, body, object):
        assert path == "/LiveApp/rest/v2/broadcasts/show/id3" and headers["Authorization"] == TOKEN
        if self.answers:
            return self.answers.pop(0)
        # As many bytes as characters, since it makes room for these.
        assert len(body) == len(body.decode())
        self.calls.append(("antmedia", object))
        return 200, {"success": True}, None

    def oven_media_engine(self, path, headers, object):
        assert path == "/v1/vhosts/default/apps/app/streams/show:sendEvent"
        assert headers["Authorization"] == "Basic " + base64.b64encode(TOKEN.encode()).decode()
        if self.answers:
            return self.answers.pop(0)
        assert set(object) == {"eventFormat", "eventType", "urgent", "events"} and object["urgent"] is True
        assert object["eventFormat"] == "id3v2" and object["eventType"] == "event"
        for event in object["events"]:
            assert set(event) == {"frameType", "info", "data"} and event["frameType"] == "TXXX"
            assert json.loads(event["data"])["eventType"] == event["info"]
            self.calls.append(("ome", json.loads(event["data"])))
        return 200, {"statusCode": 200, "message": "OK"}, None

    def wowza(self, path, headers, object):
        assert path == "/v1/server/plugin/metaDataInjection/applications/live/streams/show" and headers["metadata-api-key"] == TOKEN
        if self.answers:
            return self.answers.pop(0)
        assert isinstance(object["event"], str) and object["async"] is True and object["id3"] is True and isinstance(object["data"], dict)
        name = f"wowza-{len(self.calls)}"
        # What the plugin writes: its own identifier takes the place of any other.
        self.calls.append(("wowza", dict(object["data"], eventType=object["event"], guid=name)))
        return 201, {"status": "success", "guid": name}, None

    def end(self):
        self.server.shutdown()


def substituted(tag):
    """A tag in which variables are replaced as MediaLive replaces them, whatever that does to sizes and checksums."""
    values = {b"": b"$", b"t": b"20.00.00", b"d": b"20261120", b"dt": b"20261120T200000", b"rv": b"5000", b"w": b"1280", b"h": b"720",
              b"f": b"25", b"sn": b"7"}
    return re.sub(rb"\$(|dt|d|t|rv|w|h|f|sn)\$", lambda found: values[found[1]], tag)


def environment(stand_in, **changes):
    values = dict(os.environ, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_ENDPOINT_URL=stand_in.url, CUELIGHT_TOKEN=TOKEN)
    values.pop("AWS_SESSION_TOKEN", None)
    return dict(values, **changes)


class Game:
    """A game that `cuelight serve --to` plays, with a stand-in of its own. It is killed with each of its first questions, so many times."""

    def __init__(self, options, target, questions, seconds, kills=0):
        self.target, self.questions, self.kills, self.stand_in = target, questions, kills, StandIn()
        self.log = options.folder / f"game-{target}.log"
        quiz = options.folder / f"quiz-{target}.yaml"
        quiz.write_text("title: Outbound\nquestions:\n" + "".join(
            f"  - question: Number {number}?\n    answers: [A, B]\n    correct: A\n" for number in range(questions)))
        self.command = [
            options.server, "serve", "--data", options.folder / f"game-{target}", "--to", self.stand_in.targets[target], "--quiz", quiz, "--time", f"{seconds}",
            "--delay", "1", "--pause", "1", "--start-in", "1", "--listen", f"127.0.0.1:{free_port()}", "--json"]

    def start(self):
        with open(self.log, "ab") as log:
            return subprocess.Popen([str(word) for word in self.command], env=environment(self.stand_in), stdout=log, stderr=log)

    def seen(self, kind):
        """How many events of a type the stand-in has."""
        with self.stand_in.lock:
            return len({event["guid"] for _, event in self.stand_in.calls if event["eventType"] == kind})

    def play(self):
        process = self.start()
        try:
            for number in range(self.kills):
                wait_until(lambda: self.seen("askQuestion") > number, 60, "a question")
                process.kill()
                process.wait()
                process = self.start()
            wait_until(lambda: self.seen("endGame"), 90, "the end")
            # For the end's other copies.
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            process.wait(20)
        finally:
            process.kill()
            process.wait()
            self.stand_in.end()
        return self.check()

    def check(self):
        stand_in = self.stand_in
        assert not stand_in.wrong, stand_in.wrong[0]
        first = {}
        for _, event in stand_in.calls:
            known = first.setdefault(event["guid"], event)
            assert same_in_all_copies(event) == same_in_all_copies(known), f"{event['guid']} differs"
        order = [event["eventType"] for event in first.values() if event["eventType"] != "periodicInfo"]
        assert order == ["startGame"] + ["askQuestion", "showResults"] * self.questions + ["endGame"], order
        numbers = [event["sequence"] for event in first.values()]
        assert numbers == sorted(set(numbers)), numbers
        questions = [event["guid"] for event in first.values() if event["eventType"] == "askQuestion"]
        assert [event["questionGuid"] for event in first.values() if event["eventType"] == "showResults"] == questions
        text = self.log.read_text()
        assert SECRET not in text and TOKEN not in text, "a secret is in the log"
        most = max((sum(1 for other in stand_in.times if moment <= other < moment + 1) for moment in stand_in.times), default=0)
        rate = f", at most {most} requests in a second" if most else ""
        return f"{self.questions} questions and results, {len(stand_in.calls)} requests{rate}" + (f"; {self.kills} kills" if self.kills else "")


def same_in_all_copies(event):
    return {key: value for key, value in event.items() if key not in ("copy", "copies", "age", "crc")}


def run(lines, options):
    if options.brief:
        games = [("a game over a stream in Amazon IVS, killed with its question", Game(options, "ivs", 1, 2, kills=1))]
    else:
        games = [
            ("a game over a stream in Amazon IVS", Game(options, "ivs", 3, 4)),
            ("the same in MediaLive, killed with each question", Game(options, "medialive", 3, 4, kills=2)),
            ("a game over a stream in OvenMediaEngine", Game(options, "ome", 3, 4))]
    with ThreadPoolExecutor(len(games)) as pool:
        played = [(name, pool.submit(game.play)) for name, game in games]
        prove_single_events(lines, options)
        for name, found in played:
            lines.prove(name, found.result)


def prove_single_events(lines, options):
    folder, stand_in = options.folder, StandIn()

    def post(target, *arguments, status=0, **changes):
        found = subprocess.run([options.cuelight, "post", "--to", stand_in.targets[target], *arguments], env=environment(stand_in, **changes),
                               capture_output=True, text=True, timeout=60)
        assert found.returncode == status, f"status {found.returncode}: {found.stderr}"
        for secret in (SECRET, SESSION, TOKEN):
            assert secret not in found.stdout + found.stderr, "a secret is in a message"
        return found

    def one_event(target):
        def check():
            stand_in.forget()
            post(target, "askQuestion", "--question", "Grün, 緑 or 💚?", "--answer", "A", "--answer", "B", "--correct", "B",
                 "--guid", "q-1")
            assert not stand_in.wrong, stand_in.wrong[0]
            events = [event for name, event in stand_in.calls if name == target]
            assert [event["question"] for event in events] == ["Grün, 緑 or 💚?"] * 3, events
            assert [event["copy"] for event in events] == [1, 2, 3] and {event.get("eventGuid", event["guid"]) for event in events} == {"q-1"}
            return f"three copies, aged {', '.join(str(event['age']) for event in events)} s"
        return check

    def variables():
        stand_in.forget()
        text = "Is $t$ a time, $d$ a date, and $$5 or $rv$ a price?"
        assert substituted(text.encode()) != text.encode()
        post("medialive-both", "askQuestion", "--question", text, "--answer", "$$", "--answer", "$", "--correct", "$", "--guid", "q-$t$")
        assert not stand_in.wrong, stand_in.wrong[0]
        found = [(event["question"], event["answers"], event["guid"]) for _, event in stand_in.calls]
        assert found == [(text, ["$$", "$"], "q-$t$")] * 6, found
        assert stand_in.groups == ["hlsTimedMetadataSettings", "timedMetadataSettings"] * 3, stand_in.groups
        return "a question with variables of MediaLive's reaches output groups of both kinds as it was"

    def poll():
        stand_in.forget()
        for target in ("ivs", "medialive", "antmedia", "ome", "wowza"):
            post(target, "askQuestion", "--question", "Tea or coffee?", "--answer", "Tea", "--answer", "Coffee")
        assert not stand_in.wrong, stand_in.wrong[0]
        assert len(stand_in.calls) == 15 and not any({"seal", "correctAnswer"} & set(event) for _, event in stand_in.calls)
        return "a question without a right answer goes to all five"

    def session_token():
        stand_in.forget()
        post("ivs", "startGame", "--title", "T", AWS_SESSION_TOKEN=SESSION)
        assert not stand_in.wrong and len(stand_in.calls) == 3, stand_in.wrong
        return "keys that hold for a while are signed with their token"

    def file_of_keys():
        stand_in.forget()
        file = folder / "keys"
        file.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
        file.chmod(0o600)
        post("medialive", "startGame", "--title", "T", "--credentials", file, AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
        assert not stand_in.wrong and len(stand_in.calls) == 3, stand_in.wrong
        file.chmod(0o644)
        found = post("medialive", "startGame", "--title", "T", "--credentials", file, status=65)
        assert "chmod 600" in found.stderr, found.stderr
        return "a file as Amazon's tools have it; one that others may read is refused"

    def wrong_key():
        stand_in.forget()
        found = post("ivs", "startGame", "--title", "T", status=74, AWS_SECRET_ACCESS_KEY="wrong")
        assert "InvalidSignatureException" in found.stderr and KEY not in found.stderr and not stand_in.calls, found.stderr
        return found.stderr.strip()[:90]

    def no_stream():
        stand_in.forget()
        stand_in.answers = [(404, {"exceptionMessage": "nobody sends"}, "ChannelNotBroadcasting")] * 9
        found = post("ivs", "startGame", "--title", "T", status=66)
        stand_in.forget()
        return found.stderr.strip()[:90]

    def busy():
        stand_in.forget()
        stand_in.answers = [(429, {"exceptionMessage": "slow down"}, "ThrottlingException"), (500, None, None)]
        post("ivs", "startGame", "--title", "T")
        ages = [event["age"] for _, event in stand_in.calls if event["copy"] == 1]
        assert len(ages) == 1 and ages[0] >= 2, stand_in.calls
        return f"taken at the third try, {ages[0]} s old"

    def too_large():
        stand_in.forget()
        found = post("ivs", "askQuestion", "--question", "?" * 900, "--answer", "A", "--answer", "B", "--correct", "B", status=65)
        assert not stand_in.calls and not stand_in.wrong, "something was sent"
        return f"nothing is sent: {found.stderr.strip()[:90]}"

    def journal():
        stand_in.forget()
        for cue in (["startGame", "--title", "T"],
                    ["askQuestion", "--question", "Q?", "--answer", "A", "--answer", "B", "--correct", "B"],
                    ["showResults", "--counts", "1,2"]):
            post("ivs", *cue, "--journal", folder / "journal", "--game", "friday")
        assert not stand_in.wrong, stand_in.wrong[0]
        events = {event["eventType"]: event for _, event in stand_in.calls}
        question, results = events["askQuestion"], events["showResults"]
        assert [event["sequence"] for event in events.values()] == [1, 2, 3] and results["questionGuid"] == question["guid"]
        opened = hashlib.sha256(f"{results['salt']}:{question['guid']}:{results['correctAnswer']}".encode()).digest()
        assert base64.b64encode(opened).decode() == question["seal"] and results["correctAnswer"] == 1
        return "three calls are one game: numbers 1 to 3, and the result opens the question's seal"

    for target in ("ivs", "medialive", "antmedia", "ome", "wowza"):
        lines.prove(f"an event for {target}", one_event(target))
    for name, body in [("variables", variables), ("a poll", poll), ("session tokens", session_token), ("files", file_of_keys),
                       ("a wrong key", wrong_key), ("no stream", no_stream), ("an injector that is busy", busy),
                       ("an event that is too large", too_large), ("a game of single calls", journal)]:
        lines.prove(name, body)
    stand_in.end()


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", brief=False, seed=1)
