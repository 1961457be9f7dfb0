"""One build of cuelight with the libraries of every release of FFmpeg that can be had: it must write the same with each of them.

The libraries are those that PyAV's wheels bring; FFmpeg 9 and others come from folders that are named. What is compared with is the copy by the
libraries of the system.
"""

import os
import platform
import sys
import zipfile
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.processes import ffmpeg, finished, new_folder

# A release of PyAV for each version of libavformat: what it is built with.
WHEELS = {"12.3.0": "60.16", "13.1.0": "61.1", "15.1.0": "61.7", "16.0.1": "62.3", "18.1.0": "62.12"}

CUES = """game: versions
title: Versions
cues:
  - { at: 1s, event: startGame }
  - { at: 3s, event: endGame }
"""

PICTURE = "-f lavfi -i testsrc2=size=320x180:rate=25:duration=6"
SOUND = "-f lavfi -i sine=frequency=440:sample_rate=48000:duration=6"
H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1"
CLIPS = {
    "aac.mp4": f"{PICTURE} {SOUND} {H264} -c:a aac",
    "two.mkv": f"{PICTURE} {SOUND} {SOUND} -map 0 -map 1 -map 2 {H264} -c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu",
    "ac3.mkv": f"{PICTURE} {SOUND} {H264} -c:a ac3",
    "mp3.flv": f"{PICTURE} -f lavfi -i sine=sample_rate=44100:duration=6 {H264} -c:a libmp3lame",
    "audio.m4a": f"{SOUND} -c:a aac",
}

# The outputs of `stamp`, by their names.
OUTPUTS = {
    "stream.ts": [],
    "ts/index.m3u8": ["--segment-duration", "2"],
    "fmp4/index.m3u8": ["--segment-type", "fmp4", "--segment-duration", "2"],
}


def fetch(folder):
    """The libraries of each wheel, in a folder of its own."""
    machine = platform.machine()
    for release, version in WHEELS.items():
        target = folder / version
        if target.is_dir():
            continue
        wheels = new_folder(folder.parent / "wheels")
        finished(
            sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
            "--python-version", "3.11", "--platform", f"manylinux2014_{machine}", "--platform", f"manylinux_2_28_{machine}",
            "--dest", wheels, f"av=={release}")
        unpacked = new_folder(folder.parent / "unpacked")
        for wheel in wheels.iterdir():
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(unpacked, [name for name in archive.namelist() if name.startswith("av.libs/")])
        (unpacked / "av.libs").rename(target)


def environment(libraries):
    """The environment of a command that uses the libraries of a folder; those of the system if there is none."""
    own = {name: value for name, value in os.environ.items() if name not in ("CUELIGHT_LIBAV", "LD_LIBRARY_PATH")}
    # The libraries of wheels need others of the same folder, which only this variable makes the system find.
    return own | {"CUELIGHT_LIBAV": str(libraries), "LD_LIBRARY_PATH": str(libraries)} if libraries else own


def run(cuelight, libraries, *arguments, status=0):
    """A command with the libraries of a folder."""
    return finished(cuelight, *arguments, status=status, env=environment(libraries))


def opened(cuelight, libraries, clip, folder):
    """The files of libav that a process has opened, as the system's dynamic linker says."""
    done = finished(
        cuelight, "stamp", clip, "--cues", folder / "cues.yaml", "--force", "-o", folder / "opened.ts",
        env=environment(libraries) | {"LD_DEBUG": "files"})
    return {
        Path(line.rpartition("calling init: ")[2].strip()) for line in done.stderr.splitlines()
        if "calling init: " in line and "/libav" in line}


