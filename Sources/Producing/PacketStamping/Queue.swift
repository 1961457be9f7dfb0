/// Elements that leave in the order in which they came, at either end in constant time.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  var second: Element? { count < 2 ? nil : elements[head + 1] }
  var last: Element? { isEmpty ? nil : elements.last }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    // What has left is given up once it is the larger part.
    if head * 2 > elements.count, head >= 64 || head == elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func popLast() -> Element? { isEmpty ? nil : elements.popLast() }

  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension Queue where Element: Comparable {
  /// Inserts an element into a queue that is in ascending order. It belongs near the end.
  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > head, elements[index] < elements[index - 1] {
      elements.swapAt(index, index - 1)
      index -= 1
    }
  }
}
