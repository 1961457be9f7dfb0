"""A publisher whose picture shows the clock: each frame has the time at which it was made, in milliseconds since 1970, as black and white squares."""

import subprocess
import time
from proofs.processes import in_background

WIDTH, HEIGHT, RATE = 320, 180, 25
# Below the squares are their opposites, so that a reader knows whether it sees the clock. The page of the players reads the same squares.
BITS, SIDE, ROW = 40, 8, 24


def picture(milliseconds):
    """A gray frame with the clock at the top, and a bar that moves below it."""
    bits = [milliseconds >> (BITS - 1 - bit) & 1 for bit in range(BITS)]
    squares = b"".join(bytes([235 if bit else 16]) * SIDE for bit in bits)
    opposites = b"".join(bytes([16 if bit else 235]) * SIDE for bit in bits)
    place = milliseconds // 40 % (WIDTH - 16)
    below = bytes([90]) * place + bytes([180]) * 16 + bytes([90]) * (WIDTH - 16 - place)
    return squares * ROW + opposites * ROW + below * (HEIGHT - 2 * ROW)


class ClockPublisher:
    """ffmpeg that encodes the clock as it goes, with groups of a second and reordered frames, and sends it to an address.

    With another address it sends another rendition there, of a quarter of the bits and without reordered frames.
    """

    def __init__(self, address, log=None, other=None):
        common = ["-pix_fmt", "yuv420p", "-g", str(RATE), "-sc_threshold", "0", "-flags", "+cgop", "-rc-lookahead", "0", "-threads", "1", "-c:a", "aac", "-b:a",
                  "64k", "-muxdelay", "0", "-muxpreload", "0", "-pes_payload_size", "0", "-flush_packets", "1", "-shortest", "-f", "mpegts"]
        if other:
            # With times below zero each output would begin its clock where its own frames let it.
            common[:0] = ["-output_ts_offset", "10"]
        outputs = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", *common, address]
        if other:
            outputs += ["-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-crf", "40", *common, other]
        self.log = open(log, "ab") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "pipe:0",
             "-f", "lavfi", "-i", "sine=frequency=330:sample_rate=48000", *outputs],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.log)
        self.is_running = True
        self.thread = in_background(self.run)

    def run(self):
        started, number = time.monotonic(), 0
        while self.is_running:
            time.sleep(max(0, started + number / RATE - time.monotonic()))
            try:
                self.process.stdin.write(picture(int(time.time() * 1000)))
                self.process.stdin.flush()
            except OSError:
                return
            number += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_running = False
        self.process.kill()
        self.process.wait()
        self.thread.join(5)
