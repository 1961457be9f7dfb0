public import EventReading
import Synchronization

/// Stands between the bytes of an input and their reader, and lets a loss happen to them. The same seed gives the same loss.
///
/// A class: the closures that an input is read through share it, and what was found stays with whoever made it.
public final class LossFilter: Sendable {
  private struct State: Sendable {
    var packets: PacketSimulator
    var flipper: BitFlipper
    /// The first bytes, as long as they do not tell what the container is.
    var prefix: [UInt8] = []
    var container: Container?
    var refused: Container?
    var segments: [UInt64] = []
  }

  private let loss: SimulatedLoss
  private let state: Mutex<State>

  /// A filter for one reading of an input.
  public init(_ loss: SimulatedLoss, seed: UInt64) {
    self.loss = loss
    state = Mutex(State(packets: PacketSimulator(loss, seed: seed), flipper: BitFlipper(loss.flips, seed: seed)))
  }

  /// The container that is no transport stream, where packets of one were to be changed: its bytes passed as they came.
  public var refused: Container? { state.withLock { $0.refused } }

  /// The media sequence numbers of the segments that ``drops(_:)`` was asked about, in order.
  public var segments: [UInt64] { state.withLock { $0.segments } }

  /// Whether a segment of a presentation is lost.
  public func drops(_ mediaSequence: UInt64) -> Bool {
    state.withLock { state in
      if state.segments.last != mediaSequence { state.segments.append(mediaSequence) }
    }
    return loss.segments.contains(mediaSequence)
  }

  /// Takes the next bytes and returns those that are to be read.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes of a stream or of a segment.
  ///   - isLast: Whether the stream or the segment ends with them.
  public func change(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    state.withLock { state in
      var output = loss.concernsPackets ? Self.changePackets(bytes, isLast: isLast, &state) : bytes
      state.flipper.flip(&output)
      return output
    }
  }

  private static func changePackets(_ bytes: [UInt8], isLast: Bool, _ state: inout State) -> [UInt8] {
    var bytes = bytes
    if state.container == nil {
      bytes = state.prefix + bytes
      state.container = Container(startingWith: bytes.span) ?? (isLast && !bytes.isEmpty ? .transportStream : nil)
      state.prefix = state.container == nil ? bytes : []
    }
    guard let container = state.container else { return [] }
    guard container == .transportStream else {
      state.refused = container
      return bytes
    }
    return state.packets.push(bytes.span) + (isLast ? state.packets.finish() : [])
  }
}
