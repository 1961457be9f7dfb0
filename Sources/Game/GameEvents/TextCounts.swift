package import Basics

/// The texts that most players gave.
public struct TextCounts: Equatable, Sendable {
  /// A text, and how many players gave it.
  public struct Entry: Equatable, Sendable {
    /// The text.
    public var text: AnswerText
    /// How many players gave it.
    public var count: Int
    /// Whether it is right, as far as that is known.
    public var isRight: Bool

    /// A text with its count.
    public init(_ text: AnswerText, count: Int, isRight: Bool = false) { (self.text, self.count, self.isRight) = (text, count, isRight) }
  }

  /// The texts, the most frequent one first.
  public var entries: [Entry]
  /// How many players gave other texts.
  public var others: Int

  /// The maximum number of texts.
  public static let mostTexts = 20

  /// Texts with their counts.
  public init(_ entries: [Entry] = [], others: Int = 0) { (self.entries, self.others) = (entries, others) }

  /// The first texts; the rest are counted as others.
  package func shortened(to count: Int) -> TextCounts {
    TextCounts(Array(entries.prefix(count)), others: entries.dropFirst(count).reduce(others) { $0.addingSaturated($1.count) })
  }
}

extension TextCounts {
  /// Its JSON.
  package var object: JSONObject {
    var object = JSONObject()
    object.append(
      "most",
      .array(
        entries.map { entry in
          var object = JSONObject()
          object.append("text", entry.text.text)
          object.append("count", entry.count)
          if entry.isRight { object.append("right", true) }
          return .object(object)
        }))
    object.append("others", others)
    return object
  }

  static func read(from fields: inout EventFields) throws(EventError) -> TextCounts? {
    try fields.take("texts", "an object with \"most\", a list of at most \(mostTexts) texts with counts, and \"others\"") { value in
      TextCounts(json: value)
    }
  }

  /// Reads its JSON; `nil` for anything else.
  package init?(json: JSONValue) {
    guard let object = json.object, let list = object["most"]?.array, list.count <= Self.mostTexts else { return nil }
    let entries = list.compactMap { value -> Entry? in
      guard let text = value.object?["text"]?.string.flatMap({ AnswerText($0) }), let count = value.object?["count"]?.int, count >= 0
      else { return nil }
      return Entry(text, count: count, isRight: value.object?["right"]?.bool ?? false)
    }
    guard entries.count == list.count, let others = object["others"] == nil ? 0 : object["others"]?.int, others >= 0 else { return nil }
    self.init(entries, others: others)
  }
}
