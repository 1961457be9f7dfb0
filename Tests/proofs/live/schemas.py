"""What schemathesis finds where it makes calls of all that a server's document describes."""

import json
import subprocess

CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance", "response_headers_conformance"]


def testable(document, names):
    """The document without streams of messages, which have no end to wait for, and with the names that there are instead of any."""
    for path, item in list(document["paths"].items()):
        for method, operation in [pair for pair in item.items() if pair[0] != "parameters"]:
            # With an answer for all other statuses, no status would be a wrong one.
            assert "default" not in operation["responses"], f"{method} {path} describes no statuses"
            if "text/event-stream" in operation["responses"].get("200", {}).get("content", {}):
                item.pop(method)
        if not set(item) - {"parameters"}:
            document["paths"].pop(path)
        for parameter in item.get("parameters", []):
            if parameter["name"] in names:
                parameter["schema"] = {"enum": [names[parameter["name"]]]}
    return document


def answers_are_described(program, document, server, folder, name="schemathesis", examples=50, seed=1, token=None):
    """Each answer has a status, a type, a schema and a header that the document has; returns what schemathesis says of its calls."""
    path, log = folder / f"{name}.json", folder / f"{name}.log"
    path.write_text(json.dumps(document))
    done = subprocess.run(
        [program, "run", path, "--url", f"http://127.0.0.1:{server.port}", "--checks", ",".join(CHECKS), "--max-examples", str(examples),
         "--seed", str(seed), "--phases", "examples,coverage,fuzzing", "--request-timeout", "40",
         *(["--header", f"Authorization: Bearer {token}"] if token else [])],
        capture_output=True, text=True, timeout=900, cwd=folder)
    log.write_text(done.stdout + done.stderr)
    assert server.process.poll() is None, f"the server has ended; see {log}"
    lines = [line.strip() for line in done.stdout.split("\n")]
    assert done.returncode == 0, f"{name}, see {log}: " + " ".join(line for line in lines if line.startswith("- "))[:600]
    return next((line for line in lines if "generated," in line), "nothing wrong")
