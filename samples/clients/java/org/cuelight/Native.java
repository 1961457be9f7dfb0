package org.cuelight;

/** The functions of cuelight.h, by JNI. */
final class Native {
  static {
    System.loadLibrary("cuelight_jni");
  }

  private Native() {}

  static native String version();

  static native String errorName(long code);

  static native long createReader();

  static native void destroyReader(long reader);

  /** The items that were found, a JSON array, or an empty text; fails with CuelightException. */
  static native String push(long reader, byte[] bytes, int offset, int count);

  static native String startSegment(long reader);

  static native String skip(long reader, double seconds);

  static native String finishReading(long reader);

  static native double end(long reader);

  static native long createGame(boolean checksSeals);

  static native void destroyGame(long game);

  static native String play(long game, long reader);

  static native String tag(long game, byte[] tag, double presentedAt, double now);

  static native String frame(long game, byte[] text, byte[] description, double presentedAt, double now);

  static native String advance(long game, double now);

  static native String seek(long game, double now);

  static native void discontinuity(long game, double time);

  static native String finish(long game, double now);

  static native String select(long game, byte[] answer, double now);

  static native String state(long game);

  static native double nextDeadline(long game);
}
