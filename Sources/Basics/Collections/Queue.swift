/// A first-in, first-out queue. Adding and removing at either end takes constant time.
public struct Queue<Element: Sendable>: Sendable {
  @usableFromInline package var storage: [Element]
  /// The index of the first element in `storage`.
  @usableFromInline package var head = 0

  /// A queue of elements in their order.
  @inlinable public init(_ elements: [Element] = []) { storage = elements }

  /// How many elements there are.
  @inlinable public var count: Int { storage.count - head }
  /// Whether there are none.
  @inlinable public var isEmpty: Bool { head == storage.count }
  /// The first element; `nil` if there is none.
  @inlinable public var first: Element? { isEmpty ? nil : storage[head] }
  /// The second element; `nil` if there are fewer than two.
  @inlinable public var second: Element? { count < 2 ? nil : storage[head + 1] }
  /// The last element; `nil` if there is none.
  @inlinable public var last: Element? { isEmpty ? nil : storage.last }
  /// All elements. Their indices are valid until an element is removed.
  @inlinable public var elements: ArraySlice<Element> { storage[head...] }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) { storage.append(element) }

  /// Inserts an element at an index of `elements`. The nearer the end, the faster.
  @inlinable public mutating func insert(_ element: Element, at index: Int) { storage.insert(element, at: index) }

  /// Removes the first element; `nil` if there is none.
  @inlinable public mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    // Removed elements are released once they are more than half of the storage.
    if head * 2 > storage.count, head >= 64 || head == storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Removes the last element; `nil` if there is none.
  @inlinable public mutating func popLast() -> Element? { isEmpty ? nil : storage.popLast() }

  /// Removes all elements but keeps the memory.
  @inlinable public mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension Queue where Element: Comparable {
  /// Inserts an element into a queue in ascending order. The nearer the end its place is, the faster.
  @inlinable public mutating func insert(_ element: Element) {
    var index = storage.count
    while index > head, element < storage[index - 1] { index -= 1 }
    storage.insert(element, at: index)
  }
}
