/// Elements that leave in the order in which they came, in constant time at either end.
package struct Queue<Element: Sendable>: Sendable {
  @usableFromInline package var storage: [Element]
  /// Where in `storage` the first element is.
  @usableFromInline package var head = 0

  /// A queue of elements in their order.
  @inlinable package init(_ elements: [Element] = []) { storage = elements }

  @inlinable package var count: Int { storage.count - head }
  @inlinable package var isEmpty: Bool { head == storage.count }
  @inlinable package var first: Element? { isEmpty ? nil : storage[head] }
  @inlinable package var second: Element? { count < 2 ? nil : storage[head + 1] }
  @inlinable package var last: Element? { isEmpty ? nil : storage.last }
  /// All elements. Their indices are valid until an element leaves.
  @inlinable package var elements: ArraySlice<Element> { storage[head...] }

  @inlinable package mutating func append(_ element: Element) { storage.append(element) }

  /// Inserts an element at an index of `elements`. The nearer the end, the faster.
  @inlinable package mutating func insert(_ element: Element, at index: Int) { storage.insert(element, at: index) }

  @inlinable package mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    // Elements that have left are removed once they are the larger part.
    if head * 2 > storage.count, head >= 64 || head == storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return first
  }

  @inlinable package mutating func popLast() -> Element? { isEmpty ? nil : storage.popLast() }

  @inlinable package mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension Queue where Element: Comparable {
  /// Inserts an element into a queue in ascending order. The nearer the end its place is, the faster.
  @inlinable package mutating func insert(_ element: Element) {
    var index = storage.count
    while index > head, element < storage[index - 1] { index -= 1 }
    storage.insert(element, at: index)
  }
}
