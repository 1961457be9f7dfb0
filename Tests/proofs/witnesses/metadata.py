"""Proves that `inspect --all --json` reads the timed metadata of others as programs do that nobody of this project wrote: a line for each fact.

    python3 -m proofs.witnesses.metadata --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES

Splices by threefive, x9k3 and GStreamer, ID3 by mutagen, KLV by FFmpeg and GStreamer, event messages, user data in SEI messages and messages of FLV
by FFmpeg. FFmpeg is 8 or newer, with libx264 and libx265; PyAV reads with another one. Every line has to be as its JSON Schema says.
"""

import x9k3

from proofs.facts import prove_and_end
from proofs.processes import finished
from proofs.producers.studio import Studio
from proofs.witnesses import broadcast, carriages, splices, stamped_splices
from proofs.witnesses.schemas import Schemas

SECONDS = 20


class Stage(Studio):
    """The programs, a clip, and what `inspect --all` says, its lines checked."""

    def __init__(self, arguments):
        super().__init__(arguments.cuelight, arguments.ffmpeg, arguments.folder)
        self.schemas = Schemas(self)
        coding = "-c:v libx264 -preset ultrafast -bf 2 -g 50 -keyint_min 50 -sc_threshold 0 -pix_fmt yuv420p -c:a aac"
        self.clip = self.encode("clip.mp4", coding, seconds=SECONDS, size="160x120")
        self.source = self.folder / "clip.ts"
        self.transcode("-i", self.clip, "-c", "copy", self.source)
        self.zero = broadcast.zero_of(self.source.read_bytes())

    def all(self, path, *kinds):
        """The lines of these types, or of all but user data."""
        lines = self.schemas.lines("inspect --all", path)
        return [line for line in lines if line["type"] in kinds or not kinds and line["type"] not in ("sei", "notice")]

    def broadcast(self, name, streams, program_descriptors=b""):
        return self.written(name, broadcast.with_streams(self.source.read_bytes(), streams, program_descriptors))

    def gstreamer(self, *pipeline):
        return finished("gst-launch-1.0", *" ".join(map(str, pipeline)).split()).stdout


def run(lines, arguments):
    stage = Stage(arguments)
    lines.prove("splices in a transport stream", splices.splices_of_threefive, stage)
    lines.prove("splices through GStreamer", splices.splices_of_gstreamer, stage)
    for tag in ("x_cue", "x_scte35", "x_splicepoint", "x_daterange"):
        lines.prove(f"splices in a playlist of x9k3 {x9k3.version()}, {tag}", splices.playlists_of_x9k3, stage, tag)
    lines.prove("splices that stamp passes on in transport streams", stamped_splices.in_segments, stage)
    lines.prove("splices that stamp passes on in event messages, date ranges and the MPD", stamped_splices.in_messages, stage)
    lines.prove("ID3 of others in a transport stream", carriages.id3_of_mutagen, stage)
    lines.prove("KLV of FFmpeg", carriages.klv_of_ffmpeg, stage)
    lines.prove("KLV of GStreamer", carriages.klv_of_gstreamer, stage)
    lines.prove("event messages", carriages.event_messages, stage)
    lines.prove("user data in SEI messages", carriages.user_data, stage)
    lines.prove("messages in FLV", carriages.messages_of_flv, stage)
    lines.prove("JSON Schemas", stage.schemas.every_command, stage.folder / "splices.ts")


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg")
