package org.cuelight;

/** Why a stream cannot be read. */
public final class CuelightException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** One of the errors of cuelight.h. */
  public final long code;

  CuelightException(long code, String reason) {
    super(reason);
    this.code = code;
  }

  /** The name of the error, such as CUELIGHT_ERROR_EMPTY. */
  public String name() {
    return Native.errorName(code);
  }
}
