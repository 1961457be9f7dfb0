"""The rules of an MPD: which children an element may have and in which order, which attributes it may have and must have, and what these look like. They
are those of the schema of ISO/IEC 23009-1 for the elements that ours have; another element or attribute is a problem here. With them, what the text of the
standard asks of presentations that are `dynamic` and `static`."""

import re
from xml.etree import ElementTree

NAMESPACE = "urn:mpeg:dash:schema:mpd:2011"

COUNT = r"\d{1,10}"
LONG = r"\d{1,20}"
INTEGER = r"-?\d+"
DOUBLE = r"-?\d+(\.\d+)?"
BOOLEAN = r"true|false|0|1"
TEXT = r"[\s\S]*"
ADDRESS = r"\S+"
DURATION = r"P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?"
DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"
RATE = r"[0-9]+(/[1-9][0-9]*)?"
LANGUAGE = r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"
KIND = r"text|image|audio|video|application|font"
DESCRIPTOR = ({"schemeIdUri!": ADDRESS, "value": TEXT, "id": TEXT}, "")
COMMON = {
    "profiles": ADDRESS, "width": COUNT, "height": COUNT, "sar": r"\d+:\d+", "frameRate": RATE, "audioSamplingRate": r"\d+( \d+)?", "mimeType": TEXT,
    "codecs": TEXT, "startWithSAP": r"[0-6]", "scanType": r"progressive|interlaced|unknown"}
COMMON_CHILDREN = "AudioChannelConfiguration* EssentialProperty* SupplementalProperty* InbandEventStream* Label* ProducerReferenceTime*"
EVENTS = {"schemeIdUri!": ADDRESS, "value": TEXT, "timescale": COUNT, "presentationTimeOffset": LONG}

# Of each element its attributes, where `!` marks those that it must have; and its children in their order: `+` one or more, `*` any number, `?` one at most.
ELEMENTS = {
    "MPD": ({
        "id": TEXT, "profiles!": ADDRESS, "type": r"static|dynamic", "availabilityStartTime": DATE, "availabilityEndTime": DATE, "publishTime": DATE,
        "mediaPresentationDuration": DURATION, "minimumUpdatePeriod": DURATION, "minBufferTime!": DURATION, "timeShiftBufferDepth": DURATION,
        "suggestedPresentationDelay": DURATION, "maxSegmentDuration": DURATION},
        "ProgramInformation* BaseURL* Location* ServiceDescription* Period+ EssentialProperty* SupplementalProperty* UTCTiming*"),
    "ServiceDescription": ({"id": COUNT}, "Scope* Latency* PlaybackRate*"),
    "Latency": ({"referenceId": COUNT, "target": COUNT, "max": COUNT, "min": COUNT}, ""),
    "PlaybackRate": ({"max": DOUBLE, "min": DOUBLE}, ""),
    "Period": ({"id": TEXT, "start": DURATION, "duration": DURATION}, "BaseURL* EventStream* ServiceDescription* AdaptationSet* SupplementalProperty*"),
    "EventStream": (EVENTS, "Event*"),
    "InbandEventStream": (EVENTS, ""),
    "Event": ({"presentationTime": LONG, "duration": LONG, "id": COUNT, "contentEncoding": "base64", "messageData": TEXT}, ""),
    "AdaptationSet": (COMMON | {
        "id": COUNT, "group": COUNT, "lang": LANGUAGE, "contentType": KIND, "par": r"\d+:\d+", "maxWidth": COUNT, "maxHeight": COUNT,
        "maxFrameRate": RATE, "segmentAlignment": r"true|false|\d+", "subsegmentAlignment": r"true|false|\d+", "subsegmentStartsWithSAP": r"[0-6]"},
        f"{COMMON_CHILDREN} Role* BaseURL* SegmentTemplate? Representation*"),
    "ProducerReferenceTime": ({
        "id!": COUNT, "inband": BOOLEAN, "type": r"encoder|captured|application", "wallClockTime!": TEXT, "presentationTime!": LONG}, "UTCTiming?"),
    "Representation": (COMMON | {"id!": ADDRESS, "bandwidth!": COUNT}, f"{COMMON_CHILDREN} BaseURL* SegmentTemplate?"),
    "SegmentTemplate": ({
        "media": TEXT, "initialization": TEXT, "timescale": COUNT, "presentationTimeOffset": LONG, "duration": COUNT, "startNumber": COUNT,
        "availabilityTimeOffset": DOUBLE, "availabilityTimeComplete": BOOLEAN}, "SegmentTimeline?"),
    "SegmentTimeline": ({}, "S*"),
    "S": ({"t": LONG, "n": LONG, "d!": LONG, "r": INTEGER, "k": LONG}, ""),
    **dict.fromkeys(["AudioChannelConfiguration", "EssentialProperty", "SupplementalProperty", "Role", "Scope", "UTCTiming"], DESCRIPTOR),
    "BaseURL": ({}, ""), "Location": ({}, ""), "Label": ({"id": COUNT, "lang": LANGUAGE}, ""),
}


