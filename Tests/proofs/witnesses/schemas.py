"""Checks the lines that `--json` prints against the schemas that `cuelight schema` prints, with PyPI's jsonschema."""

import json
import subprocess

import jsonschema

from proofs.producers.studio import require


class Schemas:
    """The schemas of all commands, and which of their types of lines were checked."""

    def __init__(self, studio):
        self.studio = studio
        output, _ = studio.run(studio.cuelight, "schema")
        self.validators, self.seen, self.count = {}, {}, 0
        for line in output.splitlines():
            schema = json.loads(line)
            jsonschema.Draft202012Validator.check_schema(schema)
            command = schema["title"].removeprefix("cuelight ")
            # Of several types the error is that of the one that a line says it is.
            for one in schema["anyOf"]:
                kind = one["properties"]["type"]["const"]
                found = self.validators.setdefault(command, {}).setdefault(kind, [])
                found.append(jsonschema.Draft202012Validator(one | {"$defs": schema.get("$defs", {})}))
            self.validators[command]["whole"] = jsonschema.Draft202012Validator(schema)

    def lines(self, command, *arguments, statuses=(0, 1, 65)):
        """What a command prints with `--json`, every line as its schema says, with no field that the schema does not know."""
        words = [*command.split(), "--json", *map(str, arguments)]
        result = subprocess.run([str(self.studio.cuelight), *words], capture_output=True, text=True, cwd=self.studio.folder, timeout=300)
        require(result.returncode in statuses, f"{words}: status {result.returncode}: {result.stderr[-500:]}")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        require(lines, f"{words} prints nothing: {result.stderr[-500:]}")
        for line in lines:
            self.check(command, line)
        return lines

    def check(self, command, line):
        validators = self.validators[command]
        require(line.get("type") in validators, f"{command} has no lines of the type {line.get('type')}")
        kinds = validators[line["type"]]
        errors = [[error.message for error in one.iter_errors(line)] for one in kinds]
        require(any(not found for found in errors) and validators["whole"].is_valid(line), f"{command}: {errors}: {json.dumps(line)[:500]}")
        known = {name for one in kinds for name in one.schema["properties"]}
        require(set(line) <= known, f"{command}: {set(line) - known} of {line['type']} is in no schema")
        self.seen.setdefault(command, set()).add(line["type"])
        self.count += 1

    def every_command(self, spliced):
        """Lines of each command that has a schema."""
        studio = self.studio
        clip = studio.folder / "clip.mp4"
        summary = self.lines("stamp", clip, "--cues", studio.cues, "-o", studio.folder / "stamped.ts", "--force", statuses=(0,))
        require(len(summary) == 1, f"stamp prints {len(summary)} lines")
        stamped, hls = studio.folder / "stamped.ts", studio.folder / "stamped" / "index.m3u8"
        self.lines("stamp", clip, "--cues", studio.cues, "-o", hls, "--segment-type", "fmp4", "--force", statuses=(0,))
        broken = studio.written("broken.yaml", b"game: g\ncues: [{ at: 1, event: reveal }, { at: x, event: poll }]\n")
        bank = studio.written("bank.csv", b"question,correct,wrong\nWho?,a,a\nWhy?,a,b\n")
        for path in (stamped, hls):
            self.lines("inspect", path)
            self.lines("replay", path)
            self.lines("doctor", path)
        for path in (stamped, hls, spliced):
            self.lines("inspect --all", path)
        self.lines("replay", stamped, "--bots", "perfect:1,random:9", "--seed", "3")
        for cues in (studio.cues, broken):
            self.lines("lint", cues)
        self.lines("verify", stamped, "--cues", studio.cues)
        self.lines("verify", stamped, "--cues", studio.cues, "--drop-packets", "5%", "--runs", "3", "--seed", "1")
        self.lines("questions lint", bank)
        self.lines("doctor --rules")
        missing = sorted(set(self.validators) - set(self.seen))
        require(not missing, f"no line was checked of {missing}")
        types = sum(len(kinds) for kinds in self.seen.values())
        return f"jsonschema {jsonschema.__version__} finds all {self.count} lines of {len(self.seen)} commands right, of {types} types"
