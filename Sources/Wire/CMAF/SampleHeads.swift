import Basics
import NALUnits

/// Looks at the start of each sample of a video track, as the bytes behind a movie fragment come.
struct SampleHeads: Sendable {
  private var expected: FragmentSamples?
  /// The sample that comes next, or has begun.
  private var index = 0
  private var head: AccessUnitHead?

  /// Samples are looked at in pieces of this number of bytes: the first slice comes soon.
  private static let pieceSize = 256

  /// Receives where the samples of a fragment will be. Those of the fragment before come no more.
  mutating func expect(_ samples: FragmentSamples?) { (expected, index, head) = (samples, 0, nil) }

  /// How many bytes from an offset on are not needed; `Int.max` if none is that follows.
  func skippable(at offset: Int) -> Int {
    guard let expected, index < expected.samples.count else { return .max }
    return head == nil ? max(expected.samples[index].place.lowerBound - offset, 0) : 0
  }

  /// Receives bytes of the input, and appends the tags in them.
  mutating func push(_ bytes: Span<UInt8>, at offset: Int, _ items: inout [FragmentItem]) {
    guard let expected else { return }
    var position = offset
    let end = offset + bytes.count
    while index < expected.samples.count, position < end {
      let sample = expected.samples[index]
      // Samples whose start has gone by, which follow none or lie in no order, are left out.
      guard head != nil || sample.place.lowerBound >= position, position < sample.place.upperBound else {
        startNext()
        continue
      }
      position = head == nil ? sample.place.lowerBound : position
      guard position < end else { return }
      let pieceEnd = min(position + Self.pieceSize, sample.place.upperBound, end)
      let progress = push(bytes.extracting(position - offset..<pieceEnd - offset), expected.layout)
      position = pieceEnd
      if progress == .incomplete, position < sample.place.upperBound { continue }
      if case .found = progress, let tags = head?.tags, !tags.isEmpty {
        items.append(.tags(tags, time: sample.presentationTime, offset: sample.place.lowerBound))
      }
      startNext()
    }
  }

  private mutating func push(_ piece: Span<UInt8>, _ layout: NALUnitLayout) -> AccessUnitHead.Progress {
    var head = self.head.take() ?? AccessUnitHead(layout.codec, .lengths(layout.lengthSize))
    let progress = head.push(piece)
    self.head = head
    return progress
  }

  private mutating func startNext() {
    index += 1
    head = nil
  }
}
