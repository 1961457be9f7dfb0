/// The type of an event: one of the game's six, or any other text, which is passed on.
public struct EventType: WireText {
  /// The name as it is written in the stream.
  public let text: String

  /// The type of this name.
  public init(_ text: String) { self.text = text }

  /// A game is announced or begins.
  public static let startGame = EventType("startGame")
  /// A question opens for answers.
  public static let askQuestion = EventType("askQuestion")
  /// The time for answers of a question is lengthened or shortened.
  public static let adjustTime = EventType("adjustTime")
  /// Counters such as the number of viewers.
  public static let periodicInfo = EventType("periodicInfo")
  /// The result of a question.
  public static let showResults = EventType("showResults")
  /// The game is over.
  public static let endGame = EventType("endGame")

  /// The six types that have a schema.
  public static let known: [EventType] = [.startGame, .askQuestion, .adjustTime, .periodicInfo, .showResults, .endGame]
}
