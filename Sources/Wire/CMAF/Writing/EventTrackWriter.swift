package import Basics

/// Writes events as the samples of a track of their own (ISO/IEC 23001-18): each sample has all events that are active during it.
package struct EventTrackWriter: Sendable {
  fileprivate struct Active: Sendable {
    var message: EventMessageBox
    /// From when to when it is active, in ticks of 90 kHz on the timeline of the fragments.
    var from: Int64
    var to: Int64
  }

  private var writer = FragmentWriter()
  /// The events that are active at the end of the latest segment, or later.
  private var active: [Active] = []
  /// The latest events, since a message may be repeated.
  private var known = Queue<EventMessageBox>()

  /// How many events are remembered for their repetitions.
  private static let mostKnown = 64

  /// A writer before the first segment.
  package init() {}

  /// The initialization segment of the track.
  ///
  /// - Throws: `ParseError`, which cannot happen for it.
  package static func header() throws(ParseError) -> [UInt8] {
    try MovieWriter(timescale: Timescale.mediaTime.ticksPerSecond, .events).encoded()
  }

  /// A segment of the track.
  ///
  /// - Parameters:
  ///   - messages: The event messages that arrived with the segment.
  ///   - start: When it starts, on the timeline of the fragments.
  ///   - isLast: Whether the stream ends with it.
  /// - Throws: `ParseError` if a message is too large for its box.
  package mutating func segment(
    _ messages: [EventMessageBox], start: MediaTime, duration: MediaTime, isLast: Bool
  ) throws(ParseError) -> [UInt8] {
    let (begin, end) = (start.ticks, start.ticks + max(duration.ticks, 1))
    for message in messages where !known.elements.contains(where: { $0.isRepeated(by: message) }) {
      known.append(message)
      if known.count > Self.mostKnown { _ = known.popFirst() }
      let from = message.presentationTime(segmentStart: start).ticks
      let isShort = message.eventDuration == 0 || message.eventDuration == EventMessageBox.unknownDuration
      // An event without a length is in one sample of one tick.
      let to = isShort ? max(from, begin) + 1 : max(from + message.timescale.mediaTime(message.eventDuration).ticks, begin + 1)
      active.append(Active(message: message, from: from, to: to))
    }
    let cuts = Set([begin, end] + active.flatMap { [$0.from, $0.to] }.filter { begin < $0 && $0 < end }).sorted()
    var samples: [FragmentWriter.Sample] = []
    var content = ByteWriter(capacity: 256)
    for (from, to) in zip(cuts, cuts.dropFirst()) {
      let place = content.bytes.count
      for event in active where event.from <= from && from < event.to { try event.write(to: &content, at: from) }
      if content.bytes.count == place { try content.writeBox(BoxType("emeb")) { _ throws(ParseError) in } }
      samples.append(.init(size: content.bytes.count - place, duration: Int(clamping: to - from)))
    }
    active.removeAll { $0.to <= end }
    let brands = [BoxType("cmfs"), BoxType("cmff")] + (isLast ? [BoxType("lmsg")] : [])
    let type = try FileTypeBox(type: .styp, majorBrand: BoxType("cmfs"), compatibleBrands: brands).encoded()
    return type + (try writer.start(decodeTicks: begin, samples, byteCount: content.bytes.count)) + content.bytes
  }

  /// Writes the sample entry.
  static func writeEntry(to writer: inout ByteWriter) throws(ParseError) {
    try writer.writeBox(BoxType("evte")) { entry throws(ParseError) in
      entry.writeSampleEntryStart()
      try entry.writeFullBox(BoxType("silb")) { box throws(ParseError) in
        box.writeUInt32(1)
        try EventMessageBox.id3Scheme.write(to: &box)
        try BoxText("").write(to: &box)
        // Each event may be repeated, and there may be other schemes.
        box.writeUInt8(0)
        box.writeUInt8(1)
      }
    }
  }
}

extension EventTrackWriter.Active {
  /// Writes the instance of the event in a sample that begins at a time.
  fileprivate func write(to writer: inout ByteWriter, at time: Int64) throws(ParseError) {
    let length = message.eventDuration
    let isShort = length == 0 || length == EventMessageBox.unknownDuration
    let duration = isShort ? length : UInt32(clamping: message.timescale.mediaTime(length).ticks)
    try writer.writeFullBox(BoxType("emib")) { box throws(ParseError) in
      box.writeUInt32(0)
      box.writeInteger(UInt64(bitPattern: from - time), byteCount: 8)
      box.writeUInt32(duration)
      box.writeUInt32(message.id)
      try message.schemeID.write(to: &box)
      try message.value.write(to: &box)
      box.write(message.messageData)
    }
  }
}

extension EventMessageBox {
  /// Whether a message is another copy of this one.
  fileprivate func isRepeated(by other: EventMessageBox) -> Bool { id == other.id && schemeID == other.schemeID && value == other.value }
}
