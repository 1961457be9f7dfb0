import Basics
import NALUnits

/// Searches the start of each sample of a video track while the bytes after a movie fragment arrive.
struct SampleHeads: Sendable {
  private var expected: FragmentSamples?
  /// The current or next sample.
  private var index = 0
  private var head: AccessUnitHead?
  /// Whether user data is searched for, rather than tags.
  private let wantsUserData: Bool

  /// Samples are searched in chunks of this number of bytes, because the first slice is near the start.
  private static let chunkSize = 256

  /// Searches for tags, or for user data that is no tag.
  init(forUserData wantsUserData: Bool) { self.wantsUserData = wantsUserData }

  /// Receives the ranges of the samples of a fragment. Samples of the previous fragment are no longer expected.
  mutating func expect(_ samples: FragmentSamples?) { (expected, index, head) = (samples, 0, nil) }

  /// The number of bytes from an offset on that are not needed; `Int.max` if none of the rest is.
  func skippable(at offset: Int) -> Int {
    guard let expected, index < expected.samples.count else { return .max }
    return head == nil ? max(expected.samples[index].place.lowerBound - offset, 0) : 0
  }

  /// Receives bytes of the input, and appends what is found in them.
  mutating func push(_ bytes: Span<UInt8>, at offset: Int, _ items: inout [FragmentItem]) {
    guard let expected else { return }
    var position = offset
    let end = offset + bytes.count
    while index < expected.samples.count, position < end {
      let sample = expected.samples[index]
      // Samples whose start has passed already are left out: they overlap others or are out of order.
      guard head != nil || sample.place.lowerBound >= position, position < sample.place.upperBound else {
        startNext()
        continue
      }
      position = head == nil ? sample.place.lowerBound : position
      guard position < end else { return }
      let pieceEnd = min(position + Self.chunkSize, sample.place.upperBound, end)
      let progress = push(bytes.extracting(position - offset..<pieceEnd - offset), expected.layout)
      position = pieceEnd
      if progress == .incomplete, position < sample.place.upperBound { continue }
      if case .found = progress { append(of: sample, &items) }
      startNext()
    }
  }

  /// Appends what the start of a sample has.
  private func append(of sample: FragmentSamples.Sample, _ items: inout [FragmentItem]) {
    guard let head else { return }
    let (time, offset) = (sample.presentationTime, sample.place.lowerBound)
    guard wantsUserData else {
      let tags = head.tags
      return tags.isEmpty ? () : items.append(.tags(tags, time: time, offset: offset))
    }
    let data = head.userData
    if !data.isEmpty { items.append(.userData(data, time: time, offset: offset)) }
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
