import Basics

/// A segmentation_type_id (SCTE 35, table 23).
package struct SegmentationType: RawRepresentable, Equatable, Sendable {
  /// The value of the field.
  package let rawValue: UInt8

  /// The type with this value.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The name in words; `nil` if the type is reserved.
  package var name: String? {
    if let name = Self.single(rawValue) { return name }
    guard let subject = Self.subject(rawValue & 0xFE) else { return nil }
    return subject + (rawValue & 1 == 0 ? " start" : " end")
  }

  /// Whether the programme is left for advertisements: breaks, advertisements, placement opportunities and ad blocks, but not overlays.
  package var isBreak: Bool {
    switch rawValue & 0xFE {
    case 0x22, 0x30, 0x32, 0x34, 0x36, 0x44, 0x46: true
    default: false
    }
  }

  /// Whether the segment starts with it; `nil` for a type that neither starts nor ends a segment.
  package var isStart: Bool? {
    if rawValue == 0x10 || rawValue == 0x11 { return rawValue == 0x10 }
    return Self.single(rawValue) == nil && Self.subject(rawValue & 0xFE) != nil ? rawValue & 1 == 0 : nil
  }

  /// Types that do not come in pairs, and those of programs.
  private static func single(_ value: UInt8) -> String? {
    switch value {
    case 0x00: "not indicated"
    case 0x01: "content identification"
    case 0x02: "call ad server"
    case 0x10: "program start"
    case 0x11: "program end"
    case 0x12: "program early termination"
    case 0x13: "program breakaway"
    case 0x14: "program resumption"
    case 0x15: "program runover planned"
    case 0x16: "program runover unplanned"
    case 0x17: "program overlap start"
    case 0x18: "program blackout override"
    case 0x19: "program join"
    case 0x1A: "program immediate resumption"
    default: nil
    }
  }

  /// What starts with an even value and ends with the value after it.
  private static func subject(_ value: UInt8) -> String? {
    switch value {
    case 0x20: "chapter"
    case 0x22: "break"
    case 0x24: "opening credit"
    case 0x26: "closing credit"
    case 0x30: "provider advertisement"
    case 0x32: "distributor advertisement"
    case 0x34: "provider placement opportunity"
    case 0x36: "distributor placement opportunity"
    case 0x38: "provider overlay placement opportunity"
    case 0x3A: "distributor overlay placement opportunity"
    case 0x3C: "provider promo"
    case 0x3E: "distributor promo"
    case 0x40: "unscheduled event"
    case 0x42: "alternate content opportunity"
    case 0x44: "provider ad block"
    case 0x46: "distributor ad block"
    case 0x50: "network"
    default: nil
    }
  }
}
