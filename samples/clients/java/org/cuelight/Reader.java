package org.cuelight;

import java.util.Objects;

/**
 * Finds events in the bytes of a stream. Each call returns what it found: a JSON array of lines of `cuelight inspect --json`, or an empty text. One
 * thread at a time may use it.
 */
public final class Reader implements AutoCloseable {
  private long handle = Native.createReader();

  public String push(byte[] bytes, int offset, int count) {
    return Native.push(open(), Objects.requireNonNull(bytes), offset, count);
  }

  public String startSegment() {
    return Native.startSegment(open());
  }

  public String skip(double seconds) {
    return Native.skip(open(), seconds);
  }

  public String finish() {
    return Native.finishReading(open());
  }

  /** The programme time up to which the stream was read; NaN if that is not known. */
  public double end() {
    return Native.end(open());
  }

  @Override
  public void close() {
    if (handle != 0) Native.destroyReader(handle);
    handle = 0;
  }

  long open() {
    if (handle == 0) throw new IllegalStateException("the reader is closed");
    return handle;
  }
}
