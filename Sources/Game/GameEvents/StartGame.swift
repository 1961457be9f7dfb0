public import Basics

/// A game is announced, or begins at once.
public struct StartGame: Equatable, Sendable {
  /// The title of the show.
  public var title: String
  /// How many questions will be asked.
  public var totalQuestions: Int
  /// How long after the event the game begins, for a lobby with a countdown; `nil` if it begins at once.
  public var startsIn: MediaTime?
  /// The time of day of the beginning in ISO 8601, for display only.
  public var startsAt: String?

  /// The start of a game with a number of questions.
  public init(title: String, totalQuestions: Int, startsIn: MediaTime? = nil, startsAt: String? = nil) {
    self.title = title
    self.totalQuestions = totalQuestions
    self.startsIn = startsIn
    self.startsAt = startsAt
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: StartGame, right: StartGame) -> Bool {
    left.totalQuestions == right.totalQuestions && left.startsIn == right.startsIn && left.title.hasSameBytes(as: right.title)
      && left.startsAt.hasSameBytes(as: right.startsAt)
  }
}

extension StartGame {
  init(from fields: inout EventFields) throws(EventError) {
    title = try EventFields.require(try fields.text("title"), "title")
    totalQuestions = try EventFields.require(try fields.integer("totalQuestions", atLeast: 0), "totalQuestions")
    startsIn = try fields.duration("startsIn")
    startsAt = try fields.text("startsAt")
  }

  func write(to object: inout JSONObject) {
    object.append("title", title)
    object.append("totalQuestions", totalQuestions)
    if let startsIn { object.append("startsIn", startsIn) }
    if let startsAt { object.append("startsAt", startsAt) }
  }
}
