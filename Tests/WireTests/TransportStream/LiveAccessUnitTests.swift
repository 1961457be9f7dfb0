import Basics
import Testing

@testable import TransportStream

/// Access units of a stream that is read while it is made.
@Suite struct LiveAccessUnitTests {
  private struct Tracking {
    var tracker: AccessUnitTracker
    var counter: UInt8 = 0

    init(liveStart: MediaTime?, following previous: AccessUnitTracker? = nil, pid: PID = 0x100) {
      tracker = AccessUnitTracker(.init(type: .h264, pid: pid), following: previous, liveStart: liveStart)
    }

    mutating func push(_ time: Int64, decodedAt decodingTime: Int64? = nil, key: Bool = false) throws -> AccessUnitTracker.AccessUnit? {
      let pes = try AccessUnitTrackerTests.unit(time, decodedAt: decodingTime, key: key)
      let packet = TransportPacket.packets(carrying: pes, pid: tracker.pid, counter: &counter)
      let header = try TransportPacket(packet.span)
      return tracker.push(header, payload: packet.span.extracting(header.payload))
    }

    var origin: Int64? { tracker.origin?.ticks }
  }

  @Test func theTimelineBeginsAtItsStart() throws {
    var live = Tracking(liveStart: MediaTime(ticks: 1_000_000))
    #expect(try live.push(896_400)?.isRandomAccess == false)
    #expect(live.origin == nil)
    #expect(try live.push(900_000, key: true)?.isRandomAccess == true)
    #expect(live.origin == -100_000)
  }

  /// Segments start with key frames that no flag marks.
  @Test func everyKeyFrameMatters() throws {
    for (liveStart, later) in [(MediaTime.zero, true), (nil, false)] {
      var tracking = Tracking(liveStart: liveStart)
      #expect(try tracking.push(900_000, key: true)?.isRandomAccess == true)
      #expect(try tracking.push(903_600)?.isRandomAccess == false)
      #expect(try tracking.push(907_200, key: true)?.isRandomAccess == later)
    }
  }

  /// A live stream's jump does not wait for another access unit that confirms it.
  @Test(arguments: [100_000_000, 1_000_000, 800_000, 0] as [Int64]) func aJumpIsBelievedAtOnce(to time: Int64) throws {
    var live = Tracking(liveStart: .zero)
    _ = try live.push(900_000, key: true)
    _ = try live.push(903_600)
    let unit = try live.push(time)
    #expect(unit?.presentationTime.ticks == time && unit?.frameDuration.ticks == 3_600)
    #expect(live.tracker.lastJump?.ticks == time - 903_600 - 3_600)
    #expect(live.origin == time - 7_200)
    #expect(live.tracker.end?.ticks == time + 3_600)
    _ = try live.push(time + 3_600)
    #expect(live.tracker.lastJump == nil && live.origin == time - 7_200)
  }

  /// A short gap, and a small step back, which is a muxer's mistake.
  @Test(arguments: [903_600, 897_000, 993_600, 910_000] as [Int64]) func smallStepsAreNoJump(to time: Int64) throws {
    var live = Tracking(liveStart: .zero)
    _ = try live.push(900_000, key: true)
    _ = try live.push(903_600)
    #expect(try live.push(time)?.presentationTime.ticks == time)
    #expect(live.tracker.lastJump == nil && live.origin == 900_000)
  }

  @Test func aWrapIsNoJump() throws {
    let wrap = TimestampUnwrapper.period
    var live = Tracking(liveStart: .zero)
    _ = try live.push(wrap - 3_600, key: true)
    #expect(try live.push(0)?.presentationTime.ticks == wrap)
    #expect(live.tracker.lastJump == nil && live.origin == wrap - 3_600)
  }

  /// Where another stream tells the time from now on, the programme goes on.
  @Test func anotherStreamContinues() throws {
    var live = Tracking(liveStart: .zero)
    _ = try live.push(900_000, key: true)
    _ = try live.push(903_600)
    var other = Tracking(liveStart: .zero, following: live.tracker, pid: 0x110)
    #expect(other.origin == 900_000)
    #expect(try other.push(907_200, key: true)?.presentationTime.ticks == 907_200)
    #expect(other.origin == 900_000 && other.tracker.lastJump == nil)
    var jumping = Tracking(liveStart: .zero, following: live.tracker, pid: 0x110)
    let unit = try jumping.push(90_000_000, key: true)
    #expect(unit?.presentationTime.ticks == 90_000_000)
    #expect(jumping.origin == 89_992_800)
  }
}
