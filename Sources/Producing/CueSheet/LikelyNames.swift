import Basics
import GameEvents
import Sheets

extension Cue {
  /// Warns that a custom type looks like one of the game's types, because apps would not treat it as that.
  var nameWarning: SheetProblem? {
    guard case .custom = content, let meant = LikelyNames.meant(by: type.text) else { return nil }
    return SheetProblem(
      at: typePlace,
      "\(type.text.quoted) is an event of your own, which apps that do not know it pass over; did you mean \(meant.text.quoted)?")
  }
}

/// Finds names that are not those of the game's events but are likely meant as such.
enum LikelyNames {
  /// Returns the event of the game that a name most likely means; `nil` if it resembles none.
  static func meant(by name: String) -> EventType? {
    // showAnswer, show_answer and SHOW-ANSWER are one name.
    let plain = String(decoding: name.utf8.filter { $0.isASCIILetter }.map(\.asciiLowercased), as: UTF8.self)
    if let type = meanings[plain] { return type }
    let names = EventType.known.map { ($0, String(decoding: $0.text.utf8.map(\.asciiLowercased), as: UTF8.self)) }
    guard let nearest = plain.nearest(of: names.map(\.1), limit: 2) else { return nil }
    return names.first { $0.1 == nearest }?.0
  }

  private static let meanings: [String: EventType] = {
    let words: [(EventType, String)] = [
      (.startGame, "begin begingame gamestart gamebegin opengame startquiz startround startshow launchgame"),
      (.askQuestion, "newquestion nextquestion showquestion openquestion startquestion questionstart displayquestion presentquestion"),
      (
        .adjustTime,
        """
        addtime changetime closequestion endquestion extendtime extendquestion moretime settime shortentime stopquestion timeup lockanswers
        """
      ),
      (.periodicInfo, "audienceinfo viewercount viewers playercount"),
      (
        .showResults,
        """
        answer answers correctanswer questionresult questionresults reveal revealanswer revealanswers revealresult revealresults
        rightanswer showanswer showanswers showcorrectanswer showrightanswer showsolution solution
        """
      ),
      (.endGame, "closegame endquiz endround endshow finish finishgame gameend gameover gamefinished stopgame"),
    ]
    let pairs = words.flatMap { type, names in names.split(whereSeparator: \.isWhitespace).map { (String($0), type) } }
    return Dictionary(pairs) { first, _ in first }
  }()
}
