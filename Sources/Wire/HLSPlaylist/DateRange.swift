/// A range of time with attributes (EXT-X-DATERANGE; RFC 8216bis, 4.4.5.1).
package struct DateRange: Equatable, Sendable {
  /// Identifies the range within the playlist. Several tags with the same id describe the same range.
  package var id: String
  /// Names a set of ranges with the same meaning.
  package var rangeClass: String?
  /// When it starts. It may be missing only if another tag of the same `id` has it.
  package var startDate: PlaylistDate?
  /// When it ends.
  package var endDate: PlaylistDate?
  /// How long it is, in seconds.
  package var duration: PlaylistDecimal?
  /// How long it is expected to be, in seconds.
  package var plannedDuration: PlaylistDecimal?
  /// A `splice_info_section` of SCTE 35, given as a command.
  package var scte35Command: [UInt8]?
  /// A `splice_info_section` of SCTE 35 that opens the range.
  package var scte35Out: [UInt8]?
  /// A `splice_info_section` of SCTE 35 that closes the range.
  package var scte35In: [UInt8]?
  /// Whether the range ends where the next one of its class starts.
  package var endsOnNext: Bool
  /// Other attributes in their order, the client's own (`X-`) among them: quoted strings, hexadecimal sequences and decimal numbers, as they
  /// are written.
  package var attributes: AttributeList

  /// A range.
  package init(
    id: String, rangeClass: String? = nil, startDate: PlaylistDate? = nil, endDate: PlaylistDate? = nil, duration: PlaylistDecimal? = nil,
    plannedDuration: PlaylistDecimal? = nil, scte35Command: [UInt8]? = nil, scte35Out: [UInt8]? = nil, scte35In: [UInt8]? = nil,
    endsOnNext: Bool = false, attributes: AttributeList = AttributeList()
  ) {
    self.id = id
    self.rangeClass = rangeClass
    self.startDate = startDate
    self.endDate = endDate
    self.duration = duration
    self.plannedDuration = plannedDuration
    self.scte35Command = scte35Command
    self.scte35Out = scte35Out
    self.scte35In = scte35In
    self.endsOnNext = endsOnNext
    self.attributes = attributes
  }
}

extension DateRange {
  /// The attribute in which Cuelight puts the JSON of an event: its UTF-8 as a hexadecimal sequence, because a quoted string cannot hold JSON's
  /// quotation marks.
  package static let eventAttribute = "X-COM-CUELIGHT-EVENT"

  /// Reads the tag's attributes.
  init(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, variables: &variables)
    id = try reader.require("ID", try reader.string("ID"))
    rangeClass = try reader.string("CLASS")
    startDate = try reader.date("START-DATE")
    endDate = try reader.date("END-DATE")
    duration = try reader.decimal("DURATION")
    plannedDuration = try reader.decimal("PLANNED-DURATION")
    scte35Command = try reader.section("SCTE35-CMD")
    scte35Out = try reader.section("SCTE35-OUT")
    scte35In = try reader.section("SCTE35-IN")
    endsOnNext = try reader.flag("END-ON-NEXT")
    attributes = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("ID", .quoted(id))])
    list.add("CLASS", quoted: rangeClass)
    list.add("START-DATE", quoted: startDate?.text)
    list.add("END-DATE", quoted: endDate?.text)
    list.add("DURATION", duration.map { .decimal($0) })
    list.add("PLANNED-DURATION", plannedDuration.map { .decimal($0) })
    list.attributes += attributes.attributes
    list.add("SCTE35-CMD", scte35Command.map { .hexadecimal($0) })
    list.add("SCTE35-OUT", scte35Out.map { .hexadecimal($0) })
    list.add("SCTE35-IN", scte35In.map { .hexadecimal($0) })
    list.add("END-ON-NEXT", flag: endsOnNext)
    return list
  }
}
