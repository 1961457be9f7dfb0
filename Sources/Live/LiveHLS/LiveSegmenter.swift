package import Basics
package import EventSchedule
package import GameEvents
package import LiveGame
package import PacketStamping
package import TransportStream

/// A complete segment of a live stream.
package struct LiveSegment: Equatable, Sendable {
  /// Whole transport packets, from a PAT and a PMT on; or the main track's part, where each stream has a track.
  package var bytes: [UInt8]
  /// What audio in tracks of its own has in it; `nil` where a track has nothing.
  package var audio: [[UInt8]?] = []
  /// How it is coded, where that is new and each stream has a track.
  package var program: LiveProgram?
  /// What other renditions have of it; `nil` where one has nothing.
  package var variants: [Part?] = []
  /// When its first access unit is presented, on the programme's timeline.
  package var start: MediaTime
  /// The time to the start of the next segment; to the end of the last access unit, where a discontinuity or the end follows.
  package var duration: MediaTime
  /// Why it starts where it does.
  package var boundary: SegmentClock.Boundary
  /// Whether decoding can start with it.
  package var isIndependent: Bool
  /// Whether it starts with an open group of pictures: some of its pictures need the segment before.
  package var isGroupOpen = false
  /// How many access units it has of the stream that tells the time.
  package var unitCount = 0
  /// The events that it has copies of.
  package var guids: [GUID]
  /// The target duration of its playlist in seconds.
  package var targetDuration: UInt64
  /// Its last parts, which were not handed out before; none without low-latency HLS.
  package var parts: [LivePart] = []
  /// When the access unit is presented that the next segment starts with, on the stream's clock in 33 bits; `nil` where nothing goes on behind it.
  package var nextTimestamp: UInt64?
  /// The events whose bursts go on behind it, in the order of their first copies.
  package var bursts: [JournalRecord.SegmentRecord.Burst] = []

  /// What another rendition has of a segment.
  package struct Part: Equatable, Sendable {
    package var bytes: [UInt8]
    /// How it is coded, where that is new and each stream has a track.
    package var program: LiveProgram?
    /// Whether it starts with an open group of pictures.
    package var isGroupOpen = false
    /// Its last parts, which were not handed out before; none without low-latency HLS.
    package var parts: [LivePart] = []

    package init(bytes: [UInt8], program: LiveProgram?) { (self.bytes, self.program) = (bytes, program) }
  }
}

