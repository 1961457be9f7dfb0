"""Lets other programs package clips in all the ways that they know, and proves that the doctor accuses none of them. Prints a line for each.

    python3 -m proofs.producers.healthy --cuelight PROGRAM --ffmpeg FFMPEG --packager SHAKA_PACKAGER --folder FOR_ITS_FILES

FFmpeg 8 or newer with libx264 and libx265. GStreamer is the system's. Real streams by others are read where CUELIGHT_STREAMS names their folder.
"""

import os
import shutil
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.producers.studio import EVENTS, Studio, require, served

# What is true of everything that carries no game, and no fault.
NO_GAME = {"EVENT-NO-TAGS", "EVENT-NONE"}
H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 50 -keyint_min 50 -sc_threshold 0 -threads 1 -pix_fmt yuv420p"
HEVC = "-c:v libx265 -preset ultrafast -x265-params keyint=50:min-keyint=50:scenecut=0:open-gop=0:bframes=3:pools=1:log-level=none"
# Real faults of streams and programs of others, and which. FFmpeg names no video in CODECS where it writes HLS of HEVC beside DASH, and leaves the
# pointer to the metadata out of its program maps, without which AVFoundation finds no events.
REAL_FAULTS = {
    "shaka-id3-metadata.ts": {"TS-PMT-PROGRAM", "ID3-EMPTY-FRAME"},
    "videojs-id3.ts": {"TS-PES-STREAM-ID"},
    "FFmpeg, hevc, DASH and HLS of the same segments": {"HLS-CODECS-DIFFER"},
}
REAL_FAULTS_OF_COPIES = {"TS-PMT-POINTER"}
KEY = bytes(range(16))


class Clips(Studio):
    """Five clips of different kinds, and what is packaged from them."""

    def __init__(self, arguments):
        super().__init__(arguments.cuelight, arguments.ffmpeg, arguments.folder)
        self.packager = arguments.packager
        self.packaged = self.folder / "packaged"
        shutil.rmtree(self.packaged, ignore_errors=True)
        self.packaged.mkdir()
        self.clips = {
            "plain": self.encode("plain.mp4", f"{H264} -c:a aac"),
            "hevc": self.encode("hevc.mp4", f"{HEVC} -tag:v hvc1 -c:a ac3"),
            "mpeg2": self.encode("mpeg2.ts", "-c:v mpeg2video -g 15 -bf 2 -b:v 1M -c:a mp2"),
            "uneven": self.encode("uneven.mp4", f"{H264} -vf select='not(eq(mod(n\\,7)\\,3))' -fps_mode vfr -c:a aac -ar 44100", rate="30000/1001"),
            "interlaced": self.encode("interlaced.mp4", f"{H264} -x264-params tff=1 -flags +ildct+ilme -c:a eac3"),
        }
        # Smaller pictures with the same cuts.
        self.small = self.encode("small.mp4", f"{H264} -c:a aac", size="160x120")
        self.key = self.written("file.key", KEY)
        self.key_info = self.folder / "key.info"
        self.key_info.write_text(f"file.key\n{self.key}\n{'0' * 31}1\n")

    def place(self, name):
        folder = self.packaged / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def ffmpeg_hls(self, name, source, *options, output="index.m3u8"):
        folder = self.place(name)
        inputs = source if isinstance(source, list) else [source]
        self.transcode(*[word for path in inputs for word in ("-i", path)], "-c", "copy", "-f", "hls", "-hls_time", 2, "-hls_list_size", 0, *options, folder / output)
        return folder

    def shaka(self, name, *streams, options=()):
        """Shaka Packager writes all its playlists into one folder."""
        folder = self.place(name)
        texts = [",".join(f"{key}={value}" for key, value in stream.items()) for stream in streams]
        self.run(self.packager, *texts, "--segment_duration", 2, "--hls_master_playlist_output", "index.m3u8", "--quiet", *options, folder=folder)
        return folder / "index.m3u8"

    def gstreamer(self, *pipeline, folder=None):
        self.run("gst-launch-1.0", "-q", *" ".join(map(str, pipeline)).split(), folder=folder)


