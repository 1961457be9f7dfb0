import Basics
import EventSchedule
import PacketStamping
import TestSupport
import Testing

@testable import LossSimulation

@Suite struct LossSweepTests {
  static func sweep(_ policies: [CopyPolicy]) throws -> LossSweep {
    var sweep = LossSweep(SampleGame.plan(), policies: policies)
    let bytes = SampleStream().bytes
    for start in stride(from: 0, to: bytes.count, by: 10_000) {
      try sweep.push(bytes.span.extracting(start..<min(start + 10_000, bytes.count)))
    }
    let end = try sweep.finish()
    #expect(end == MediaTime(ticks: SampleStream().end))
    return sweep
  }

  @Test func moreCopiesLoseLess() throws {
    let rows = try Self.sweep([1, 3, 9].map { CopyPolicy(copies: $0) }).rows([.random(0), .random(0.2)], seed: 1, runs: 200)
    #expect(rows.map { $0.lostEvents }.prefix(3) == [0, 0, 0])
    #expect(rows[3].lostEvents > rows[4].lostEvents && rows[4].lostEvents > rows[5].lostEvents)
    #expect(rows[0].bitRate < rows[1].bitRate && rows[1].bitRate < rows[2].bitRate)
    for row in rows {
      #expect(row.runs == 200 && row.events == 5 && row.runsWithLosses <= row.lostEvents)
      let delays = [row.median, row.percentile95, row.percentile99, row.latest].compactMap { $0 }
      #expect(delays.count == 4 && delays == delays.sorted())
    }
  }

  @Test func theSameSeedsGiveTheSameRows() throws {
    let sweep = try Self.sweep([CopyPolicy()])
    let rows = sweep.rows([.random(0.2)], seed: 1, runs: 9)
    #expect(rows == sweep.rows([.random(0.2)], seed: 1, runs: 9) && rows != sweep.rows([.random(0.2)], seed: 10, runs: 9))
  }

  @Test func itStopsOnRequest() throws {
    var count = 0
    let rows = try Self.sweep([CopyPolicy()]).rows([.random(0.1), .random(0.2), .random(0.3)], seed: 1, runs: 1) {
      count += 1
      return count < 3
    }
    #expect(rows.count == 2)
  }

  @Test func stampedStreamsAreRefused() throws {
    let stamped = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
    var sweep = LossSweep(SampleGame.plan(), policies: [CopyPolicy()])
    #expect(throws: PacketStampingError.self) {
      try sweep.push(stamped.span)
      _ = try sweep.finish()
    }
  }

  @Test func tables() {
    let rows = [
      LossSweep.Row(
        policy: CopyPolicy(copies: 1, refreshInterval: nil), loss: .random(0.01), runs: 100, events: 5, lostEvents: 12, runsWithLosses: 10,
        median: .zero, percentile95: MediaTime(ticks: 9_000), percentile99: MediaTime(ticks: 90_000), latest: MediaTime(ticks: 99_000),
        bitRate: 12_345),
      LossSweep.Row(
        policy: CopyPolicy(), loss: .bursts(length: 50, 0.05), runs: 100, events: 5, lostEvents: 500, runsWithLosses: 100, bitRate: 999),
    ]
    #expect(
      rows.table == [
        "loss                 copies  refresh  kbit/s  lost   of  runs with losses     p50     p95     p99     max",
        "1 %                       1      off    12.3    12  500                10  0.00 s  0.10 s  1.00 s  1.10 s",
        "5 % in bursts of 50       3      2 s     1.0   500  500               100       -       -       -       -",
      ])
    #expect(
      rows.csv.split(separator: "\r\n") == [
        "loss,burst_length,copies,refresh,runs,events,lost_events,runs_with_losses,delay_p50,delay_p95,delay_p99,delay_max,bits_per_second",
        "0.01,,1,off,100,5,12,10,0.000000,0.100000,1.000000,1.100000,12345", "0.05,50.0,3,2,100,5,500,100,,,,,999",
      ])
  }
}
