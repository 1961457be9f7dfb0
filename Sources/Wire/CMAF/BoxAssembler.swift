package import Basics

/// Finds the top-level boxes of an input that arrives in chunks of any size.
///
/// Boxes of some types are kept until they are complete, within limits; the bytes of all others are passed on as they arrive. The caller
/// requests each step, and can act between two steps:
///
/// ```swift
/// var position = 0
/// while let step = boxes.next(chunk, &position) {}
/// ```
package struct BoxAssembler: Sendable {
  /// The next thing in the input.
  package enum Step: Equatable, Sendable {
    /// A box begins; only its header is known.
    case header(BoxHeader, start: Int)
    /// A box that was kept is complete. Its header was an earlier step.
    case box(BoxHeader, start: Int, bytes: [UInt8])
    /// A box is too large to be kept: its bytes are passed on.
    case oversized(BoxHeader, start: Int)
    /// A header is wrong, so that the start of the next box is not known: all further bytes are passed on.
    case damaged(ParseError)
    /// Bytes of this or earlier chunks that are passed on: they were held until their box was known.
    case held([UInt8])
    /// Bytes of this chunk that are passed on.
    case passed(Range<Int>)
  }

  /// What is left when the input, or a segment of it, ends.
  package enum Rest: Equatable, Sendable {
    /// Nothing: a box has ended, or its bytes were passed on and it extends to the end.
    case nothing
    /// The beginning of a header.
    case header([UInt8], start: Int)
    /// A box that was kept and extends to the end, so that it is complete.
    case box(BoxHeader, start: Int, bytes: [UInt8])
    /// The beginning of a box that was kept.
    case cut(BoxHeader, start: Int, bytes: [UInt8], size: Int)
    /// A box whose bytes were passed on is incomplete.
    case missing(BoxHeader, start: Int, count: UInt64)
  }

  private enum State: Sendable {
    /// The header of a box is being assembled.
    case header
    /// The header was returned; whether the box is kept is not decided yet.
    case begun(BoxHeader)
    /// The box is kept.
    case keeping(BoxHeader, size: Int?)
    /// The kept bytes are passed on, and then the rest of the box; `nil` if its end is not known.
    case releasing(BoxHeader?)
    /// This number of bytes of a box is passed on; `nil` for all that follow.
    case passing(BoxHeader?, remaining: UInt64?)
  }

  /// The largest size of boxes of a type that are kept, in bytes; 0 for those that are not.
  private let limit: @Sendable (BoxType) -> Int
  private var state = State.header
  private var kept: [UInt8] = []
  /// Where the current box starts.
  private var start = 0
  /// The offset of the next byte in the input.
  package private(set) var offset = 0

  /// Starts at the beginning of an input.
  ///
  /// - Parameter limit: The largest size of boxes of a type that are kept, in bytes; 0 for those that are not.
  package init(keeping limit: @escaping @Sendable (BoxType) -> Int = { _ in 0 }) { self.limit = limit }

  /// The next step in a chunk of the input.
  ///
  /// - Parameter position: The number of bytes of the chunk that were consumed; 0 at its start.
  /// - Returns: `nil` once the whole chunk was consumed.
  package mutating func next(_ chunk: Span<UInt8>, _ position: inout Int) -> Step? {
    while true {
      switch state {
      case .header:
        guard position < chunk.count else { return nil }
        keep(chunk, &position, upTo: BoxHeader.length(startingWith: kept.view))
        if kept.count == BoxHeader.length(startingWith: kept.view) { return readHeader() }
      case .begun(let header):
        if let step = begin(header) { return step }
      case .keeping(let header, let size):
        if kept.count == size {
          let box = Step.box(header, start: start, bytes: kept)
          startBox()
          return box
        }
        if size == nil, kept.count > limit(header.type) { return refuse(header) }
        guard position < chunk.count else { return nil }
        keep(chunk, &position, upTo: size ?? limit(header.type) + 1)
      case .releasing(let header):
        let bytes = kept
        pass(header, header?.size.map { $0 - min(UInt64(bytes.count), $0) })
        return .held(bytes)
      case .passing:
        guard position < chunk.count else { return nil }
        let passed = position..<position + min(skippable, chunk.count - position)
        position = passed.upperBound
        skip(passed.count)
        return .passed(passed)
      }
    }
  }

  /// The number of next bytes that are passed on; `Int.max` if all that follow are. A source need not push bytes that nobody needs: it calls
  /// ``skip(_:)`` instead.
  package var skippable: Int {
    guard case .passing(_, let remaining) = state else { return 0 }
    return remaining.map { Int(clamping: $0) } ?? .max
  }

  /// Skips bytes that the input has and that are not pushed: at most ``skippable``.
  package mutating func skip(_ count: Int) {
    guard case .passing(let header, let remaining) = state else { return }
    let count = min(max(count, 0), skippable)
    advance(by: count)
    pass(header, remaining.map { $0 - min(UInt64(count), $0) })
  }

  /// Ends the input, or a segment: the next byte starts a box.
  ///
  /// - Returns: The incomplete rest.
  package mutating func finish() -> Rest {
    defer { startBox() }
    switch state {
    case .header: return kept.isEmpty ? .nothing : .header(kept, start: start)
    case .keeping(let header, nil): return .box(header, start: start, bytes: kept)
    case .keeping(let header, let size?): return .cut(header, start: start, bytes: kept, size: size)
    case .passing(let header?, let remaining?): return .missing(header, start: start, count: remaining)
    // A pending step does not end a box.
    case .passing, .begun, .releasing: return .nothing
    }
  }

  /// Sets the offset of the next byte, which starts a box.
  package mutating func move(to offset: Int) {
    self.offset = offset
    startBox()
  }

  // MARK: Boxes

  private mutating func readHeader() -> Step {
    do throws(ParseError) {
      let header = try BoxHeader(kept.view, baseOffset: start)
      state = .begun(header)
      return .header(header, start: start)
    } catch {
      state = .releasing(nil)
      return .damaged(error)
    }
  }

  /// Decides whether a box is kept.
  private mutating func begin(_ header: BoxHeader) -> Step? {
    let limit = limit(header.type)
    guard limit <= 0 || header.size ?? 0 <= UInt64(limit) else { return refuse(header) }
    state = limit > 0 ? .keeping(header, size: header.size.map { Int($0) }) : .releasing(header)
    return nil
  }

  private mutating func refuse(_ header: BoxHeader) -> Step {
    state = .releasing(header)
    return .oversized(header, start: start)
  }

  private mutating func pass(_ header: BoxHeader?, _ remaining: UInt64?) {
    kept = []
    if remaining == 0 { startBox() } else { state = .passing(header, remaining: remaining) }
  }

  private mutating func startBox() {
    kept = []
    start = offset
    state = .header
  }

  private mutating func keep(_ chunk: Span<UInt8>, _ position: inout Int, upTo size: Int) {
    let count = min(size - kept.count, chunk.count - position)
    kept.append(copying: chunk.extracting(position..<position + count))
    position += count
    advance(by: count)
  }

  private mutating func advance(by count: Int) { offset = offset.addingSaturated(count) }
}

extension BoxAssembler {
  /// Keeps the box whose header was the last step, regardless of its type, unless it is larger than a limit or does not state its size.
  ///
  /// - Returns: Whether it is kept.
  package mutating func keepBox(upTo limit: Int) -> Bool {
    guard case .begun(let header) = state, let size = header.size, size <= UInt64(max(limit, 0)) else { return false }
    state = .keeping(header, size: Int(size))
    return true
  }
}
