import Basics
import GameHosting
import GameStore
import HTTPTypes
import WebSupport

extension Problem {
  /// Queries a store, and turns its errors into problems.
  static func of<Value>(_ body: () throws(StoreError) -> Value) throws(Problem) -> Value {
    do throws(StoreError) { return try body() } catch { throw Problem(error) }
  }

  init(_ error: StoreError) {
    switch error {
    case .exists: self.init("exists", .conflict, "\(error)")
    case .closed: self.init("revealed", .conflict, "\(error)")
    case .unfit: self.init("invalid", .unprocessableContent, "\(error)")
    case .unavailable, .full, .foreign, .address, .libraryMissing:
      self = .overloaded("nothing can be stored for the moment")
    }
  }

  init(_ failure: GameFailure) {
    switch failure {
    case .hosting(let problem): self.init(problem)
    case .store(let error): self.init(error)
    }
  }

  init(_ problem: HostingProblem) {
    switch problem {
    case .invalid(let pointer, let message): self = .invalid(pointer, message)
    case .nicknameInvalid: self.init(problem.kind, .unprocessableContent, "\(problem)")
    case .nicknameTaken(let suggestions):
      self.init(problem.kind, .conflict, "\(problem)")
      members.append("suggestions", suggestions)
    case .joinedOtherwise(let nickname):
      self.init(problem.kind, .conflict, "\(problem)")
      members.append("nickname", nickname)
    case .full, .notNow, .notOpen, .entryClosed, .ended: self.init(problem.kind, .conflict, "\(problem)")
    case .unseen:
      self.init(problem.kind, .conflict, "\(problem); send the command with \"force\":true to ask the question all the same")
      members.append("force", true)

    case .kicked: self.init(problem.kind, .forbidden, "\(problem)")
    case .unknownPlayer: self.init(problem.kind, .notFound, "\(problem)")
    case .unavailable: self = .overloaded
    }
  }
}
