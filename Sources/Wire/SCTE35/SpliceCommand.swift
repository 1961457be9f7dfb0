import Basics

/// The command of a section (SCTE 35, 9.7). Times are in 90 kHz ticks of 33 bits, without pts_adjustment.
package enum SpliceCommand: Equatable, Sendable {
  /// splice_null: a heartbeat.
  case null
  /// splice_schedule: splices at times of day, kept as bytes.
  case schedule([UInt8])
  /// splice_insert.
  case insert(SpliceInsert)
  /// time_signal: what happens at the time is in the descriptors; `nil` means now.
  case timeSignal(UInt64?)
  /// bandwidth_reservation.
  case bandwidthReservation
  /// private_command: the identifier of its owner, and the data.
  case privateCommand(identifier: UInt32, data: [UInt8])
  /// A type that is reserved.
  case unknown(type: UInt8, data: [UInt8])
  /// The command and the descriptors are encrypted.
  case encrypted(algorithm: UInt8)

  /// The splice_command_type; 0 if it is encrypted.
  package var type: UInt8 {
    switch self {
    case .null, .encrypted: 0
    case .schedule: 4
    case .insert: 5
    case .timeSignal: 6
    case .bandwidthReservation: 7
    case .privateCommand: 0xFF
    case .unknown(let type, _): type
    }
  }

  /// The name in SCTE 35.
  package var name: String {
    switch self {
    case .null: "splice_null"
    case .schedule: "splice_schedule"
    case .insert: "splice_insert"
    case .timeSignal: "time_signal"
    case .bandwidthReservation: "bandwidth_reservation"
    case .privateCommand: "private_command"
    case .unknown: "unknown"
    case .encrypted: "encrypted"
    }
  }

  /// The time that it states; `nil` if it states none.
  package var time: UInt64? {
    switch self {
    case .insert(let insert): insert.time
    case .timeSignal(let time): time
    case .null, .schedule, .bandwidthReservation, .privateCommand, .unknown, .encrypted: nil
    }
  }
}

extension SpliceCommand {
  /// Reads a command. What follows its last field is left.
  @_lifetime(reader: copy reader)
  init(type: UInt8, _ reader: inout ByteReader) throws(ParseError) {
    switch type {
    case 0: self = .null
    case 4: self = .schedule(try reader.readBytes(reader.remaining))
    case 5: self = .insert(try SpliceInsert(reading: &reader))
    case 6: self = .timeSignal(try SpliceTime.read(&reader))
    case 7: self = .bandwidthReservation
    case 0xFF:
      let identifier = try reader.readUInt32()
      self = .privateCommand(identifier: identifier, data: try reader.readBytes(reader.remaining))
    default: self = .unknown(type: type, data: try reader.readBytes(reader.remaining))
    }
  }

  /// The bytes of the command.
  func encode() throws(ParseError) -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .null, .bandwidthReservation: break
    case .schedule(let data), .unknown(_, let data): writer.write(data)
    case .insert(let insert): try insert.write(to: &writer)
    case .timeSignal(let time): SpliceTime.write(time, to: &writer)
    case .privateCommand(let identifier, let data):
      writer.writeUInt32(identifier)
      writer.write(data)
    case .encrypted: throw ParseError(.invalid("an encrypted command"), at: 0)
    }
    return writer.bytes
  }
}

/// A splice_time (SCTE 35, 9.8.1).
enum SpliceTime {
  /// Reads a time; `nil` if none is specified.
  @_lifetime(reader: copy reader)
  static func read(_ reader: inout ByteReader) throws(ParseError) -> UInt64? {
    let first = try reader.readUInt8()
    guard first & 0x80 != 0 else { return nil }
    return UInt64(first & 1) << 32 | UInt64(try reader.readUInt32())
  }

  static func write(_ time: UInt64?, to writer: inout ByteWriter) {
    guard let time else { return writer.writeUInt8(0x7F) }
    writer.writeInteger(0xFE_0000_0000 | time & 0x1_FFFF_FFFF, byteCount: 5)
  }
}
