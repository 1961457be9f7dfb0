/// What one section says of an ad break.
package struct BreakCue: Equatable, Sendable {
  /// Whether the programme is left (`true`), or comes back.
  package var isOut: Bool
  /// What identifies the break.
  package var id: AdBreak.Identifier
  /// How long the break is expected to be, in 90 kHz ticks; `nil` if the section does not say it.
  package var duration: UInt64?
}

extension SpliceSection {
  /// What it says of ad breaks, in the order of its descriptors; nothing for other cues.
  package var breakCues: [BreakCue] {
    switch command {
    case .insert(let insert):
      guard let splice = insert.splice else { return [] }
      return [BreakCue(isOut: splice.isOut, id: AdBreak.Identifier(eventID: insert.eventID), duration: splice.duration)]
    case .timeSignal:
      return segmentations.compactMap { descriptor in
        guard let segment = descriptor.segment, segment.type.isBreak, let isStart = segment.type.isStart else { return nil }
        let id = AdBreak.Identifier(type: SegmentationType(rawValue: segment.type.rawValue & 0xFE), eventID: descriptor.eventID)
        return BreakCue(isOut: isStart, id: id, duration: segment.duration.flatMap { $0 == 0 ? nil : $0 })
      }
    case .null, .schedule, .bandwidthReservation, .privateCommand, .unknown, .encrypted: return []
    }
  }
}
