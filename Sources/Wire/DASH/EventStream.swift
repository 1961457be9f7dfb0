package import Basics

/// Events of a period that the MPD lists (ISO/IEC 23009-1, 5.10.2). Times start with the period.
package struct EventStream: Equatable, Sendable {
  /// An event.
  package struct Event: Equatable, Sendable {
    /// What it says.
    package enum Content: Equatable, Sendable {
      /// A section of SCTE 35 (SCTE 214-1).
      case splice([UInt8])
      /// What its event message says.
      case message([UInt8])
    }

    /// When it happens, after the start of the period.
    package var time: MediaTime
    /// How long it lasts; `nil` if that is not known.
    package var duration: MediaTime?
    /// Identifies it: players take events of equal scheme, value and id for one, those of event messages among them.
    package var id: UInt32
    package var content: Content

    package init(time: MediaTime, duration: MediaTime? = nil, id: UInt32, _ content: Content) {
      (self.time, self.duration, self.id, self.content) = (time, duration, id, content)
    }
  }

  package let scheme: String
  /// The events, in the order of their times (ISO/IEC 23009-1, 5.10.2.2).
  package let events: [Event]

  /// The scheme of sections of SCTE 35 in XML.
  package static let spliceScheme = "urn:scte:scte35:2014:xml+bin"

  /// A stream of events, which may come in any order.
  package init(scheme: String, events: [Event]) { (self.scheme, self.events) = (scheme, events.ordered { $0.time < $1.time }) }
}

extension EventStream {
  func write(to writer: inout XMLWriter) {
    let attributes = [("schemeIdUri", scheme), ("value", ""), ("timescale", String(MediaTime.ticksPerSecond))]
    // What happened before the period is no event of it: a time is not negative.
    writer.element("EventStream", attributes) { writer in for event in events where event.time >= .zero { event.write(to: &writer) } }
  }
}

extension EventStream.Event {
  fileprivate func write(to writer: inout XMLWriter) {
    var attributes = [("presentationTime", String(time.ticks))]
    if let duration { attributes.append(("duration", String(max(duration.ticks, 0)))) }
    attributes.append(("id", String(id)))
    switch content {
    case .splice(let section):
      writer.element("Event", attributes) { writer in
        writer.element("Signal", [("xmlns", "http://www.scte.org/schemas/35/2016")]) { writer in
          writer.element("Binary", text: Base64.encode(section))
        }
      }
    case .message(let data): writer.element("Event", attributes + [("contentEncoding", "base64")], text: Base64.encode(data))
    }
  }
}
