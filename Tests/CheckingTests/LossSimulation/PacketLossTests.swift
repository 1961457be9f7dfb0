import Testing

@testable import LossSimulation

@Suite struct PacketLossTests {
  static let losses: [PacketLoss] = [
    .random(0.001), .random(0.2), .bursts(length: 1, 0.05), .bursts(length: 10, 0.01), .bursts(length: 50, 0.05), .bursts(length: 2.5, 0.4),
  ]

  /// The rate and the length of bursts are as stated.
  @Test(arguments: losses) func ratesAreAsNamed(loss: PacketLoss) {
    var process = LossProcess(loss, seed: 11)
    let count = 2_000_000
    var (lost, bursts, isLosing) = (0, 0, false)
    for index in 0..<count {
      let isLost = process.isLost(index)
      if isLost { lost += 1 }
      if isLost && !isLosing { bursts += 1 }
      isLosing = isLost
    }
    #expect(abs(Double(lost) / Double(count) - loss.probability) < 0.06 * loss.probability)
    guard case .bursts(let length, _) = loss else { return }
    #expect(abs(Double(lost) / Double(bursts) - length) < 0.06 * length)
  }

  /// The answer for a packet does not depend on the packets asked for before.
  @Test(arguments: losses) func somePacketsMayBeLeftOut(loss: PacketLoss) {
    var (all, some) = (LossProcess(loss, seed: 5), LossProcess(loss, seed: 5))
    let everything = (0..<5_000).map { all.isLost($0) }
    for index in stride(from: 0, to: 5_000, by: 7) { #expect(some.isLost(index) == everything[index]) }
  }

  @Test func possibleLosses() {
    for loss in Self.losses + [.random(0), .random(1), .bursts(length: 1e9, 0.5)] { #expect(loss.isPossible) }
    let impossible: [PacketLoss] = [
      .random(-0.1), .random(1.1), .random(.nan), .bursts(length: 0.5, 0.1), .bursts(length: 2, 1), .bursts(length: 1, 0.6),
      .bursts(length: .infinity, 0.1),
    ]
    for loss in impossible { #expect(!loss.isPossible) }
  }

  @Test func names() {
    #expect(PacketLoss.random(0.01).description == "0.01" && PacketLoss.bursts(length: 50, 0.05).description == "50:0.05")
    #expect(PacketLoss.random(0.001).readableText == "0.1 %" && PacketLoss.random(0.2).readableText == "20 %")
    #expect(PacketLoss.bursts(length: 2.5, 0.01).readableText == "1 % in bursts of 2.5")
  }
}