def copies(cuelight, libraries, folder):
    """What is written with these libraries: the bytes of each file, and what `inspect` and `stamp` say."""
    new_folder(folder)
    files, said = {}, {}
    for clip in CLIPS:
        for output, options in OUTPUTS.items():
            path = folder / clip / output
            path.parent.mkdir(parents=True, exist_ok=True)
            done = run(cuelight, libraries, "stamp", folder.parent / clip, "--cues", folder.parent / "cues.yaml", *options, "-o", path)
            said[f"stamp {clip} {output}"] = (done.stdout + done.stderr).replace(str(folder), "")
            said[f"inspect {clip} {output}"] = run(cuelight, libraries, "inspect", "--json", path).stdout.replace(str(folder), "")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            files[str(path.relative_to(folder))] = path.read_bytes()
    for clip, status in [("missing.mp4", 66), ("text.mp4", 65)]:
        refused = run(
            cuelight, libraries, "stamp", folder.parent / clip, "--cues", folder.parent / "cues.yaml", "-o", folder / "x.ts", status=status)
        said[clip] = refused.stderr
    return files, said


def frames(path):
    """The hashes of all frames of a file, by the system's FFmpeg."""
    return finished("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v?", "-map", "0:a?", "-f", "framemd5", "-").stdout


def compare(lines, name, folder, reference, found):
    """Compares what was written and said with what the system's libraries gave."""
    (files, said), (wanted_files, wanted_said) = found, reference
    lines.tell(said == wanted_said, f"{name}: events, messages and errors are the same",
               [key for key in wanted_said if said.get(key) != wanted_said[key]])
    lines.tell(files.keys() == wanted_files.keys(), f"{name}: the same {len(files)} files", sorted(files.keys() ^ wanted_files.keys()))
    other = [path for path in wanted_files if files.get(path) != wanted_files[path]]
    if not other:
        lines.fact(f"{name}: all bytes are the same")
        return
    # FFmpeg 5 states two channels in each sample entry of audio, later versions the number that there is: the frames must be the same.
    tops = sorted({path for clip in CLIPS for path in (f"{clip}/{output}" for output in OUTPUTS) if any(
        file == path or file.startswith(str(Path(path).parent) + "/") and "/" in path.removeprefix(f"{clip}/") for file in other)})
    differing = [path for path in tops if frames(folder / path) != frames(folder.parent / "system" / path)]
    lines.tell(not differing, f"{name}: {len(other)} of {len(files)} files have other bytes and the same frames ({', '.join(other[:4])})", differing)


def prove(lines, options):
    libraries = options.folder / "libraries"
    libraries.mkdir(exist_ok=True)
    fetch(libraries)
    for number, folder in enumerate(options.more or []):
        link = libraries / f"more-{number}"
        link.unlink(missing_ok=True)
        link.symlink_to(folder.absolute())
    for clip, arguments in CLIPS.items():
        if not (options.folder / clip).exists():
            ffmpeg("-bitexact", *arguments.split(), options.folder / clip)
    (options.folder / "cues.yaml").write_text(CUES)
    (options.folder / "text.mp4").write_text("no video")
    reference = copies(options.cuelight, None, options.folder / "system")
    for folder in sorted(libraries.iterdir()):
        files = opened(options.cuelight, folder, options.folder / "aac.mp4", options.folder)
        own = {path for path in files if path.resolve().is_relative_to(folder.resolve())}
        names = sorted(path.name for path in own if path.name.startswith("libavformat"))
        lines.tell(files and files == own, f"{folder.name}: only its own libraries are opened ({', '.join(names)})", sorted(map(str, files - own)))
        compare(lines, folder.name, options.folder / f"with-{folder.name}", reference,
                copies(options.cuelight, folder, options.folder / f"with-{folder.name}"))
    empty = new_folder(options.folder / "empty")
    refused = run(
        options.cuelight, empty, "stamp", options.folder / "aac.mp4", "--cues", options.folder / "cues.yaml", "-o", empty / "x.ts", status=69)
    lines.tell(
        refused.stderr.count("\n") == 1 and "libavformat59" in refused.stderr and "libavformat63" in refused.stderr and not any(empty.iterdir()),
        "a folder without libraries is refused, and what would do is named", refused.stderr)


if __name__ == "__main__":
    prove_and_end(prove, "cuelight", keeps_folder=True, more=lambda text: [Path(part) for part in text.split(":")])