def seconds(duration):
    """A duration of hours, minutes and seconds."""
    found = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", duration)
    return sum(float(part or 0) * scale for part, scale in zip(found.groups(), (3600, 60, 1)))


def element_problems(element, path=""):
    """What breaks the schema, in words."""
    name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    path = f"{path}/{name}"
    if name not in ELEMENTS:
        yield f"{path}: no element of an MPD"
        return
    attributes, children = ELEMENTS[name]
    known = {key.rstrip("!"): (pattern, key.endswith("!")) for key, pattern in attributes.items()}
    for key, value in element.attrib.items():
        # Attributes of other namespaces may be anywhere.
        if not key.startswith("{") and (key not in known or not re.fullmatch(known[key][0], value)):
            yield f"{path}: {key}=\"{value}\""
    for key, (_, is_needed) in known.items():
        if is_needed and key not in element.attrib:
            yield f"{path}: no {key}"
    own = [child for child in element if child.tag.startswith(f"{{{NAMESPACE}}}")]
    written = "".join(child.tag.rpartition("}")[2] + " " for child in own)
    expected = "".join(f"({rule.rstrip('*+?')} ){rule[-1]}" for rule in children.split())
    if not re.fullmatch(expected, written):
        yield f"{path}: its children are {written}"
    # Elements of other namespaces come behind those of the standard.
    if [child for child in element][:len(own)] != own:
        yield f"{path}: another namespace's element between its children"
    for child in own:
        yield from element_problems(child, path)


def presentation_problems(mpd):
    """What breaks the text of the standard (5.3.1.2, 5.3.2, 5.3.5, 5.3.9)."""
    find = lambda element, name: element.findall(f"{{{NAMESPACE}}}{name}")
    periods = find(mpd, "Period")
    if mpd.get("type") == "dynamic":
        yield from (f"dynamic without {key}" for key in ("availabilityStartTime", "publishTime") if key not in mpd.attrib)
        yield from ("a period of a dynamic presentation without id" for period in periods if "id" not in period.attrib)
        if "minimumUpdatePeriod" in mpd.attrib and "mediaPresentationDuration" in mpd.attrib:
            yield "it ends, and is updated"
    else:
        yield from (f"static with {key}" for key in ("timeShiftBufferDepth", "minimumUpdatePeriod") if key in mpd.attrib)
        if "mediaPresentationDuration" not in mpd.attrib and "duration" not in periods[-1].attrib:
            yield "static without its duration"
    starts = [seconds(period.get("start", "PT0S")) for period in periods]
    if starts != sorted(set(starts)):
        yield f"periods start at {starts}"
    if len({period.get("id") for period in periods}) != len(periods):
        yield "two periods of one id"
    for period, following in zip(periods, starts[1:] + [float("inf")]):
        representations = [one for adaptation in find(period, "AdaptationSet") for one in find(adaptation, "Representation")]
        if len({one.get("id") for one in representations}) != len(representations):
            yield "two representations of one id"
        for adaptation in find(period, "AdaptationSet"):
            schemes = [(one.get("schemeIdUri"), one.get("value")) for one in find(adaptation, "InbandEventStream")]
            if len(set(schemes)) != len(schemes):
                yield f"event streams {schemes}"
        for one in representations:
            if not {"mimeType", "codecs"} <= one.attrib.keys() | adaptation_of(period, one).attrib.keys():
                yield f"{one.get('id')}: no mimeType, or no codecs"
            for template in find(one, "SegmentTemplate"):
                yield from timeline_problems(template, find, following - seconds(period.get("start", "PT0S")))
        for stream in find(period, "EventStream"):
            times = [int(event.get("presentationTime", 0)) for event in find(stream, "Event")]
            if times != sorted(times):
                yield f"events of {stream.get('schemeIdUri')} at {times}"


def adaptation_of(period, representation):
    return next(adaptation for adaptation in period.findall(f"{{{NAMESPACE}}}AdaptationSet") if representation in list(adaptation))


def timeline_problems(template, find, length):
    """Segments do not overlap, and start in their period."""
    scale, zero, end = int(template.get("timescale", 1)), int(template.get("presentationTimeOffset", 0)), None
    if not re.search(r"\$(Number|Time)(%0\d+d)?\$", template.get("media", "")):
        yield f"media={template.get('media')}"
    for timeline in find(template, "SegmentTimeline"):
        for entry in find(timeline, "S"):
            start, duration = int(entry.get("t", end or 0)), int(entry.get("d"))
            if end is not None and start < end or start < zero or duration <= 0:
                yield f"a segment at {start} of {duration}, the one before ends at {end}, the period starts at {zero}"
            end = start + duration * (int(entry.get("r", 0)) + 1)
            if (start - zero) / scale >= length:
                yield f"a segment at {(start - zero) / scale} s of a period that lasts {length} s"


def problems(text):
    """All that is wrong with an MPD, in words."""
    mpd = ElementTree.fromstring(text)
    found = list(element_problems(mpd))
    return found or list(presentation_problems(mpd))
