import ArgumentParser
import Basics

/// The options of low-latency HLS.
struct LowLatencyOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "Low-latency HLS: let players load parts of segments that last so many seconds, 0.2 to 1, while a segment is being written.")
  var partDuration: String?

  /// How long parts are; `nil` for none.
  var duration: MediaTime? { partDuration.flatMap { MediaTime(decimalSeconds: $0) } }

  func validate() throws {
    guard let partDuration else { return }
    guard let duration, (MediaTime(ticks: 18_000)...MediaTime(seconds: 1)).contains(duration) else {
      throw ValidationError("--part-duration takes seconds from 0.2 to 1, not \(partDuration).")
    }
  }
}
