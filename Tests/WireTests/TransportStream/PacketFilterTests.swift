import Basics
import Testing
import TransportStream

@Suite struct PacketFilterTests {
  /// What passes a filter that wants `interest` of the PID, by the bits of a packet's header.
  @Test func wantsWhatTheInterestSays() {
    var filter = PacketFilter(.none)
    filter[0x101] = .unitStarts
    filter[0x1102] = .all
    #expect([filter[0x100], filter[0x101], filter[0x1102], filter[0x1FFF]] == [.none, .unitStarts, .all, .none])
    for (flags, control, concerns) in [
      (0x00, 0x10, false), (0x40, 0x10, true), (0x80, 0x10, true), (0x00, 0x30, true), (0x00, 0x20, true), (0x20, 0xDF, false),
    ] as [(UInt8, UInt8, Bool)] {
      func wants(_ pid: PID) -> Bool {
        filter.wants(([0x47, flags | UInt8(pid >> 8), UInt8(pid & 0xFF), control] + [UInt8](repeating: 0xFF, count: 184)).span)
      }
      #expect([wants(0x100), wants(0x101), wants(0x1102)] == [false, concerns, true])
    }
  }

  /// Of any stream, the wanted packets are handed over one by one, the others in pieces, and all of it in order.
  @Test(arguments: PacketFramer.Framing.allCases, [1, 100, 1_000, 100_000])
  func handsOverAllOfAStream(framing: PacketFramer.Framing, chunk: Int) {
    var random = SeededNumbers(seed: UInt64(framing.stride + chunk))
    var filter = PacketFilter(.none)
    filter[0x1FFF] = .unitStarts
    filter[0x0011] = .all
    var (stream, wanted): ([UInt8], [Int]) = ([], [])
    for _ in 0..<500 {
      var unit = [UInt8](repeating: 0x55, count: framing.stride)
      let header: [UInt8] = [
        0x47, [0x00, 0x1F, 0x5F, 0x9F].randomElement(using: &random) ?? 0, [0x11, 0xFF].randomElement(using: &random) ?? 0,
        [0x10, 0x10, 0x10, 0x30].randomElement(using: &random) ?? 0,
      ]
      unit.replaceSubrange(framing.packetStart..<framing.packetStart + 4, with: header)
      if filter.wants(unit.span.extracting(framing.packetRange)) { wanted.append(stream.count) }
      stream += unit
    }
    var framer = PacketFramer()
    var (output, found): ([UInt8], [Int]) = ([], [])
    func take(_ units: Span<UInt8>, _ offset: Int) {
      #expect(offset == output.count)
      output.append(copying: units)
    }
    for start in stride(from: 0, to: stream.count, by: chunk) {
      framer.push(stream.span.extracting(start..<min(start + chunk, stream.count)), filter: &filter) { unit, offset, _, _ in
        found.append(offset)
        take(unit, offset)
      } passed: {
        take($0, $1)
      } skip: {
        Issue.record("\($0) were skipped")
      }
    }
    framer.finish(filter: &filter) { unit, offset, _, _ in
      found.append(offset)
      take(unit, offset)
    } passed: {
      take($0, $1)
    } skip: {
      Issue.record("\($0) were skipped")
    }
    #expect(output == stream)
    #expect(found == wanted)
  }
}
