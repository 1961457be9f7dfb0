package import Basics
import CMAF
package import EventSchedule
import GameEvents
import HLSPlaylist
package import LiveGame
package import PacketStamping
package import Stamping
package import TransportStream

/// Cuts a stamped transport stream into segments and their parts, as transport streams or as fragmented MP4.
///
/// It alone knows which segment and which part are open. Its tracks make the bytes. Those of fragmented MP4 may complete a segment a little later, since
/// audio arrives after the video that it belongs to.
package struct LiveSegmenter: LiveOutput, Sendable {
  /// Makes the bytes of a transport stream; `nil` for fragmented MP4.
  private var packets: TransportStreamTrack?
  /// Makes the bytes of fragmented MP4; `nil` before the first stretch.
  private var fragments: FragmentTracks?
  /// Whether audio gets tracks of its own beside the video.
  private let hasAudio: Bool
  /// The indices of the tracks that the playlists list.
  private var listed = [0]
  private var pending: [PendingSegment] = []
  /// The segments that are complete, until they are taken.
  private var complete: [LiveSegment] = []
  /// What an operator should know, until it is taken, and the streams that were left out lately.
  private var notices: [String] = []
  private var leftOut: Set<String> = []
  /// Packets of audio that came before the first picture of a stretch, which may belong to it: no more than ``mostEarlyBytes``.
  private var early: [UInt8] = []
  /// How many bytes have come for the open segment.
  private var openByteCount = 0
  private var pmtPID: PID?
  /// The PID of the stream that tells the time.
  private var leadingPID: PID?
  /// Says which PIDs carry tables: the first PMT may come before anybody knows its PID.
  private var programs = ProgramTables()
  private var end = MediaTime.zero
  private var targetDuration: UInt64 = 1
  /// Whether a stretch begins with the next segment: nothing that comes continues what is there.
  private var isInterrupted = true
  /// Whether the next segment does not continue the last one that there is.
  private var owesDiscontinuity = false
  private var hasSegments: Bool
  /// The bursts that go on.
  private var bursts: [JournalRecord.SegmentRecord.Burst]
  /// Where parts end; `nil` without low-latency HLS.
  private var partClock: PartClock?

  /// A segment that would become larger than this (in bytes) is dropped: no sound stream has such segments.
  private static let largestSegment = 256 << 20

  /// Two seconds of several tracks of audio.
  private static let mostEarlyBytes = 1 << 20

  /// When the timeline origin is presented in fragments.
  package static let fragmentOrigin = FragmentTracks.origin

  /// A segmenter before the first packet.
  ///
  /// - Parameters:
  ///   - type: What the segments are.
  ///   - hasAudio: Whether audio gets tracks of its own beside the video; only fragmented MP4 has them.
  ///   - partDuration: How long the parts of segments should be; `nil` for none.
  ///   - goesOn: Whether segments of another process are there that it continues.
  ///   - bursts: Those that an earlier session has begun and that go on, in the order of their first copies.
  package init(
    _ type: SegmentType = .transportStream, hasAudio: Bool = true, partDuration: MediaTime? = nil, goesOn: Bool = false,
    goingOnWith bursts: [JournalRecord.SegmentRecord.Burst] = []
  ) {
    packets = type == .transportStream ? TransportStreamTrack() : nil
    (self.hasAudio, self.bursts, hasSegments) = (hasAudio, bursts, goesOn)
    partClock = partDuration.map { PartClock(duration: $0) }
  }

  // MARK: Output

  /// Gives back the segments that are complete, once.
  package mutating func takeSegments() -> [LiveSegment] {
    defer { complete = [] }
    return complete
  }

  /// Gives back the complete parts of the segment that comes next, once.
  package mutating func takeParts() -> [LivePart] {
    guard complete.isEmpty, !pending.isEmpty, !pending[0].holdsParts else { return [] }
    return pending[0].takeParts(listed: listed)
  }

  /// Gives back what an operator should know, once.
  package mutating func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  // MARK: Input

  package mutating func follow(pmtPID: PID, leadingPID: PID?) {
    (self.pmtPID, self.leadingPID) = (pmtPID, leadingPID)
    packets?.pmtPID = pmtPID
  }

  /// Receives copies that go in front of the segment that comes next, in the one that is open.
  package mutating func add(_ copies: [EventSchedule.TimedCopy]) {
    guard !isInterrupted else { return }
    let open = pending.count - 1
    for copy in copies where !pending[open].guids.contains(copy.copy.event.guid) {
      pending[open].guids.append(copy.copy.event.guid)
      // A segment is lost as a whole, so that repeats within one protect nothing. An event that cannot be written was refused before.
      if fragments != nil, let message = try? EventMessageBox.bytes(of: copy, origin: Self.fragmentOrigin) { fragments?.add(message) }
    }
  }

  package mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    targetDuration = unit.targetDuration
    var startsPart = false
    if let boundary = unit.boundary {
      // After a time without anything, the segment ends with what has come.
      let isBroken = boundary == .discontinuity
      endSegment(at: isBroken ? min(unit.time, end) : unit.time, isBroken ? nil : TimestampUnwrapper.timestamp(of: unit.presentationTime))
      let hasOtherStreams = fragments.map { !$0.isMade(of: streams) } ?? false
      owesDiscontinuity = owesDiscontinuity || isBroken || hasOtherStreams
      let startsStretch = isBroken || isInterrupted || hasOtherStreams
      isInterrupted = startsStretch && !beginStretch()
      if !isInterrupted {
        pending.append(PendingSegment(unit, owesDiscontinuity ? .discontinuity : boundary, holdsParts: startsStretch && packets == nil))
        owesDiscontinuity = false
      }
      partClock?.beginSegment(unit)
      openByteCount = 0
    } else if !isInterrupted {
      if let duration = partClock?.push(unit), let target = partClock?.target {
        pending[pending.count - 1].endPart(duration, target: target, isNextIndependent: unit.isRandomAccess)
        startsPart = true
      } else if unit.isRandomAccess {
        pending[pending.count - 1].isPartIndependent = true
      }
    }
    if unit.boundary != nil || startsPart, let bytes = packets?.cut() { appendPackets(bytes, isNew: unit.boundary != nil) }
    fragments?.begin(unit, unit.boundary != nil ? .segment : startsPart ? .part : nil)
    if fragments != nil, !early.isEmpty {
      let held = early
      early = []
      held.span.forEachPacket { packet in
        let pid = TransportPacket.pid(of: packet)
        fragments?.push(packet, of: pid)
      }
    }
    end = max(end, unit.time + unit.frameDuration)
    for copy in copies where !copy.copy.isRefresh { follow(copy.copy) }
    if !isInterrupted {
      pending[pending.count - 1].unitCount += 1
      pending[pending.count - 1].latestDecoding = unit.decodingTime
    }
    add(copies)
    collect()
  }

  /// Begins a stretch, in which the stream's clock goes on; returns whether there is anything to make segments of.
  private mutating func beginStretch() -> Bool {
    guard packets == nil else { return true }
    fragments?.finish()
    collect()
    fragments = nil
    guard let leadingPID else { return false }
    var tracks = FragmentTracks(streams, leadingPID: leadingPID)
    tell(leftOut: tracks.takeLeftOut())
    guard !tracks.isEmpty else { return false }
    fragments = tracks
    return true
  }

  /// Tells the operator of streams that are not in the segments, once.
  private mutating func tell(leftOut streams: [String]) {
    for stream in streams where leftOut.insert(stream).inserted { notices.append("\(stream) is not in the segments") }
  }

  /// The streams that the tracks of a stretch are made of that begins now.
  private var streams: [ProgramMapTable.ElementaryStream] {
    guard let map, let leadingPID else { return [] }
    return FragmentTracks.streams(of: map, leadingPID: leadingPID, hasAudio: hasAudio)
  }

  /// The program of the stream; `nil` while its PMT has not come.
  private var map: ProgramMapTable? {
    programs.programAssociation?.programs.first { $0.pmtPID == pmtPID }.flatMap { programs.maps[$0.number] }
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

  package mutating func expect(_ new: Span<UInt8>) { packets?.expect(new) }

  package mutating func write(_ new: Span<UInt8>) {
    new.forEachPacket { packet in
      let pid = TransportPacket.pid(of: packet)
      if programs.follows(pid) {
        if let header = try? TransportPacket(packet), !header.hasError {
          _ = programs.push(header, payload: packet.extracting(header.payload))
        }
        packets?.writeTable(packet, of: pid)
      } else {
        findGroup(packet, of: pid)
        packets?.write(packet, of: pid)
        if fragments != nil { fragments?.push(packet, of: pid) } else { hold(packet, of: pid) }
      }
    }
    collect()
    openByteCount += new.count
    if openByteCount > Self.largestSegment { giveUp() }
  }

  /// Holds a packet of audio until the stretch that it may belong to begins.
  private mutating func hold(_ packet: Span<UInt8>, of pid: PID) {
    guard packets == nil, pid != leadingPID, pid != TransportPacket.nullPID else { return }
    if early.count >= Self.mostEarlyBytes { early.removeFirst(early.count / 2 / packet.count * packet.count) }
    early.append(copying: packet)
  }

  /// Drops what is open: the next segment begins a stretch.
  private mutating func giveUp() {
    _ = packets?.finish()
    (fragments, pending, isInterrupted, openByteCount, owesDiscontinuity) = (nil, [], true, 0, hasSegments)
  }

  /// Looks whether the segment that has begun needs pictures from before it.
  private mutating func findGroup(_ packet: Span<UInt8>, of pid: PID) {
    guard !isInterrupted, !pending[pending.count - 1].group.isKnown, pid == leadingPID,
      let video = map?.streams.first(where: { $0.pid == pid })
    else { return }
    pending[pending.count - 1].group.push(packet, video.type)
  }

  /// Ends the segment that is open, and all that waits for more: the input has ended, or nothing comes from it.
  package mutating func finish() {
    endSegment(at: end, nil)
    if let bytes = packets?.finish() { appendPackets(bytes, isNew: false) }
    fragments?.finish()
    collect()
    (fragments, isInterrupted) = (nil, true)
  }

  /// Ends the segment that is open.
  ///
  /// - Parameters:
  ///   - time: Where the next segment starts, on the programme's timeline.
  ///   - nextTimestamp: When that is on the stream's clock; `nil` if that does not go on.
  private mutating func endSegment(at time: MediaTime, _ nextTimestamp: UInt64?) {
    guard !isInterrupted, var open = pending.popLast() else { return }
    open.hasEnded = true
    let duration = time - open.start
    if duration > .zero {
      if let target = partClock?.target, let last = partClock?.lastPart(ofSegment: duration) {
        open.endPart(last, target: target, isNextIndependent: false)
      }
      var segment = LiveSegment(
        bytes: [], start: open.start, duration: duration, boundary: open.boundary, isIndependent: open.isIndependent, guids: open.guids,
        targetDuration: targetDuration)
      (segment.unitCount, segment.frameRate, segment.isGroupOpen) = (open.unitCount, open.frameRate, open.group.isOpen)
      (segment.nextTimestamp, segment.bursts) = (nextTimestamp, bursts)
      open.segment = segment
    }
    pending.append(open)
  }

  /// Adds a portion of a transport stream to the segment that it belongs to.
  ///
  /// - Parameter isNew: Whether another segment has begun since.
  private mutating func appendPackets(_ bytes: [UInt8], isNew: Bool) {
    let place = pending.count - (isNew ? 2 : 1)
    if place >= 0 { pending[place].append(SegmentPortion(tracks: [bytes], listed: listed)) }
    collectSegments()
  }

  /// Moves what the tracks have made into its segments.
  private mutating func collect() {
    while let portion = fragments?.popPortion(), !pending.isEmpty {
      listed = portion.listed
      pending[0].append(portion)
      collectSegments()
    }
    tell(leftOut: fragments?.takeLeftOut() ?? [])
  }

  private mutating func collectSegments() {
    while let first = pending.first, first.isComplete {
      var first = pending.removeFirst()
      if let segment = first.finished(listed: listed) {
        complete.append(segment)
        hasSegments = true
      } else if pending.isEmpty {
        owesDiscontinuity = hasSegments
      } else {
        // The one after it takes its place at the beginning of the stretch.
        pending[0].holdsParts = pending[0].holdsParts || first.holdsParts
        if hasSegments { pending[0].boundary = .discontinuity }
      }
    }
  }
}
