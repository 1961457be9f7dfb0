import Basics
import TransportStream

/// Loses, duplicates and swaps the packets of a transport stream, in bounded memory.
struct PacketSimulator: Sendable {
  private let loss: SimulatedLoss
  private var framer = PacketFramer()
  private var processes: [LossProcess]
  private let swaps: SeededNumbers
  private let swapChance: Chance
  private let repeats: SeededNumbers
  private let repeatChance: Chance
  private var times: ProgrammeTimes?
  /// The number of packets before the next one.
  private var index = 0
  /// A packet, or its two copies, to be sent after the next one.
  private var held: [UInt8] = []

  init(_ loss: SimulatedLoss, seed: UInt64) {
    self.loss = loss
    processes = loss.packetLosses.enumerated().map { LossProcess($1, seed: seed, purpose: UInt64($0)) }
    swaps = SeededNumbers(seed: seed, purpose: 1_000)
    swapChance = Chance(loss.reorders)
    repeats = SeededNumbers(seed: seed, purpose: 1_001)
    repeatChance = Chance(loss.duplicates)
    times = loss.ranges.isEmpty ? nil : ProgrammeTimes()
  }

  /// Returns the packets of the next bytes that arrive. Bytes outside of packets are dropped.
  ///
  /// - Parameter isLast: Whether the stream or a segment ends with these bytes.
  mutating func push(_ bytes: Span<UInt8>, isLast: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var framer = framer
    framer.push(bytes) { packet, _ in
      send(packet, &output)
    } skip: { _ in
    }
    if isLast {
      framer.finish { packet, _ in
        send(packet, &output)
      } skip: { _ in
      }
      framer = PacketFramer()
      output += held
      held = []
    }
    self.framer = framer
    return output
  }

  private mutating func send(_ packet: Span<UInt8>, _ output: inout [UInt8]) {
    let number = UInt64(index)
    var isLost = false
    for position in processes.indices where processes[position].isLost(index) { isLost = true }
    index += 1
    if let time = times?.time(of: packet), loss.ranges.contains(where: { $0.contains(time) }) { isLost = true }
    guard !isLost else { return }
    let isRepeated = repeatChance.includes(repeats[number])
    if held.isEmpty, swapChance.includes(swaps[number]) {
      held.append(packet, times: isRepeated ? 2 : 1)
      return
    }
    output.append(packet, times: isRepeated ? 2 : 1)
    guard !held.isEmpty else { return }
    output += held
    held.removeAll(keepingCapacity: true)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ packet: Span<UInt8>, times: Int) {
    for _ in 0..<times { append(copying: packet) }
  }
}

/// Flips bits of a stream.
struct BitFlipper: Sendable {
  private var numbers: SeededNumbers
  private let gaps: Gaps
  /// The number of bits before the next one that is flipped; `nil` if none is.
  private var remaining: Int?

  init(_ probability: Double, seed: UInt64) {
    numbers = SeededNumbers(seed: seed, purpose: 1_002)
    gaps = Gaps(probability)
    remaining = probability > 0 ? gaps.gap(numbers.next()) : nil
  }

  /// Flips bits of the next bytes.
  mutating func flip(_ bytes: inout [UInt8]) {
    guard var position = remaining else { return }
    let count = bytes.count * 8
    while position < count {
      bytes[position / 8] ^= 0x80 >> UInt8(position % 8)
      let (sum, overflows) = position.addingReportingOverflow(1 + gaps.gap(numbers.next()))
      position = overflows ? .max : sum
    }
    remaining = position - count
  }
}