def with_ffmpeg(studio):
    """What FFmpeg packages: a name, and what the doctor reads."""
    for name, clip in studio.clips.items():
        yield f"FFmpeg, {name}, HLS of transport streams", studio.ffmpeg_hls(f"ffmpeg-ts-{name}", clip) / "index.m3u8"
        output = studio.place("ffmpeg-files") / f"{name}.ts"
        studio.transcode("-i", clip, "-c", "copy", output)
        yield f"FFmpeg, {name}, a transport stream", output
        if name == "mpeg2":
            continue
        yield f"FFmpeg, {name}, HLS of fragmented MP4, muxed", studio.ffmpeg_hls(f"ffmpeg-fmp4-{name}", clip, "-hls_segment_type", "fmp4") / "index.m3u8"
        output = studio.place("ffmpeg-files") / f"{name}-fragmented.mp4"
        studio.transcode("-i", clip, "-c", "copy", "-movflags", "+frag_keyframe+delay_moov+default_base_moof", output)
        yield f"FFmpeg, {name}, a fragmented MP4", output
        folder = studio.place(f"ffmpeg-dash-{name}")
        studio.transcode("-i", clip, "-c", "copy", "-f", "dash", "-hls_playlist", 1, "-seg_duration", 2, folder / "index.mpd")
        yield f"FFmpeg, {name}, DASH and HLS of the same segments", folder / "master.m3u8"
    plain, hevc = studio.clips["plain"], studio.clips["hevc"]
    for kind, clip in (("mpegts", plain), ("fmp4", plain), ("fmp4", hevc)):
        name = f"{kind}-{clip.stem}"
        more = ("-hls_segment_type", kind)
        yield f"FFmpeg, {name}, byte ranges of one file", studio.ffmpeg_hls(f"ffmpeg-ranges-{name}", clip, *more, "-hls_flags", "single_file") / "index.m3u8"
        yield f"FFmpeg, {name}, dates", studio.ffmpeg_hls(f"ffmpeg-dates-{name}", clip, *more, "-hls_flags", "program_date_time+independent_segments") / "index.m3u8"
    yield "FFmpeg, plain, playlist of I-frames", studio.ffmpeg_hls("ffmpeg-iframes", plain, "-an", "-hls_flags", "single_file+iframes_only") / "index.m3u8"
    yield "FFmpeg, plain, encrypted", with_key(studio, studio.ffmpeg_hls("ffmpeg-encrypted", plain, "-hls_key_info_file", studio.key_info)) / "index.m3u8"
    for kind in ("mpegts", "fmp4"):
        streams = ["-map", "0:v", "-map", "1:v", "-map", "0:a", "-var_stream_map", "v:0,agroup:a v:1,agroup:a a:0,agroup:a,default:yes"]
        folder = studio.ffmpeg_hls(f"ffmpeg-renditions-{kind}", [plain, studio.small], *streams, "-hls_segment_type", kind,
                                   "-hls_fmp4_init_filename", "init-%v.mp4", "-master_pl_name", "master.m3u8", output="part-%v.m3u8")
        yield f"FFmpeg, {kind}, two variants and an audio group", folder / "master.m3u8"
    yield "FFmpeg, sound alone", studio.ffmpeg_hls("ffmpeg-sound", plain, "-vn") / "index.m3u8"
    output = studio.place("ffmpeg-files") / "constant.ts"
    studio.transcode("-i", plain, "-c", "copy", "-muxrate", "3M", output)
    yield "FFmpeg, plain, a constant bit rate", output
    # Half of a stream: the clock starts anew, and says so.
    yield "FFmpeg, plain, appended with EXT-X-DISCONTINUITY", appended(studio, plain)


