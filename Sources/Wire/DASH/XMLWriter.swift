import Basics

/// Writes elements, each on its line.
struct XMLWriter {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var depth = 0

  /// Writes an element with text alone.
  mutating func element(_ name: String, _ attributes: [(String, String)] = [], text content: String) {
    text += "\(indentation)<\(name)\(Self.written(attributes))>\(content.escapedForXML)</\(name)>\n"
  }

  private var indentation: String { String(repeating: "  ", count: depth) }

  private static func written(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0.0)=\"\($0.1.escapedForXML)\"" }.joined()
  }

  mutating func element(_ name: String, _ attributes: [(String, String)], _ content: ((inout XMLWriter) -> Void)? = nil) {
    let (indentation, written) = (indentation, Self.written(attributes))
    guard let content else {
      text += "\(indentation)<\(name)\(written)/>\n"
      return
    }
    text += "\(indentation)<\(name)\(written)>\n"
    depth += 1
    content(&self)
    depth -= 1
    text += "\(indentation)</\(name)>\n"
  }
}
