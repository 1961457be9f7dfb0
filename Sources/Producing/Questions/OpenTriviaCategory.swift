import Basics

/// A category of Open Trivia DB (`api_category.php`).
public struct OpenTriviaCategory: Equatable, Sendable {
  /// The number by which calls name it.
  public var id: Int
  /// What it is called in answers.
  public var name: String

  /// All 24 categories, by their numbers.
  public static let all: [OpenTriviaCategory] = [
    "General Knowledge", "Entertainment: Books", "Entertainment: Film", "Entertainment: Music", "Entertainment: Musicals & Theatres",
    "Entertainment: Television", "Entertainment: Video Games", "Entertainment: Board Games", "Science & Nature", "Science: Computers",
    "Science: Mathematics", "Mythology", "Sports", "Geography", "History", "Politics", "Art", "Celebrities", "Animals", "Vehicles",
    "Entertainment: Comics", "Science: Gadgets", "Entertainment: Japanese Anime & Manga", "Entertainment: Cartoon & Animations",
  ].enumerated().map { OpenTriviaCategory(id: firstID + $0.offset, name: $0.element) }

  private static let firstID = 9

  /// The category of a number, or of a name regardless of case.
  public static func named(_ text: String) -> OpenTriviaCategory? {
    if let id = Int(text) { return all.first { $0.id == id } }
    let wanted = QuestionText.folded(text)
    return all.first { QuestionText.folded($0.name) == wanted }
  }

  /// Whether both have the same number and name.
  public static func == (left: OpenTriviaCategory, right: OpenTriviaCategory) -> Bool {
    left.id == right.id && left.name.hasSameBytes(as: right.name)
  }
}
