/// The pieces of a presentation in order, for one thread.
final class PieceSource {
  private let buffer: SegmentBuffer
  private var waiting: ArraySlice<SegmentBuffer.Piece> = []
  /// The error of the buffer, until it is thrown.
  private var failure: LiveSessionError?
  /// The initialization segment of fragmented MP4; `nil` if the segments are a transport stream.
  var initialization: [UInt8]?

  /// A demuxer is opened again after this number of segments, since libavformat's remembers every frame of a stream.
  private static let mostSegments = 1_000

  init(_ buffer: SegmentBuffer) { self.buffer = buffer }

  /// Waits for the next piece; `nil` at the end.
  func next() throws(LiveSessionError) -> SegmentBuffer.Piece? {
    if let failure = failure.take() { throw failure }
    if waiting.isEmpty { waiting = try buffer.take()?[...] ?? [] }
    return waiting.popFirst()
  }

  /// Makes a piece the next one again.
  func putBack(_ piece: SegmentBuffer.Piece) { waiting = [piece] + waiting }

  /// Skips the rest of a segment.
  func skipSegment() throws(LiveSessionError) {
    while let piece = try next() {
      switch piece {
      case .bytes: continue
      case .segmentEnd: return
      case .playlist, .initialization, .discontinuity: return putBack(piece)
      }
    }
  }

  /// The bytes of fragmented MP4, from the initialization segment up to the next discontinuity.
  var fragments: () -> ArraySlice<UInt8>? {
    var beginning = initialization?[...]
    var count = 0
    return { [self] in
      if let bytes = beginning.take() { return bytes }
      do throws(LiveSessionError) {
        while count < Self.mostSegments, let piece = try next() {
          switch piece {
          case .bytes(let bytes): return bytes
          case .segmentEnd: count += 1
          case .playlist, .initialization, .discontinuity:
            putBack(piece)
            return nil
          }
        }
      } catch {
        failure = error
      }
      return nil
    }
  }
}
