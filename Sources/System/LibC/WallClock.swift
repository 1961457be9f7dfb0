/// The time of day.
package enum WallClock {
  /// Milliseconds since 1970.
  package static var now: Int64 {
    var time = timespec()
    // Unsafe: C writes the time into this variable, and keeps no reference to it.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
