import Yams

/// Reads one YAML document with the places of its values. Tags are ignored: the use of a scalar decides its meaning.
package struct YAMLSheet {
  private var markers: KeyMarkers
  private var problems = [SheetProblem]()
  private var visited = 0

  /// The tree of a YAML text and its repeated keys; `nil` if the document is empty.
  ///
  /// - Throws: The mistake that makes it impossible to read the whole text.
  package static func parse(_ text: String) throws(SheetError) -> (root: SheetNode, problems: [SheetProblem])? {
    let forbidden = text.forbiddenCharacters
    guard forbidden.isEmpty else { throw SheetError(forbidden) }
    if let place = ExpensiveKeys.place(in: text) {
      throw SheetError(at: place, "a list, a mapping or an alias cannot be a key; write key: value with a plain key")
    }
    var markers = KeyMarkers(text)
    // Only reported if the text cannot be read to its end; otherwise the tree shows both places of each repeated key.
    var repeated = [SheetProblem]()
    var root: Node?
    var isComposed = false
    while !isComposed {
      do {
        root = try Parser(yaml: markers.markedText, resolver: .basic, encoding: .utf8).singleRoot()
        isComposed = true
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let place = markers.original(context.mark)
        repeated.report(at: place, "the key \((keys.first ?? "").quoted) is here more than once; remove all but one")
        guard markers.add(at: place) else { throw SheetError(repeated) }
      } catch {
        throw SheetError([problem(for: error, markers)])
      }
    }
    guard let root else { return nil }
    var sheet = YAMLSheet(markers: markers)
    let tree = try sheet.convert(root, depth: 1)
    return (tree, sheet.problems)
  }

  private init(markers: KeyMarkers) { self.markers = markers }

  private mutating func convert(_ node: Node, depth: Int) throws(SheetError) -> SheetNode {
    let place = node.mark.map(markers.original) ?? .start
    visited += 1
    guard visited <= SheetLimits.nodes else {
      throw SheetError(at: place, "the aliases stand for more than \(SheetLimits.nodes) values; use fewer")
    }
    guard depth <= SheetLimits.depth else {
      throw SheetError(at: place, "there are more than \(SheetLimits.depth) levels here; nest less deeply")
    }
    switch node {
    case .scalar(let scalar):
      return .scalar(SheetScalar(text: scalar.string, isPlain: scalar.style == .plain, place: place))
    case .alias:
      // The parser has replaced the aliases.
      throw SheetError(at: place, "this alias stands for nothing; write the value itself")
    case .sequence(let sequence):
      var elements: [SheetNode] = []
      for element in sequence { elements.append(try convert(element, depth: depth + 1)) }
      return .list(elements, place)
    case .mapping(let mapping):
      var members: [SheetMember] = []
      for (key, value) in mapping {
        let keyPlace = key.mark.map(markers.original) ?? place
        let converted = try convert(value, depth: depth + 1)
        if case .scalar(let scalar) = key {
          let text = markers.unmarked(scalar.string, at: keyPlace)
          members.append(SheetMember(key: text, keyPlace: keyPlace, value: converted))
        } else {
          problems.report(at: keyPlace, "a list or a mapping cannot be a key; write key: value with a plain key")
        }
      }
      return .mapping(members.withoutRepeatedKeys(&problems), place)
    }
  }

  private static func problem(for error: any Error, _ markers: KeyMarkers) -> SheetProblem {
    switch error {
    case YamlError.scanner(let context, let problem, let mark, _), YamlError.parser(let context, let problem, let mark, _):
      let around = context.map { $0.text.isEmpty ? "" : " \($0.text) that begins in line \(markers.original($0.mark).line)" } ?? ""
      return SheetProblem(
        at: markers.original(mark), "this is no YAML: \(problem)\(around); check indentation, colons and quotation marks here")
    case YamlError.composer(let context, _, let mark, _) where context != nil:
      return SheetProblem(at: markers.original(mark), "a second document begins here; write one document a file")
    case YamlError.composer(_, let problem, let mark, _):
      return SheetProblem(at: markers.original(mark), "this is no YAML: \(problem); define it with & before it is used with *")
    default:
      return SheetProblem(at: .start, "the YAML cannot be read: \(error)")
    }
  }
}

extension SheetNode {
  /// The tree of a text in YAML or JSON, and its repeated keys; `nil` if the text is empty.
  ///
  /// - Throws: The mistake that makes it impossible to read the whole text.
  package static func parse(_ text: String) throws(SheetError) -> (root: SheetNode, problems: [SheetProblem])? {
    if let json = JSONSheet.parse(text) { return json }
    return try YAMLSheet.parse(text)
  }
}
