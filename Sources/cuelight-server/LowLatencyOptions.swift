import ArgumentParser
import Basics

/// The options of low-latency HLS.
struct LowLatencyOptions: ParsableArguments {
  @Option(
    help:
      "Low-latency HLS: let players load parts of segments that last so many seconds, 0.2 to 1, while a segment is being written; 0 for none."
  )
  var partDuration: String?

  /// How long parts are; `nil` for none.
  ///
  /// - Parameter usual: How long they are if the option is not given.
  func duration(usual: MediaTime? = nil) -> MediaTime? {
    guard let partDuration else { return usual }
    return MediaTime(decimalSeconds: partDuration).flatMap { $0 > .zero ? $0 : nil }
  }

  func validate() throws {
    guard let partDuration else { return }
    let duration = MediaTime(decimalSeconds: partDuration)
    guard let duration, duration == .zero || (MediaTime(ticks: 18_000)...MediaTime(seconds: 1)).contains(duration) else {
      throw ValidationError("--part-duration takes seconds from 0.2 to 1, or 0 for none, not \(partDuration).")
    }
  }
}