def with_key(studio, folder):
    shutil.copy(studio.key, folder / "file.key")
    return folder


def appended(studio, clip):
    studio.ffmpeg_hls("ffmpeg-appended", clip, "-hls_segment_filename", studio.place("ffmpeg-appended") / "a%d.ts")
    folder = studio.ffmpeg_hls("ffmpeg-appended", clip, "-hls_flags", "append_list", "-hls_segment_filename", studio.place("ffmpeg-appended") / "b%d.ts")
    return folder / "index.m3u8"


def with_shaka(studio):
    for name, clip in studio.clips.items():
        if name == "mpeg2":
            continue
        parts = [
            {"in": clip, "stream": "video", "init_segment": "video.mp4", "segment_template": "video-$Number$.m4s", "playlist_name": "video.m3u8",
             "iframe_playlist_name": "iframes.m3u8"},
            {"in": clip, "stream": "audio", "init_segment": "audio.mp4", "segment_template": "audio-$Number$.m4s", "playlist_name": "audio.m3u8",
             "hls_group_id": "audio", "hls_name": "sound"}]
        yield f"Shaka Packager, {name}, fragmented MP4 and a playlist of I-frames", studio.shaka(f"shaka-fmp4-{name}", *parts)
        yield f"Shaka Packager, {name}, the playlist of I-frames alone", studio.packaged / f"shaka-fmp4-{name}" / "iframes.m3u8"
        parts = [
            {"in": clip, "stream": "video", "output": "video.mp4", "playlist_name": "video.m3u8", "iframe_playlist_name": "iframes.m3u8"},
            {"in": clip, "stream": "audio", "output": "audio.mp4", "playlist_name": "audio.m3u8", "hls_group_id": "audio", "hls_name": "sound"}]
        yield f"Shaka Packager, {name}, byte ranges of single files", studio.shaka(f"shaka-ranges-{name}", *parts)
        if name == "hevc":
            continue
        parts = [
            {"in": clip, "stream": "video", "segment_template": "video-$Number$.ts", "playlist_name": "video.m3u8", "iframe_playlist_name": "iframes.m3u8"},
            {"in": clip, "stream": "audio", "segment_template": "audio-$Number$.ts", "playlist_name": "audio.m3u8", "hls_group_id": "audio", "hls_name": "sound"}]
        # Its pictures of transport streams are without tables, so that nothing tells what they are: that playlist is not read by itself.
        yield f"Shaka Packager, {name}, transport streams", studio.shaka(f"shaka-ts-{name}", *parts)
    for name, extension in (("plain", "aac"), ("hevc", "ac3"), ("interlaced", "ec3")):
        parts = [
            {"in": studio.clips[name], "stream": "video", "init_segment": "video.mp4", "segment_template": "video-$Number$.m4s", "playlist_name": "video.m3u8"},
            {"in": studio.clips[name], "stream": "audio", "segment_template": f"audio-$Number$.{extension}", "playlist_name": "audio.m3u8",
             "hls_group_id": "audio", "hls_name": "sound"}]
        yield f"Shaka Packager, {name}, packed audio ({extension})", studio.shaka(f"shaka-packed-{extension}", *parts)
    parts = [
        {"in": clip, "stream": "video", "init_segment": f"{label}.mp4", "segment_template": f"{label}-$Number$.m4s", "playlist_name": f"{label}.m3u8"}
        for label, clip in (("large", studio.clips["plain"]), ("small", studio.small))]
    parts.append({"in": studio.clips["plain"], "stream": "audio", "init_segment": "audio.mp4", "segment_template": "audio-$Number$.m4s",
                  "playlist_name": "audio.m3u8", "hls_group_id": "audio", "hls_name": "sound"})
    yield "Shaka Packager, two variants and an audio group", studio.shaka("shaka-renditions", *parts)


