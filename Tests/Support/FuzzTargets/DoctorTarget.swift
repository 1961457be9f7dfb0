import HLSReading
import StreamDoctor

extension FuzzTarget {
  /// The doctor, on a stream or, where the first byte is odd, on a playlist and a segment behind a NUL: its report does not depend on the pieces.
  static let doctor = FuzzTarget("doctor") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let content = Array(input.rest)
    guard seed & 1 == 0 else {
      var doctor = StreamDoctor(name: "index.m3u8")
      let source = HLSSource(uri: "index.m3u8", mediaSequence: 0)
      for (index, bytes) in content.split(separator: 0, maxSplits: 1).enumerated() {
        if index == 0 {
          doctor.receive(.playlist(Array(bytes), uri: source.uri))
        } else {
          doctor.receive(.begin(HLSPortion.Part(kind: .segment, source: source)))
          doctor.receive(.bytes(bytes))
        }
      }
      _ = doctor.finish()
      return
    }
    try require(report([content]) == report(content.pieces(seed: seed)), "another report in pieces")
  }

  private static func report(_ pieces: [[UInt8]]) -> [String] {
    var doctor = StreamDoctor(name: "stream")
    for piece in pieces { doctor.receive(.bytes(piece[...])) }
    let report = doctor.finish()
    return report.findings.map { "\($0)" } + ["\(report.tags) tags, \(report.events) events"]
  }
}
