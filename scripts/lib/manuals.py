"""Makes the manual pages of the programs out of what these say about themselves: a page for each command, such as cuelight-stamp(1).

    manuals.py CUELIGHT SERVER VERSION DATE FOLDER

A command that both programs have, such as `live`, is described by the server, which does the work. Each page is man(7) with gzip.
"""

import gzip
import json
import subprocess
import sys
import textwrap
from pathlib import Path


def described(program):
    """A program's own description of all of its commands (ToolInfo of swift-argument-parser)."""
    said = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    return json.loads(said)["command"]


def subcommands(command):
    """The commands below a command, without `help`, which all have."""
    return [each for each in command.get("subcommands", []) if each["commandName"] != "help" and each.get("shouldDisplay", True)]


def escaped(text):
    """Text as man(7) prints it: with backslashes, with hyphens that can be searched for and copied, and with no request at its start."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{text}" if text.startswith(".") else text


def sentences(text):
    """Running text, a new line for each sentence, as the macros want it for the distance between them."""
    lines = []
    for sentence in text.replace(". ", ".\n").replace("? ", "?\n").split("\n"):
        lines += [escaped(line) for line in textwrap.wrap(sentence, 72, break_long_words=False, break_on_hyphens=False)]
    return lines


def paragraphs(text):
    """What a command says about itself: paragraphs, and behind a line that introduces them examples, whose lines are indented."""
    lines, running, is_example = [], [], False

    def end_running():
        if running:
            lines.extend(sentences(" ".join(running)))
            running.clear()

    def end_example():
        nonlocal is_example
        if is_example:
            lines.extend([".EE", ".RE"])
            is_example = False

    for line in text.split("\n"):
        if line.startswith("  "):
            end_running()
            if not is_example:
                lines.extend([".PP", ".RS 4", ".EX"])
                is_example = True
            lines.append(escaped(line[2:]))
        elif line.strip() == "":
            end_running()
            end_example()
            if lines and lines[-1] != ".PP":
                lines.append(".PP")
        else:
            if is_example:
                end_example()
                lines.append(".PP")
            running.append(line.strip())
    end_running()
    end_example()
    return lines


def value(argument):
    return f"\\fI{escaped(argument['valueName'])}\\fR" if argument.get("valueName") else "\\fIvalue\\fR"


def names(argument):
    """The names of an option or a flag, with its value, or the placeholder of an argument."""
    if argument["kind"] == "positional":
        return value(argument) + (" ..." if argument.get("isRepeating") else "")
    written = [f"\\fB{escaped(('--' if each['kind'] == 'long' else '-') + each['name'])}\\fR" for each in argument["names"]]
    return ", ".join(written) + (f" {value(argument)}" if argument["kind"] == "option" else "")


def listed(command, is_positional):
    return [
        argument for argument in command.get("arguments", [])
        if argument.get("shouldDisplay", True) and (argument["kind"] == "positional") == is_positional]


def synopsis(words, command):
    """How a command is called: its name, that it has options, and its arguments."""
    parts = [f"\\fB{escaped(words)}\\fR"]
    if subcommands(command):
        parts.append("\\fIcommand\\fR [\\fIoptions\\fR]")
    else:
        parts.append("[\\fIoptions\\fR]")
        for argument in listed(command, True):
            parts.append(f"[{names(argument)}]" if argument.get("isOptional") else names(argument))
    return [".nh", ".ad l", " ".join(parts), ".ad", ".hy"]


def explained(arguments):
    """Each argument with what it is for, what it may be, and what it is without."""
    lines = []
    for argument in arguments:
        text = " ".join(part for part in (argument.get("abstract"), argument.get("discussion")) if part)
        default = argument.get("defaultValue")
        if default not in (None, "") and argument["kind"] != "flag":
            text += f" Default: {default}."
        lines += [".TP", names(argument), *(sentences(text) or ["\\&"])]
    return lines


def details(words, command):
    """The sections of a command: what it does, its arguments and its options."""
    lines = []
    for title, arguments in (("ARGUMENTS", listed(command, True)), ("OPTIONS", listed(command, False))):
        if arguments:
            lines += [f".SH {title}", *explained(arguments)]
    for below in subcommands(command):
        name = f"{words} {below['commandName']}"
        lines += [f'.SH "{escaped(name.upper())}"', *sentences(below.get("abstract", "")), ".PP", *synopsis(name, below)]
        if below.get("discussion"):
            lines += [".PP", *paragraphs(below["discussion"])]
        lines += explained(listed(below, True) + listed(below, False))
    return lines


def page(name, words, command, version, date, others, contents):
    """A whole page."""
    abstract = command.get("abstract", "").rstrip(".")
    return "\n".join([
        f'.TH {escaped(name.upper())} 1 {date} "cuelight {version}" "Cuelight"',
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", *synopsis(words, command),
        ".SH DESCRIPTION", *sentences(command.get("abstract", "")),
        *([".PP", *paragraphs(command["discussion"])] if command.get("discussion") else []),
        *contents,
        '.SH "SEE ALSO"', ",\n".join(f".BR {escaped(other)} (1)".replace(",", "") for other in others).replace(",\n", " ,\n")]) + "\n"


def contents(commands):
    """The list of a program's commands, each with the page that describes it."""
    lines = [".SH COMMANDS"]
    for name, command in commands:
        lines += [".TP", f".BR {escaped(name)} (1)", *sentences(command.get("abstract", ""))]
    return lines


def pages(cuelight, server, version, date):
    """All pages by their names."""
    served = {command["commandName"]: command for command in subcommands(server)}
    own = [(f"cuelight-{command['commandName']}", f"cuelight {command['commandName']}", served.pop(command["commandName"], command))
           for command in subcommands(cuelight)]
    shared = [name for name in (command["commandName"] for command in subcommands(server)) if name not in served]
    others = [(f"cuelight-server-{name}", f"cuelight-server {name}", command) for name, command in served.items()]
    made = {}
    for program, root, commands in (
            ("cuelight", cuelight, [(name, command) for name, _, command in own]),
            ("cuelight-server", server, [(name, command) for name, words, command in own if words.split()[-1] in shared]
             + [(name, command) for name, _, command in others])):
        see = ["cuelight-server" if program == "cuelight" else "cuelight"]
        made[program] = page(program, program, root, version, date, see, contents(commands) + details(program, {**root, "subcommands": []}))
    for program, commands in (("cuelight", own), ("cuelight-server", others)):
        for name, words, command in commands:
            made[name] = page(name, words, command, version, date, [program], details(words, command))
    return made


def main():
    cuelight, server, version, date, folder = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages(described(cuelight), described(server), version, date).items():
        Path(folder, f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


main()