def with_gstreamer(studio):
    plain, mpeg2, uneven = (studio.clips[name] for name in ("plain", "mpeg2", "uneven"))
    for name, clip in (("plain", plain), ("uneven", uneven)):
        folder = studio.place(f"gstreamer-hls-{name}")
        studio.gstreamer("filesrc", f"location={clip}", "! qtdemux name=in", "hlssink2 name=out playlist-length=0 max-files=0 target-duration=2",
                         "in.video_0 ! queue ! h264parse ! out.video", "in.audio_0 ! queue ! aacparse ! out.audio", folder=folder)
        yield f"GStreamer, {name}, HLS of transport streams", folder / "playlist.m3u8"
        output = studio.place("gstreamer-files") / f"{name}.ts"
        studio.gstreamer("filesrc", f"location={clip}", "! qtdemux name=in", "mpegtsmux name=out", f"! filesink location={output}",
                         "in.video_0 ! queue ! h264parse ! out.", "in.audio_0 ! queue ! aacparse ! out.")
        yield f"GStreamer, {name}, a transport stream", output
        output = studio.place("gstreamer-files") / f"{name}.mp4"
        studio.gstreamer("filesrc", f"location={clip}", "! qtdemux name=in", "mp4mux name=out fragment-duration=2000", f"! filesink location={output}",
                         "in.video_0 ! queue ! h264parse ! out.video_0", "in.audio_0 ! queue ! aacparse ! out.audio_0")
        yield f"GStreamer, {name}, a fragmented MP4", output
    output = studio.place("gstreamer-files") / "mpeg2.ts"
    studio.gstreamer("filesrc", f"location={mpeg2}", "! tsdemux name=in", "mpegtsmux name=out", f"! filesink location={output}",
                     "in. ! queue ! mpegvideoparse ! out.", "in. ! queue ! mpegaudioparse ! out.")
    yield "GStreamer, mpeg2, a transport stream", output


def through_others(studio):
    """Stamped streams that others have packaged, with all events."""
    stream, _ = studio.stamp(studio.clips["plain"], "stamped.ts")
    copy = ("-map", "0", "-copy_unknown")
    yield "FFmpeg, a stamped stream copied", remuxed(studio, stream, "copied.ts", *copy)
    yield "FFmpeg, a stamped stream as HLS", studio.ffmpeg_hls("ffmpeg-stamped", stream, *copy) / "index.m3u8"
    yield "FFmpeg, a stamped stream as one file with byte ranges", studio.ffmpeg_hls("ffmpeg-stamped-ranges", stream, *copy, "-hls_flags", "single_file") / "index.m3u8"
    folder = with_key(studio, studio.ffmpeg_hls("ffmpeg-stamped-encrypted", stream, *copy, "-hls_key_info_file", studio.key_info))
    yield "FFmpeg, a stamped stream as HLS, encrypted", folder / "index.m3u8"
    yield "FFmpeg, the middle of a stamped stream", remuxed(studio, stream, "middle.ts", *copy, before=("-ss", "0.9"))


def remuxed(studio, stream, name, *options, before=()):
    output = studio.place("ffmpeg-files") / name
    studio.transcode(*before, "-i", stream, *options, "-c", "copy", output)
    return output


def errors(found):
    return {rule for rule, finding in found.items() if finding["severity"] == "error"}


def check(studio, path, real=frozenset(), allowed=frozenset(NO_GAME)):
    """The doctor finds the real faults and no other error."""
    status, found, _ = studio.doctor(path)
    wrong = errors(found) - allowed - real
    places = [place for rule in sorted(wrong) for place in found[rule]["places"][:2]]
    require(not wrong and status in (0, 1), f"status {status}, {sorted(wrong)}: {places}")
    require(real <= set(found), f"{sorted(real - set(found))} is not found")
    others = sorted(rule for rule in found if rule not in allowed | real)
    said = f"its real fault: {', '.join(sorted(real))}" if real else "no error"
    return said + (f"; {', '.join(others)}" if others else "")


