import Basics
import GameEvents
import StateMachine

extension FuzzTarget {
  /// A game of any copies: a line each, first a byte that says by how many seconds time goes on before it comes. No order of events and no time
  /// traps, the log stays within its bounds, going on leads to the same state as folding everything again, and unverified copies change nothing of a
  /// game with verified ones.
  static let game = FuzzTarget("game") { bytes in
    let limits = EventLog.Limits(entries: 8, games: 2, bytes: 20_000)
    var machine = GameStateMachine(limits: limits) { seal, salt, _, right in seal == "\(salt):\(right.sealedText)" }
    var time = MediaTime.zero
    for line in bytes.split(separator: 0x0A) {
      let step = line.first ?? 0
      guard let copy = try? EventCopy(parsing: String(decoding: line.dropFirst(), as: UTF8.self), description: "") else {
        time += MediaTime(seconds: Int(step))
        _ = step & 1 == 0 ? machine.advance(to: time) : machine.seek(to: time - MediaTime(seconds: 300))
        _ = machine.select(answer: Int(step & 7), at: time)
        continue
      }
      let told = copy.programmeTime ?? time
      let (now, wasVerified) = (step & 0x80 == 0 ? told : time, machine.state.game.map { machine.log.isVerified($0) } ?? false)
      _ = machine.advance(to: now)
      let before = machine.state
      _ = machine.receive(copy, at: now)
      if wasVerified, before.phase != .ended, !copy.isVerified, machine.log.games.contains(where: { $0 == before.game }) {
        try require(machine.state == before, "an unverified copy has changed the game")
      }
      var again = machine
      _ = again.seek(to: machine.time ?? now)
      try require(again.state == machine.state, "folding again leads to another state")
      time = max(time, told) + MediaTime(seconds: Int(step & 0x7F))
      try require(machine.log.games.count <= limits.games, "\(machine.log.games.count) games")
      // Beside the entries, what the state is made of: 16 starts and four others.
      for game in machine.log.games { try require(machine.log.entries(of: game).count <= 10 + 20, "too many entries of \(game)") }
    }
    _ = (machine.advance(to: MediaTime(ticks: .max)), machine.finish(), machine.counters, machine.state)
  }
}
