import Basics

/// A splice_insert (SCTE 35, 9.7.3).
package struct SpliceInsert: Equatable, Sendable {
  /// A component of the program that is spliced by itself.
  package struct Component: Equatable, Sendable {
    /// The component_tag.
    package var tag: UInt8
    /// When it is spliced; `nil` for now.
    package var time: UInt64?

    /// A component.
    package init(tag: UInt8, time: UInt64?) { (self.tag, self.time) = (tag, time) }
  }

  /// What is spliced, and when. Times are in 90 kHz ticks.
  package enum Extent: Equatable, Sendable {
    /// The whole program; `nil` for now.
    case program(UInt64?)
    /// Some components.
    case components([Component])
  }

  /// What an event that is not cancelled states.
  package struct Splice: Equatable, Sendable {
    /// Whether the break begins here (out_of_network_indicator); otherwise the programme comes back.
    package var isOut: Bool
    /// What is spliced.
    package var extent: Extent
    /// Whether it is spliced at the section's own place (splice_immediate_flag).
    package var isImmediate: Bool
    /// The duration of the break in 90 kHz ticks, if it is stated.
    package var duration: UInt64?
    /// Whether the break ends by itself after its duration (auto_return).
    package var returnsByItself: Bool
    /// The unique_program_id.
    package var programID: UInt16
    /// The avail_num.
    package var avail: UInt8
    /// The avails_expected.
    package var availsExpected: UInt8

    /// A splice of the whole program.
    package init(isOut: Bool, at time: UInt64?, duration: UInt64? = nil, returnsByItself: Bool = false, programID: UInt16 = 0) {
      (self.isOut, extent, isImmediate) = (isOut, .program(time), time == nil)
      (self.duration, self.returnsByItself, self.programID) = (duration, returnsByItself, programID)
      (avail, availsExpected) = (0, 0)
    }
  }

  /// The splice_event_id.
  package var eventID: UInt32
  /// What it states; `nil` if the event is cancelled.
  package var splice: Splice?

  /// A splice, or the end of an event that will not happen.
  package init(eventID: UInt32, _ splice: Splice?) { (self.eventID, self.splice) = (eventID, splice) }

  /// The time of the program or of the first component; `nil` if none is stated.
  package var time: UInt64? {
    switch splice?.extent {
    case .program(let time): time
    case .components(let components): components.lazy.compactMap { $0.time }.first
    case nil: nil
    }
  }
}

extension SpliceInsert {
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    eventID = try reader.readUInt32()
    guard try reader.readUInt8() & 0x80 == 0 else {
      splice = nil
      return
    }
    let flags = try reader.readUInt8()
    var splice = Splice(isOut: flags & 0x80 != 0, at: nil)
    splice.isImmediate = flags & 0x10 != 0
    if flags & 0x40 != 0 {
      splice.extent = .program(splice.isImmediate ? nil : try SpliceTime.read(&reader))
    } else {
      var components: [Component] = []
      for _ in 0..<(try reader.readUInt8()) {
        let tag = try reader.readUInt8()
        components.append(Component(tag: tag, time: splice.isImmediate ? nil : try SpliceTime.read(&reader)))
      }
      splice.extent = .components(components)
    }
    if flags & 0x20 != 0 {
      let duration = try reader.readInteger(byteCount: 5)
      splice.returnsByItself = duration >> 39 != 0
      splice.duration = duration & 0x1_FFFF_FFFF
    }
    splice.programID = try reader.readUInt16()
    splice.avail = try reader.readUInt8()
    splice.availsExpected = try reader.readUInt8()
    self.splice = splice
  }

  func write(to writer: inout ByteWriter) throws(ParseError) {
    writer.writeUInt32(eventID)
    writer.writeUInt8(splice == nil ? 0xFF : 0x7F)
    guard let splice else { return }
    var flags: UInt8 = 0x0F | (splice.isOut ? 0x80 : 0) | (splice.duration == nil ? 0 : 0x20) | (splice.isImmediate ? 0x10 : 0)
    if case .program = splice.extent { flags |= 0x40 }
    writer.writeUInt8(flags)
    switch splice.extent {
    case .program(let time): if !splice.isImmediate { SpliceTime.write(time, to: &writer) }
    case .components(let components):
      guard let count = UInt8(exactly: components.count) else {
        throw ParseError(.aboveLimit(what: "number of components", limit: 255), at: 0)
      }
      writer.writeUInt8(count)
      for component in components {
        writer.writeUInt8(component.tag)
        if !splice.isImmediate { SpliceTime.write(component.time, to: &writer) }
      }
    }
    if let duration = splice.duration {
      writer.writeInteger((splice.returnsByItself ? 0xFE_0000_0000 : 0x7E_0000_0000) | duration & 0x1_FFFF_FFFF, byteCount: 5)
    }
    writer.writeUInt16(splice.programID)
    writer.writeUInt8(splice.avail)
    writer.writeUInt8(splice.availsExpected)
  }
}
