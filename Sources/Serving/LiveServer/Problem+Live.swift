import Basics
import HTTPTypes
import LiveGame
import WebSupport

extension Problem {
  init(_ problem: LiveProblem) {
    switch problem {
    case .invalid(let mistakes):
      self.init("invalid", .unprocessableContent, mistakes.first?.message ?? "\(problem)")
      let errors = mistakes.prefix(Self.mostMistakes).map { JSONObject(fields: ["detail": $0.message, "pointer": $0.pointer]) }
      members = JSONObject(fields: ["pointer": mistakes.first?.pointer ?? "", "errors": errors])
    case .tooLate(_, let now):
      self.init("tooLate", .conflict, "\(problem); give a later time, or \"late\":\"next\" for the next frame")
      members.append("now", now)
    case .noTimecode: self.init("noTimecode", .conflict, "\(problem); give another time")
    case .conflict: self.init("conflict", .conflict, "\(problem)")
    case .unknownEvent: self.init("unknownEvent", .notFound, "\(problem)")
    case .notCancellable(let state):
      self.init("notCancellable", .conflict, "\(problem)")
      members.append("state", state.rawValue)
    case .nothingWaits: self.init("nothingWaits", .conflict, "\(problem)")
    case .inBreak(let known):
      self.init("inBreak", .conflict, "\(problem); send it after the break")
      members.append("break", known.object)
    case .busy: self = .overloaded("\(problem)")
    }
  }

  /// The maximum number of mistakes that an answer lists.
  private static let mostMistakes = 100
}
