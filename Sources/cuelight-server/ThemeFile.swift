import Basics
import CommandSupport
import Foundation
import Sheets
import WebPages

/// Reads the theme of the pages: a file in YAML or JSON with `name`, `colors`, `logo` and `font`.
struct ThemeFile {
  private let path: String

  init(path: String) { self.path = path }

  /// The theme, with the files that it names.
  ///
  /// - Throws: `CommandFailure` with every mistake and its place.
  func read() throws(CommandFailure) -> Theme {
    let text = String(decoding: try SmallFile(path: path).bytes(), as: UTF8.self)
    let parsed = try orFail(try SheetNode.parse(text)) { (error: SheetError) in CommandFailure(error.problems, cues: path) }
    guard let (root, repeated) = parsed, case .mapping(let members, let place) = root else {
      throw CommandFailure(
        invalid: "\(path): this is no theme; write a mapping such as { name: Friday Night, colors: { accent: \"#ffd23f\" } }")
    }
    var fields = SheetFields(members, at: place, name: "the theme")
    fields.problems = repeated
    var theme = Theme()
    theme.name = fields.text("name")
    if let node = fields.take("colors") { theme.colors = colors(node, &fields.problems) }
    let logo = name("logo", of: Theme.logoKinds, &fields)
    let font = name("font", of: Theme.fontKinds, &fields)
    fields.refuseRest()
    guard fields.problems.isEmpty else { throw CommandFailure(fields.problems, cues: path) }
    if let pair = theme.unreadable.first {
      let (text, ground) = (pair.text.rawValue, pair.on.rawValue)
      throw CommandFailure(
        invalid: "\(path): the color \(text.quoted) has a contrast of \(rounded(pair.contrast)) with \(ground.quoted); "
          + "nobody reads less than \(rounded(pair.limit))")
    }
    theme.logo = try logo.map { (name) throws(CommandFailure) in try file(name) }
    theme.font = try font.map { (name) throws(CommandFailure) in try file(name) }
    return theme
  }

  private func colors(_ node: SheetNode, _ problems: inout [SheetProblem]) -> [Theme.Part: Theme.Color] {
    guard case .mapping(let members, let place) = node else {
      problems.report(at: node.place, "\"colors\" is \(node.kind); write a mapping such as { background: \"#0a0420\" }")
      return [:]
    }
    var fields = SheetFields(members, at: place, name: "the colors")
    var colors: [Theme.Part: Theme.Color] = [:]
    for part in Theme.Part.allCases {
      guard let value = fields.take(part.rawValue), let text = value.text(part.rawValue, &fields.problems) else { continue }
      if let color = Theme.Color(text) {
        colors[part] = color
      } else {
        fields.problems.report(at: value.place, "\(part.rawValue.quoted) is \(text.quoted); write a color such as \"#ffd23f\"")
      }
    }
    fields.refuseRest()
    problems += fields.problems
    return colors
  }

  /// The name of a file that lies beside the theme.
  private func name(_ key: String, of kinds: [String], _ fields: inout SheetFields) -> String? {
    guard let node = fields.take(key), let name = node.text(key, &fields.problems) else { return nil }
    if kinds.contains(Self.kind(name)) { return name }
    fields.problems.report(
      at: node.place, "\(key.quoted) is \(name.quoted); write the name of a file that ends with .\(kinds.joined(separator: ", ."))")
    return nil
  }

  private static func kind(_ name: String) -> String { name.split(separator: ".").last.map { $0.lowercased() } ?? "" }

  private func file(_ name: String) throws(CommandFailure) -> Theme.File {
    let place = URL(fileURLWithPath: name, relativeTo: URL(fileURLWithPath: path).deletingLastPathComponent()).path
    return Theme.File(kind: Self.kind(name), bytes: try SmallFile(path: place).bytes())
  }

  private func rounded(_ contrast: Double) -> String { String((contrast * 10).rounded(.down) / 10) }
}
