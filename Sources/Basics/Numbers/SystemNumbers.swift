// What nobody can predict: the system's generator is fit for secrets.

extension [UInt8] {
  /// Random bytes.
  package static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

extension String {
  /// A text of random letters.
  ///
  /// - Parameter letters: The letters to choose from, all of them ASCII.
  package static func random(_ count: Int, of letters: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let letters = Array(letters.utf8)
    return String(decoding: (0..<count).compactMap { _ in letters.randomElement(using: &generator) }, as: UTF8.self)
  }
}
