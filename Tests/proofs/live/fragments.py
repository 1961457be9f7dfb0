"""Makes live fragmented MP4 of streams in every coding that it carries, and compares each picture and each frame of audio with the stream that went in,
as FFmpeg reads both. One line a coding.

    python3 -m proofs.live.fragments --server PROGRAM --clip CLIP --folder FOR_ITS_FILES
"""


from proofs.facts import prove_and_end
from proofs.live.inputs import HEVC, listed
from proofs.processes import ffmpeg, finished, free_port, new_folder

SECONDS = 8
# What FFmpeg makes of the clip, and what the playlists say of it.
INTERLACED = ("-vf", "scale=720:576,setsar=64/45,interlace", "-flags", "+ilme+ildct", "-c:v", "libx264", "-g", "25", "-color_primaries", "bt470bg",
              "-color_trc", "gamma28", "-colorspace", "bt470bg")
CODINGS = {
    "H.264, AAC of 44.1 kHz": (("-c:v", "copy", "-c:a", "aac", "-ar", "44100", "-ac", "1"), "avc1.64000C,mp4a.40.2"),
    "H.264, two AAC": (("-map", "0:v", "-map", "0:a", "-map", "0:a", "-c:v", "copy", "-c:a", "aac"), "avc1.64000C,mp4a.40.2"),
    "H.264, MP3": (("-c:v", "copy", "-c:a", "libmp3lame"), "avc1.64000C,mp4a.40.34"),
    "H.264, AC-3": (("-c:v", "copy", "-c:a", "ac3"), "avc1.64000C,ac-3"),
    "H.264, E-AC-3": (("-c:v", "copy", "-c:a", "eac3"), "avc1.64000C,ec-3"),
    "H.264, Opus": (("-c:v", "copy", "-c:a", "libopus"), "avc1.64000C,Opus"),
    "H.264 with fields and pixels that are not square, AAC": ((*INTERLACED, "-c:a", "aac"), None),
    "HEVC, AAC": ((*HEVC, "-c:a", "aac"), "hvc1.1.6.L60.90,mp4a.40.2"),
}


def frames(file, stream, *options):
    """What FFmpeg reads of a stream: the hash of each frame."""
    output = finished("ffmpeg", "-nostdin", "-v", "error", "-i", file, "-map", stream, *options, "-f", "framemd5", "-")
    assert not output.stderr, output.stderr
    return [line.split(",")[5].strip() for line in output.stdout.splitlines() if not line.startswith("#")]


def times(file, stream):
    """When FFmpeg presents the packets of a stream, in seconds."""
    return [float(time) for time in finished(
        "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of", "csv=p=0", file).stdout.replace(",", " ").split()]


def described(file):
    """What FFmpeg says of the picture."""
    shown = "stream=codec_name,profile,width,height,sample_aspect_ratio,color_space,color_transfer,color_primaries,pix_fmt"
    return finished("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", shown, "-of", "csv=p=0", file).stdout.splitlines()[0]


def track(folder, playlist):
    """A file with all that a playlist lists, and whether segments are missing."""
    segments = listed((folder / playlist).read_text())
    names = dict.fromkeys(initialization for _, initialization, _ in segments)
    assert len(names) == 1, f"{len(names)} initialization segments"
    gaps = [name for name, _, _ in segments if name.endswith("-gap.m4s")]
    assert all(name == segments[-1][0] for name in gaps), f"gaps before the end: {gaps}"
    file = folder / f"{playlist}.mp4"
    file.write_bytes(b"".join((folder / name).read_bytes() for name in [*names, *(name for name, _, _ in segments if name not in gaps)]))
    return file


def carried(options, name, coding, codecs):
    folder = new_folder(options.folder / name.replace(" ", "-").replace(",", ""))
    stream = folder / "input.ts"
    ffmpeg("-t", SECONDS, "-i", options.clip, *coding, "-f", "mpegts", stream)
    finished(
        options.server, "live", stream, "-o", folder / "live" / "index.m3u8", "--event", "--segment-type", "fmp4", "--segment-duration", 2, "--pace", 20,
        "--listen", f"127.0.0.1:{free_port()}", timeout=120)
    folder = folder / "live"
    presentation = (folder / "index.m3u8").read_text()
    assert codecs is None or f'CODECS="{codecs}"' in presentation, presentation
    main = track(folder, "media.m3u8")
    before, after = frames(stream, "0:v"), frames(main, "0:v")
    assert before == after, f"{len(after)} pictures of {len(before)}"
    assert described(stream) == described(main), f"{described(main)}, and not {described(stream)}"
    counts, picture = [], min(times(stream, "v"))
    for number in range(1, presentation.count("TYPE=AUDIO") + 1):
        # AAC has a header in front of each frame, which samples do not have.
        raw = ("-bsf:a", "aac_adtstoasc") if "mp4a.40.2" in presentation else ()
        sent = frames(stream, f"0:a:{number - 1}", "-c", "copy", *raw)
        come = frames(track(folder, f"audio{number}.m3u8"), "0:a", "-c", "copy")
        # Those that begin before the first picture are left out.
        early = sum(time < picture for time in times(stream, f"a:{number - 1}"))
        assert come == sent[early:], f"{len(come)} frames of audio of {len(sent)}, {early} before the first picture"
        counts.append(len(come))
    assert counts, "no audio"
    return f"{len(after)} pictures and {' and '.join(map(str, counts))} frames of audio are what they were; FFmpeg says the same of the pictures"


def run(lines, options):
    proofs = {name: lambda options, name=name, case=case: carried(options, name, *case) for name, case in CODINGS.items()}
    lines.prove_all("fragments", proofs, options, at_once=2)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip")
