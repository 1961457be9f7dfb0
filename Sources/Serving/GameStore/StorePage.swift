import Basics

/// A part of a list that may be long, so that it is never in memory as a whole.
package struct StorePage<Element: Sendable>: Sendable {
  package var elements: [Element] = []
  /// The last element, if there are more after it.
  package var next: StoreCursor?

  package init(_ elements: [Element] = [], next: StoreCursor? = nil) { (self.elements, self.next) = (elements, next) }
}

extension StorePage: Equatable where Element: Equatable {}

/// An element of a list after which a page begins.
package struct StoreCursor: Equatable, Sendable, CustomStringConvertible {
  /// When the element was made, in milliseconds since 1970; for contacts the player's number.
  package var number: Int64
  /// The name of the element.
  package var id: String

  package init(number: Int64, id: String = "") { (self.number, self.id) = (number, id) }

  /// Reads a cursor that a client was given; `nil` if the text is not one.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0], in: .counts), !parts[1].utf8.contains(0) else { return nil }
    self.init(number: Int64(number), id: String(parts[1]))
  }

  package var description: String { "\(number)-\(id)" }
}

/// The entry of a quiz in a list.
package struct QuizTitle: Equatable, Sendable {
  package var id: String
  package var title: String
  package var createdAt: Int64

  package init(id: String, title: String, createdAt: Int64) { (self.id, self.title, self.createdAt) = (id, title, createdAt) }
}

extension GameStore {
  /// Passes the elements of a list to `body`, page by page.
  package func each<Element>(
    _ page: (StoreCursor?) throws(StoreError) -> StorePage<Element>, _ body: (Element) throws(StoreError) -> Void
  ) throws(StoreError) {
    var cursor: StoreCursor?
    repeat {
      let found = try page(cursor)
      for element in found.elements { try body(element) }
      cursor = found.next
    } while cursor != nil
  }
}
