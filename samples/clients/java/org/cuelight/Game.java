package org.cuelight;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The game of a viewer. Each call returns transitions: a JSON array of lines of `cuelight replay --json`, or an empty text. Times are seconds of the
 * player. One thread at a time may use it.
 */
public final class Game implements AutoCloseable {
  private long handle;

  public Game() {
    this(true);
  }

  /** With checksSeals a result counts only if it opens the seal of its question. */
  public Game(boolean checksSeals) {
    handle = Native.createGame(checksSeals);
  }

  /** The version of the library. */
  public static String version() {
    return Native.version();
  }

  /** Receives the copies that the reader's last call found. */
  public String play(Reader reader) {
    return Native.play(open(), reader.open());
  }

  /** Receives an ID3 tag. */
  public String tag(byte[] tag, double presentedAt, double now) {
    return Native.tag(open(), Objects.requireNonNull(tag), presentedAt, now);
  }

  /** Receives a TXXX frame: its value and its description. */
  public String frame(String text, String description, double presentedAt, double now) {
    return Native.frame(open(), utf8(text), utf8(description == null ? "" : description), presentedAt, now);
  }

  public String advance(double now) {
    return Native.advance(open(), now);
  }

  public String seek(double now) {
    return Native.seek(open(), now);
  }

  /** An ad, or the programme after it, begins at a time; now, if that is NaN. */
  public void discontinuity(double time) {
    Native.discontinuity(open(), time);
  }

  public String finish(double now) {
    return Native.finish(open(), now);
  }

  /** Selects an answer, which is JSON: an index, a list of indices, a number. Returns an object with outcome and transitions. */
  public String select(String answer, double now) {
    return Native.select(open(), utf8(answer), now);
  }

  /** The state to show, a JSON object. */
  public String state() {
    return Native.state(open());
  }

  /** When to call advance at the latest; NaN if that is not known. */
  public double nextDeadline() {
    return Native.nextDeadline(open());
  }

  @Override
  public void close() {
    if (handle != 0) Native.destroyGame(handle);
    handle = 0;
  }

  private long open() {
    if (handle == 0) throw new IllegalStateException("the game is closed");
    return handle;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
