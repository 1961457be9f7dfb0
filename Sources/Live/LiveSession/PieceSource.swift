/// The pieces of a presentation one after the other, for one thread.
final class PieceSource {
  private let buffer: SegmentBuffer
  private var waiting: ArraySlice<SegmentBuffer.Piece> = []
  /// What the buffer was closed with, until it is thrown.
  private var failure: LiveSessionError?
  /// What comes before the segments of fragmented MP4; `nil` where segments are a transport stream.
  var initialization: [UInt8]?

  /// After this number of segments a demuxer is begun anew: libavformat's remembers every frame of a stream.
  private static let mostSegments = 1_000

  init(_ buffer: SegmentBuffer) { self.buffer = buffer }

  /// The next piece, which is waited for; `nil` at the end.
  func next() throws(LiveSessionError) -> SegmentBuffer.Piece? {
    if let failure = failure.take() { throw failure }
    if waiting.isEmpty { waiting = try buffer.take()?[...] ?? [] }
    return waiting.popFirst()
  }

  /// Gives a piece back: it is the next one again.
  func putBack(_ piece: SegmentBuffer.Piece) { waiting = [piece] + waiting }

  /// Leaves out what is left of a segment.
  func skipSegment() throws(LiveSessionError) {
    while let piece = try next() {
      switch piece {
      case .bytes: continue
      case .segmentEnd: return
      case .playlist, .initialization, .discontinuity: return putBack(piece)
      }
    }
  }

  /// The bytes of fragmented MP4 from its beginning on, as far as they belong together.
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
