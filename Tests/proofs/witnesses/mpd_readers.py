"""An MPD as programs of others read it: mpegdash, which writes again what it has read; mpd-inspector, which says where and when the segments are, and reads
the sections of breaks with threefive3; and GStreamer, which plays it."""

import urllib.parse
from xml.etree import ElementTree

from mpd_inspector import MPDInspector, MPDParser, Scte35BinaryEventInspector
from mpegdash.parser import MPEGDASHParser

from proofs.processes import finished
from proofs.witnesses.mpd import NAMESPACE

# What mpegdash 0.4.1 does not know, and leaves out.
UNKNOWN = {"ServiceDescription", "ProducerReferenceTime"}
UNKNOWN_ATTRIBUTES = {("Event", "contentEncoding"), ("SegmentTemplate", "availabilityTimeOffset"), ("SegmentTemplate", "availabilityTimeComplete")}


def outline(element):
    """The elements of an MPD that mpegdash knows, with their attributes and texts, in their order."""
    name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    attributes = {key: value for key, value in element.attrib.items() if (name, key) not in UNKNOWN_ATTRIBUTES}
    children = [child for child in element if child.tag.startswith(f"{{{NAMESPACE}}}") and child.tag.removeprefix(f"{{{NAMESPACE}}}") not in UNKNOWN]
    return name, attributes, (element.text or "").strip(), [outline(child) for child in children]


def differences(text, wanted=None, path=""):
    """What mpegdash writes otherwise than it stands in the MPD, in words."""
    if wanted is None:
        written = MPEGDASHParser.get_as_doc(MPEGDASHParser.parse(text)).toxml()
        text, wanted = outline(ElementTree.fromstring(written)), outline(ElementTree.fromstring(text))
    path = f"{path}/{wanted[0]}"
    if text[:3] != wanted[:3]:
        yield f"{path}: {text[:3]} instead of {wanted[:3]}"
    names = [[child[0] for child in one[3]] for one in (text, wanted)]
    if names[0] != names[1]:
        yield f"{path}: {names[0]} instead of {names[1]}"
    for child, other in zip(text[3], wanted[3]):
        yield from differences(child, other, path)


class Inspected:
    """What mpd-inspector says of an MPD."""

    def __init__(self, text, address):
        inspector = MPDInspector(MPDParser.from_string(text))
        inspector.base_uri = address
        # Of each representation the names of its segments, and the start of each: a date in a presentation that is dynamic, a time in others.
        self.segments, self.breaks = {}, []
        for period in inspector.periods:
            for adaptation in period.adaptation_sets:
                for representation in adaptation.representations:
                    self.segments.setdefault(representation.id, []).extend(
                        (urllib.parse.urlparse(segment.urls[0]).path.rpartition("/")[2], segment.start_time, segment.duration)
                        for segment in representation.segment_information.segments)
            for stream in period.event_streams:
                # The time of each break in its period, in seconds, and its section.
                self.breaks += [(event.relative_presentation_time.total_seconds(), event.content) for event in stream.events if isinstance(event, Scte35BinaryEventInspector)]


def pictures_of_gstreamer(address):
    """How many pictures GStreamer shows of a presentation, as fast as it goes, to its end."""
    result = finished("gst-launch-1.0", "-v", "playbin3", f"uri={address}", "video-sink=fakesink name=pictures sync=false silent=false", "audio-sink=fakesink sync=false")
    assert "Got EOS from element" in result.stdout, f"GStreamer does not reach the end: {result.stdout[-500:]} {result.stderr[-500:]}"
    return sum("pictures" in line and "last-message = chain" in line for line in result.stdout.splitlines())
