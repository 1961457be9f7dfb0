"""The wire format of an event, computed anew from its description."""

import base64
import hashlib
import hmac
import json
import uuid

from proofs.transport import crc32_mpeg2

NAMESPACE = uuid.UUID("0f8d0c4d-73a4-572d-8bf6-a7c5512f6f29")
ENVELOPE = ["eventType", "guid", "game", "sequence", "at", "copy", "copies", "age"]
SECRET = ["correctAnswer", "seal", "salt"]


class Number(str):
    """A JSON number as it is written."""


def parse(text):
    """A JSON value whose numbers keep their text and whose objects are dictionaries in order."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def compact(value):
    """A JSON value without spaces, keys in the order they have."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(key)}:{compact(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def ticks(seconds):
    """Decimal seconds in ticks of 90 kHz, the nearest."""
    whole, _, fraction = str(seconds).partition(".")
    scale = 10 ** len(fraction)
    return (int(whole + fraction) * 90_000 * 2 + scale) // (2 * scale)


def seconds(tick_count):
    """Ticks as seconds with six decimals, the nearest."""
    micro = (tick_count * 200 + 9) // 18
    return Number(f"{micro // 1_000_000}.{micro % 1_000_000:06}")


def with_crc(text):
    """The JSON object with its last key, `crc`: over all bytes up to the comma before it."""
    text = text[:-1]
    return f'{text},"crc":"{crc32_mpeg2(text.encode()):08x}"' + "}"


def tag(description, value):
    """The ID3v2.4 tag with one TXXX frame."""
    body = b"\x03" + description.encode("ascii") + b"\0" + value.encode()
    frame = b"TXXX" + synchsafe(len(body)) + b"\0\0" + body
    return b"ID3\x04\0\0" + synchsafe(len(frame)) + frame


def text_of(tag):
    """The text of an ID3v2.4 tag with one TXXX frame. A size may have the byte of a brace, so that the text cannot be searched for."""
    assert tag[:6] == b"ID3\x04\0\0" and number(tag[6:10]) == len(tag) - 10, f"no tag of ID3v2.4, or not all of it: {tag[:40]}"
    assert tag[10:14] == b"TXXX" and number(tag[14:18]) == len(tag) - 20 and tag[18:21] == b"\0\0\x03", f"not one frame of text in UTF-8: {tag[:40]}"
    _, separator, text = tag[21:].partition(b"\0")
    assert separator, f"no end of the description: {tag[:40]}"
    return text.decode()


def synchsafe(number):
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def number(synchsafe):
    """The number of four bytes of seven bits each."""
    assert len(synchsafe) == 4 and max(synchsafe) < 0x80, f"no size of ID3v2.4: {synchsafe}"
    return synchsafe[0] << 21 | synchsafe[1] << 14 | synchsafe[2] << 7 | synchsafe[3]


def tag_of(line):
    """The tag that a line of `inspect --json` is about, computed from what the line says."""
    event = dict(line["event"])
    fields = {key: event.pop(key) for key in ENVELOPE[:4]}
    fields["at"] = seconds(ticks(event.pop("at")))
    fields["copy"], fields["copies"] = line["copy"], line["copies"]
    fields["age"] = seconds(ticks(line["age"]))
    return tag(fields["eventType"], with_crc(compact(fields | event)))


def guid(event):
    """The identifier that an event has to have: a UUIDv5 over everything public but the envelope, or over what is decided."""
    # What is decided once has one identifier, whatever was decided.
    if event["eventType"] in ("showResults", "endGame"):
        return str(uuid.uuid5(NAMESPACE, f"decided\n{event['game']}\n{event.get('questionGuid', '')}\n{event['eventType']}"))
    content = {key: value for key, value in event.items() if key not in ENVELOPE + SECRET + ["crc"]}
    return str(uuid.uuid5(NAMESPACE, f"{event['game']}\n{event['sequence']}\n{event['eventType']}\n{compact(content)}"))


def seal(salt, question, correct_answer):
    """The seal of an answer to the question with this identifier."""
    return base64.b64encode(hashlib.sha256(f"{salt}:{question}:{correct_answer}".encode()).digest()).decode()


def salt(key, question, correct_answer):
    """The salt of the seal of a question event, which only the holder of the key can compute."""
    message = f"{question['guid']}\n{compact([question['question']] + question['answers'])}\n{correct_answer}"
    return base64.b64encode(hmac.digest(key, message.encode(), "sha256")[:16]).decode()
