package import XML

/// An element of an MPD with everything inside it.
struct ManifestElement: Sendable {
  var name: String
  var attributes: [(name: String, value: String)]
  var children: [ManifestElement] = []
  var text = ""

  /// The maximum number of elements, attributes included.
  private static let most = 1_000_000

  subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

  func all(_ name: String) -> [ManifestElement] { children.filter { $0.name == name } }

  func first(_ name: String) -> ManifestElement? { children.first { $0.name == name } }

  /// The root of a document.
  init(_ bytes: [UInt8]) throws(ManifestError) {
    var open: [ManifestElement] = []
    var root: ManifestElement?
    var count = 0
    try XMLText.read(bytes, failing: ManifestError.xml) { (node) throws(ManifestError) in
      switch node {
      case .start(let name, let attributes):
        count += 1 + attributes.count
        guard count <= Self.most else { throw .tooLarge }
        open.append(ManifestElement(name: name, attributes: attributes))
      case .text(let text):
        if let last = open.indices.last { open[last].text += text }
      case .end:
        guard let element = open.popLast() else { throw .xml(.damaged) }
        if let parent = open.indices.last { open[parent].children.append(element) } else { root = element }
      }
    }
    guard let root, root.name == "MPD" else { throw .noManifest }
    self = root
  }

  private init(name: String, attributes: [(name: String, value: String)]) { (self.name, self.attributes) = (name, attributes) }
}

/// Why an MPD is not read.
package enum ManifestError: Error, Equatable, Sendable {
  /// It is no XML, or XML of a kind that is not read.
  case xml(XMLFault)
  /// The root is not `MPD`.
  case noManifest
  /// It has more elements, or lists more segments, than is accepted.
  case tooLarge
  /// A value that is needed is missing or not understood: the element and the attribute.
  case value(element: String, attribute: String, String?)
  /// There is nothing in it that can be read.
  case empty
}

extension ManifestError {
  /// Whether libxml2 is missing.
  package var isLibraryMissing: Bool { self == .xml(.libraryMissing) }
}

extension ManifestError: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .xml(.libraryMissing): "reading an MPD needs libxml2 (Debian: libxml2)"
    case .xml(.tooLarge), .tooLarge: "the MPD is too large"
    case .xml(.damaged): "the MPD is damaged: it is not well-formed XML"
    case .xml(.tooDeep): "the elements of the MPD are nested too deeply"
    case .xml(.tooManyAttributes): "an element of the MPD has too many attributes"
    case .xml(.documentType): "the MPD declares a document type, which no MPD has"
    case .noManifest: "it is XML, but no MPD"
    case .value(let element, let attribute, nil): "the MPD has a \(element) without \(attribute)"
    case .value(let element, let attribute, let value?): "the MPD has a \(element) whose \(attribute) is not understood: \(value)"
    case .empty: "the MPD lists no segments"
    }
  }
}
