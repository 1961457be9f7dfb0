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
    self.init(problem.kind, .conflict, "\(problem)")
    switch problem {
    case .invalid(let pointer, let message): self = .invalid(pointer, message)
    case .nicknameInvalid, .teamInvalid: status = .unprocessableContent
    case .nicknameTaken(let suggestions): members.append("suggestions", suggestions)
    case .joinedOtherwise(let nickname): members.append("nickname", nickname)
    case .unseen:
      detail += "; send the command with \"force\":true to ask the question all the same"
      members.append("force", true)
    case .kicked: status = .forbidden
    case .unknownPlayer: status = .notFound
    case .unavailable: self = .overloaded
    case .full, .notNow, .notOpen, .entryClosed, .ended: break
    }
  }
}
