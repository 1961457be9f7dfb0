import Basics
import GameEvents
import NALUnits
import TransportStream

/// Looks for events in SEI messages that an edit takes out of the ID3 stream: it cannot take them out of the video.
struct MessageWatch: Sendable {
  /// Where the first access unit with such an event starts; `nil` where none has come.
  private(set) var found: Int?
  private var readers: [PID: MessageReader] = [:]
  private var editor: TagEditor

  init(_ edit: TagEdit) { editor = TagEditor(edit) }

  /// Follows the video streams of these programs.
  mutating func follow(_ maps: some Sequence<ProgramMapTable>) {
    var following: [PID: MessageReader] = [:]
    for stream in maps.flatMap({ $0.streams }) {
      if let codec = stream.type.nalUnitCodec { following[stream.pid] = readers[stream.pid] ?? MessageReader(codec) }
    }
    readers = following
  }

  /// The packets of each PID that are needed.
  var interests: [PID: PacketFilter.Interest] { readers.mapValues { $0.isInsideUnit ? .all : .unitStarts } }

  /// Receives a packet.
  ///
  /// - Parameter filter: Is changed where other packets matter from now on.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, _ filter: inout PacketFilter) {
    guard found == nil, var reader = readers[header.pid] else { return }
    let wasInside = reader.isInsideUnit
    let unit = reader.push(header, payload: packet.extracting(header.payload), offset: offset)
    readers[header.pid] = reader
    if reader.isInsideUnit != wasInside { filter[header.pid] = reader.isInsideUnit ? .all : .unitStarts }
    if let unit, unit.tags.contains(where: { editor.edit(message: $0.tag).hasOwn }) { found = unit.offset }
  }
}