/// Cuts a stamped transport stream into segments, each of which can be decoded by itself: it starts with the program's tables.
package struct LiveSegmenter: LiveOutput, Sendable {
  private struct Open: Sendable {
    var start: MediaTime
    var boundary: SegmentClock.Boundary
    var isIndependent: Bool
    var unitCount = 0
    var bytes: [UInt8] = []
    var guids: [GUID] = []
    /// Whether its first picture starts a closed group, as far as that is known.
    var group = GroupStart()
    /// The parts that are complete, until they are taken, and how many there were before.
    var parts: [LivePart] = []
    var partCount = 0
    /// Where the open part begins in the bytes, and whether decoding can start in it.
    var partStart = 0
    var isPartIndependent: Bool

    init(start: MediaTime, boundary: SegmentClock.Boundary, isIndependent: Bool) {
      (self.start, self.boundary, self.isIndependent, isPartIndependent) = (start, boundary, isIndependent, isIndependent)
    }

    /// Completes the open part; the next one begins with what comes.
    mutating func endPart(_ duration: MediaTime, target: MediaTime, isNextIndependent: Bool) {
      parts.append(
        LivePart(
          bytes: Array(bytes[partStart...]), number: partCount, segmentStart: start, boundary: boundary, duration: duration,
          isIndependent: isPartIndependent, target: target))
      (partCount, partStart, isPartIndependent) = (partCount + 1, bytes.count, isNextIndependent)
    }
  }

  /// The PID of the program's PMT.
  package var pmtPID: PID?
  /// The segments that are complete, until they are taken.
  private var complete: [LiveSegment] = []
  private var open: Open?
  /// The packets of the latest PAT and PMT, by their PID.
  private var tables: [PID: [[UInt8]]] = [:]
  /// Says which PIDs carry tables: the first PMT may come before anybody knows its PID.
  private var programs = ProgramTables()
  /// The continuity counters of tables: their repetitions at the start of segments count too.
  private var counters: [PID: UInt8] = [:]
  /// The number of packets on each PID that are in a segment before they come.
  private var expected: [PID: Int] = [:]
  private var end = MediaTime.zero
  private var targetDuration: UInt64 = 1
  /// The bursts that go on.
  private var bursts: [JournalRecord.SegmentRecord.Burst]
  /// Where parts end; `nil` without low-latency HLS.
  private var partClock: PartClock?

  /// A segment that would become larger than this (in bytes) is dropped: no sound stream has such segments.
  private static let largestSegment = 256 << 20
  /// The most packets of a table that are repeated at the start of segments.
  private static let mostTablePackets = 24

  /// A segmenter before the first packet.
  ///
  /// - Parameters:
  ///   - partDuration: How long the parts of segments should be; `nil` for none.
  ///   - bursts: Those that an earlier session has begun and that go on, in the order of their first copies.
  package init(partDuration: MediaTime? = nil, goingOnWith bursts: [JournalRecord.SegmentRecord.Burst] = []) {
    partClock = partDuration.map { PartClock(duration: $0) }
    self.bursts = bursts
  }

  /// Gives back the segments that are complete, once.
  package mutating func takeSegments() -> [LiveSegment] {
    defer { complete = [] }
    return complete
  }

  /// Gives back the complete parts of the open segment, once.
  package mutating func takeParts() -> [LivePart] {
    defer { open?.parts = [] }
    return open?.parts ?? []
  }

  /// Gives back the bytes of the open segment so far, once: for who makes segments of another kind of them.
  package mutating func takePortion() -> [UInt8] {
    defer { open?.bytes = [] }
    return open?.bytes ?? []
  }

  package mutating func follow(pmtPID: PID) { self.pmtPID = pmtPID }

  package mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    targetDuration = unit.targetDuration
    if let boundary = unit.boundary {
      // Where nothing came for a while, the segment ends with what has come.
      let next = boundary == .discontinuity ? nil : TimestampUnwrapper.timestamp(of: unit.presentationTime)
      finish(at: boundary == .discontinuity ? min(unit.time, end) : unit.time, nextTimestamp: next)
      open = Open(start: unit.time, boundary: boundary, isIndependent: unit.isRandomAccess)
      partClock?.beginSegment(unit)
      repeatTables()
    } else if let duration = partClock?.push(unit), let target = partClock?.target {
      open?.endPart(duration, target: target, isNextIndependent: unit.isRandomAccess)
      repeatTables()
    } else if unit.isRandomAccess {
      open?.isPartIndependent = true
    }
    open?.unitCount += 1
    end = max(end, unit.time + unit.frameDuration)
    for copy in copies where open?.guids.contains(copy.copy.event.guid) == false { open?.guids.append(copy.copy.event.guid) }
    for copy in copies where !copy.copy.isRefresh { follow(copy.copy) }
  }

  /// Follows the burst of an event.
  private mutating func follow(_ copy: EventCopy) {
    if copy.copy == 1 {
      bursts.append(.init(guid: copy.event.guid, copies: 1))
    } else if let index = bursts.firstIndex(where: { $0.guid == copy.event.guid }) {
      bursts[index].copies = copy.copy
    }
    if copy.copy == copy.copies { bursts.removeAll { $0.guid == copy.event.guid } }
  }

  /// Each segment and each part can be read by itself.
  private mutating func repeatTables() {
    for pid in [ProgramAssociationTable.pid, pmtPID].compactMap({ $0 }) {
      for packet in tables[pid] ?? [] { append(packet.span, of: pid) }
    }
  }

  /// A segment need not have a constant bit rate: its tags go in front of their access unit, in the segment that presents their time.
  package mutating func expect(_ packets: Span<UInt8>) {
    for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
      expected[TransportPacket.pid(of: packets.extracting(start..<start + TransportPacket.size)), default: 0] += 1
    }
    open?.bytes.append(copying: packets)
  }

  package mutating func write(_ packets: Span<UInt8>) {
    if open?.group.isKnown == false { findGroup(packets) }
    var start = 0
    while start + TransportPacket.size <= packets.count {
      let packet = packets.extracting(start..<start + TransportPacket.size)
      let pid = TransportPacket.pid(of: packet)
      if programs.follows(pid) {
        keep(packet, of: pid)
        append(packet, of: pid)
      } else if let count = expected[pid] {
        expected[pid] = count > 1 ? count - 1 : nil
      } else if open != nil {
        open?.bytes.append(copying: packet)
      }
      start += TransportPacket.size
    }
    if let count = open?.bytes.count, count > Self.largestSegment { open = nil }
  }

  /// Ends the segment that is open: the input has ended, or nothing comes from it.
  ///
  /// - Parameters:
  ///   - time: Where the next segment starts, on the programme's timeline; `nil` for the end of the last access unit.
  ///   - nextTimestamp: When that is on the stream's clock, where it goes on.
  package mutating func finish(at time: MediaTime? = nil, nextTimestamp: UInt64? = nil) {
    guard var open = open.take() else { return }
    let duration = (time ?? end) - open.start
    guard duration > .zero else { return }
    if let target = partClock?.target, let last = partClock?.lastPart(ofSegment: duration) {
      open.endPart(last, target: target, isNextIndependent: false)
    }
    var segment = LiveSegment(
      bytes: open.bytes, start: open.start, duration: duration, boundary: open.boundary,
      isIndependent: open.isIndependent, guids: open.guids, targetDuration: targetDuration)
    (segment.unitCount, segment.isGroupOpen) = (open.unitCount, open.group.isOpen)
    segment.parts = open.parts
    segment.nextTimestamp = nextTimestamp
    segment.bursts = bursts
    complete.append(segment)
  }

  /// Looks whether the segment that has begun needs pictures from before it.
  private mutating func findGroup(_ packets: Span<UInt8>) {
    let program = programs.programAssociation?.programs.first { $0.pmtPID == pmtPID }
    guard let video = program.flatMap({ programs.maps[$0.number] })?.referenceStream else { return }
    for start in stride(from: 0, to: packets.count - TransportPacket.size + 1, by: TransportPacket.size) {
      let packet = packets.extracting(start..<start + TransportPacket.size)
      if TransportPacket.pid(of: packet) == video.pid { open?.group.push(packet, video.type) }
    }
  }

  /// Keeps a packet of a table, for the starts of segments.
  private mutating func keep(_ packet: Span<UInt8>, of pid: PID) {
    if let header = try? TransportPacket(packet), !header.hasError {
      _ = programs.push(header, payload: packet.extracting(header.payload))
    }
    let startsSection = packet[1] & 0x40 != 0
    guard startsSection || tables[pid] != nil else { return }
    if startsSection { tables[pid] = [] }
    guard (tables[pid]?.count ?? 0) < Self.mostTablePackets else { return }
    tables[pid]?.append([UInt8](copying: packet))
  }

  /// Appends a packet of a table. Its continuity counter goes on from the packet before on its PID, repetitions included.
  private mutating func append(_ packet: Span<UInt8>, of pid: PID) {
    guard open != nil else { return }
    var bytes = [UInt8](copying: packet)
    let counter = counters[pid] ?? 0
    // A packet without a payload has the counter of the one before.
    let hasPayload = bytes[3] & 0x10 != 0
    bytes[3] = bytes[3] & 0xF0 | (hasPayload ? counter : (counter &+ 15) & 0x0F)
    if hasPayload { counters[pid] = (counter + 1) & 0x0F }
    open?.bytes += bytes
  }
}
