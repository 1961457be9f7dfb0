import NALUnits
import TransportStream

/// Routes packets: gives each PID its editor. Packets of all other PIDs are unchanged.
struct PacketRouter: Sendable {
  private var editors: [PID: any CarriageEditor] = [:]
  /// What editors have found that were replaced since: see `CarriageEditor`.
  private var earlierEvent: Int?
  private var earlierFailure: Int?

  /// The PIDs that have editors.
  var pids: [PID] { editors.keys.sorted() }
  /// Whether packets are held.
  var isHolding: Bool { editors.values.contains { $0.isOpen } }
  /// The offset of the first access unit of video with an event; `nil` if there was none.
  var eventInVideo: Int? { ([earlierEvent] + editors.values.map(\.eventInVideo)).compactMap(\.self).min() }
  /// The offset of the first access unit of video whose events cannot be removed.
  var failure: Int? { ([earlierFailure] + editors.values.map(\.failure)).compactMap(\.self).min() }

  subscript(pid: PID) -> (any CarriageEditor)? {
    get { editors[pid] }
    _modify { yield &editors[pid] }
  }

  /// Gives each PID the editor that the tables require. Former video keeps its editor, because its counters must continue.
  mutating func follow(_ tables: ProgramTables, _ options: PacketEditor.Options, _ terms: EditTerms, _ window: inout EditWindow) {
    let streams = tables.maps.values.flatMap(\.streams)
    let pmts = Set(tables.pids).subtracting([ProgramAssociationTable.pid])
    let metadata = Set(streams.filter(\.isTimedID3).map(\.pid)).subtracting(pmts)
    for pid in pids {
      let isOutdated = editors[pid] is TableEditor && !pmts.contains(pid) || editors[pid] is ID3Editor && !metadata.contains(pid)
      if isOutdated { replace(pid, with: nil, terms, &window) }
    }
    for pid in metadata where !(editors[pid] is ID3Editor) { replace(pid, with: ID3Editor(pid: pid, options.edit), terms, &window) }
    if !options.keepsTables {
      for pid in pmts where !(editors[pid] is TableEditor) { replace(pid, with: TableEditor(pid: pid), terms, &window) }
    }
    guard options.edit != .repair else { return }
    for stream in streams where !pmts.contains(stream.pid) && !metadata.contains(stream.pid) {
      let previous = editors[stream.pid] as? SEIEditor
      guard let codec = stream.type.nalUnitCodec, previous?.follows(codec) != true else { continue }
      replace(stream.pid, with: SEIEditor(pid: stream.pid, codec, options.edit, following: previous), terms, &window)
    }
  }

  /// Gives a PID another editor, or none. Its held packets are written unchanged.
  private mutating func replace(_ pid: PID, with editor: (any CarriageEditor)?, _ terms: EditTerms, _ window: inout EditWindow) {
    editors[pid]?.release(terms, &window)
    (earlierEvent, earlierFailure) = (eventInVideo, failure)
    editors[pid] = editor
  }
}
