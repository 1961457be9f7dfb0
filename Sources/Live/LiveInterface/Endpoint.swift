/// The calls of a live session's HTTP interface.
package enum Endpoint: String, CaseIterable, Routed {
  case postEvent, listEvents, getEvent, putEvent, deleteEvent, postBatch, putCues, postNext, postInput, getNow, getStream
  case getPresentation, getPresentationByPass, getStatus, getReach, postReports

  /// A permission of a client. `manage` allows adding, changing and removing streams; no call about a single stream's events needs it.
  package enum Scope: String, Comparable, Sendable {
    case view, read, publish, manage

    /// `manage` includes `publish`, which includes `read`, which includes `view`.
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .view: 0
      case .read: 1
      case .publish: 2
      case .manage: 3
      }
    }
  }

  /// The call's method and path.
  package var route: Route {
    switch self {
    case .postEvent: Route("POST", "/v1/streams/{stream}/events")
    case .listEvents: Route("GET", "/v1/streams/{stream}/events")
    case .getEvent: Route("GET", "/v1/streams/{stream}/events/{guid}")
    case .putEvent: Route("PUT", "/v1/streams/{stream}/events/{guid}")
    case .deleteEvent: Route("DELETE", "/v1/streams/{stream}/events/{guid}")
    case .postBatch: Route("POST", "/v1/streams/{stream}/events:batch")
    case .putCues: Route("PUT", "/v1/streams/{stream}/cues")
    case .postNext: Route("POST", "/v1/streams/{stream}/next")
    case .postInput: Route("POST", "/v1/streams/{stream}/input")
    case .getNow: Route("GET", "/v1/streams/{stream}/now")
    case .getStream: Route("GET", "/v1/streams/{stream}/stream")
    case .getReach: Route("GET", "/v1/streams/{stream}/events/{guid}/reach")
    case .postReports: Route("POST", "/v1/streams/{stream}/cmcd")
    case .getPresentation: Route("GET", "/live/{stream}/{file}")
    case .getPresentationByPass: Route("GET", "/live/{stream}/{pass}/{file}")
    case .getStatus: Route("GET", "/v1/status")
    }
  }

  /// The scope that a call needs.
  package var scope: Scope {
    switch self {
    case .postEvent, .listEvents, .getEvent, .putEvent, .deleteEvent, .postBatch, .putCues, .postNext, .postInput: .publish
    case .getNow, .getStream, .getReach, .getStatus: .read
    case .getPresentation, .getPresentationByPass, .postReports: .view
    }
  }
}