def check_stamped(studio, path):
    said = check(studio, path, REAL_FAULTS_OF_COPIES, frozenset())
    _, _, summary = studio.doctor(path)
    require(summary["events"] == EVENTS, f"{summary['events']} events")
    return f"{said}, all {EVENTS} events"


def own(studio):
    """What `stamp` writes from each clip with its defaults, and with what it offers besides."""
    plain, small = studio.clips["plain"], studio.small
    key, public = studio.folder / "sign.pem", studio.folder / "public.pem"
    studio.run("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
    studio.run("openssl", "pkey", "-in", key, "-pubout", "-out", public)
    for name, clip in studio.clips.items():
        yield f"{name}, a transport stream", clip, f"own/{name}.ts", ()
        yield f"{name}, HLS of transport streams", clip, f"own/ts-{name}/index.m3u8", ()
        if name != "mpeg2":
            yield f"{name}, HLS of fragmented MP4", clip, f"own/fmp4-{name}/index.m3u8", ("--segment-type", "fmp4")
    for kind in ("ts", "fmp4"):
        segments = ("--segment-type", kind)
        dates = ("--program-date-time", "2026-11-20T20:00:00Z", "--daterange")
        yield f"two renditions, {kind}", [plain, small], f"own/renditions-{kind}/index.m3u8", segments
        yield f"date ranges, {kind}", plain, f"own/dates-{kind}/index.m3u8", (*segments, *dates)
        yield f"signed, {kind}", plain, f"own/signed-{kind}/index.m3u8", (*segments, "--sign", key)
    yield "signed, a transport stream", plain, "own/signed.ts", ("--sign", key)


# What some players do not play by its codecs: HEVC, MPEG-2 and E-AC-3. The doctor notes that, and nothing else.
NOTED = ("hevc", "mpeg2", "interlaced")


def check_own(studio, sources, output, options):
    """Nothing is found at all, not even a note, but for codecs that some players do not play."""
    expected = {"CODEC-PLAYERS"} if sources in [studio.clips[name] for name in NOTED] else set()
    path, _ = studio.stamp(sources, output, *options)
    more = ("--require-signature", studio.folder / "public.pem") if "--sign" in options else ()
    status, found, summary = studio.doctor(path, *more)
    require(status == 0 and set(found) == expected and summary["events"] == EVENTS, f"status {status}, {sorted(found)}")
    return f"{', '.join(expected) or 'nothing'} is found"


def check_served(studio):
    """A presentation on a web server as it should be."""
    folder = studio.folder / "served"
    studio.stamp(studio.clips["plain"], "served/index.m3u8")
    with served(folder) as address:
        status, found, _ = studio.doctor(f"{address}/index.m3u8")
        require(status == 0 and not found, f"status {status}, {sorted(found)}")
    return "nothing is found"


def run(lines, arguments):
    studio = Clips(arguments)
    for packaged in (with_ffmpeg, with_shaka, with_gstreamer):
        for name, path in packaged(studio):
            lines.prove(name, check, studio, path, REAL_FAULTS.get(name, frozenset()))
    for name, path in through_others(studio):
        lines.prove(name, check_stamped, studio, path)
    for name, sources, output, options in own(studio):
        lines.prove(f"Cuelight, {name}", check_own, studio, sources, output, options)
    lines.prove("Cuelight, HLS on a web server", check_served, studio)
    streams = os.environ.get("CUELIGHT_STREAMS")
    if not streams:
        print("skipped: real streams by others, since CUELIGHT_STREAMS names no folder")
        return
    for path in sorted([*Path(streams).glob("*.ts"), *Path(streams).glob("*.m4s")]):
        lines.prove(f"{path.name}, made by others", check, studio, path, REAL_FAULTS.get(path.name, frozenset()))


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg", "packager", keeps_folder=True)
