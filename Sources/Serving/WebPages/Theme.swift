import Basics
import EmbeddedFiles
import Foundation

/// How an operator lets the pages look: a name, colours, a logo and a font.
package struct Theme: Equatable, Sendable {
  /// A colour without transparency.
  package struct Color: Equatable, Sendable {
    /// The shares of red, green and blue, 0 to 255.
    package let red, green, blue: UInt8

    /// A colour as `#rgb` or `#rrggbb`; `nil` for another text.
    package init?(_ text: String) {
      let digits = text.utf8.dropFirst().compactMap(\.hexadecimalDigit)
      guard text.utf8.first == UInt8(ascii: "#"), digits.count == text.utf8.count - 1, [3, 6].contains(digits.count) else { return nil }
      let wide = digits.count == 3 ? digits.flatMap { [$0, $0] } : digits
      (red, green, blue) = (wide[0] << 4 | wide[1], wide[2] << 4 | wide[3], wide[4] << 4 | wide[5])
    }

    /// The colour as style sheets write it.
    package var text: String { "#" + [red, green, blue].hexadecimal }

    /// The relative luminance, 0 for black to 1 for white (WCAG 2.2).
    var luminance: Double {
      func linear(_ part: UInt8) -> Double {
        let share = Double(part) / 255
        return share > 0.04045 ? pow((share + 0.055) / 1.055, 2.4) : share / 12.92
      }
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast with another colour, 1 to 21 (WCAG 2.2).
    package func contrast(with other: Color) -> Double {
      let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
      return (lighter + 0.05) / (darker + 0.05)
    }
  }

  /// What has a colour.
  package enum Part: String, CaseIterable, Sendable {
    case background, text, quiet, card, line, field, accent, accentText = "accent-text", right, wrong, light1 = "light-1", light2 =
      "light-2",
      light3 = "light-3"

    /// The names of the colour in the style sheet.
    var variables: [String] {
      switch self {
      case .background: ["--house"]
      case .text: ["--ink"]
      case .quiet: ["--soft"]
      case .card: ["--card"]
      case .line: ["--card-line"]
      case .field: ["--field", "--tinted"]
      case .accent: ["--hot", "--hot-deep"]
      case .accentText: ["--hot-ink"]
      case .right: ["--good"]
      case .wrong: ["--bad"]
      case .light1: ["--light-1"]
      case .light2: ["--light-2"]
      case .light3: ["--light-3"]
      }
    }
  }

  /// A picture or a font.
  package struct File: Equatable, Sendable {
    /// How its name ends, such as `svg`.
    package var kind: String
    package var bytes: [UInt8]

    /// A file with a name that ends like this.
    package init(kind: String, bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
  }

  /// What the pages are called instead of Cuelight.
  package var name: String?
  package var colors: [Part: Color] = [:]
  package var logo: File?
  package var font: File?

  /// A theme that changes nothing.
  package init() {}

  /// The kinds of files for logos.
  package static let logoKinds = ["svg", "png", "webp", "jpg", "jpeg"]
  /// The kinds of files for fonts.
  package static let fontKinds = ["woff2", "woff", "ttf", "otf"]
  /// What has to be readable: the text, what it stands on, and the smallest contrast.
  private static let readable: [(text: Part, on: Part, contrast: Double)] = [
    (.text, .background, 4.5), (.text, .card, 4.5), (.text, .field, 4.5), (.quiet, .background, 4.5), (.quiet, .card, 4.5),
    (.accentText, .accent, 4.5),
    (.accent, .background, 3), (.accent, .card, 3), (.right, .card, 3), (.wrong, .card, 3),
  ]

  /// Whether the pages are dark: as the background is, or as browsers like it if there is none.
  private var isDark: Bool? { colors[.background].map { $0.contrast(with: Color("#fff") ?? $0) > $0.contrast(with: Color("#000") ?? $0) } }

  /// The pairs of colours that cannot be read on each other, with their contrast; those that the theme does not set are the page's own.
  package var unreadable: [(text: Part, on: Part, contrast: Double, limit: Double)] {
    let palettes = isDark.map { [$0] } ?? [true, false]
    let found = palettes.flatMap { isDark in
      let own = Self.palette(isDark: isDark)
      func color(_ part: Part) -> Color? { colors[part] ?? part.variables.first.flatMap { own[$0] }.flatMap { Color($0) } }
      return Self.readable.compactMap { pair -> (text: Part, on: Part, contrast: Double, limit: Double)? in
        guard colors[pair.text] != nil || colors[pair.on] != nil, let text = color(pair.text), let ground = color(pair.on) else {
          return nil
        }
        let contrast = text.contrast(with: ground)
        return contrast < pair.contrast ? (pair.text, pair.on, contrast, pair.contrast) : nil
      }
    }
    return found.enumerated().filter { index, pair in !found[..<index].contains { $0.text == pair.text && $0.on == pair.on } }.map(
      \.element)
  }

  /// The variables of the page's own style sheet, for dark or for light pages.
  static func palette(isDark: Bool) -> [String: String] {
    let sheet = String(decoding: EmbeddedFiles.pages["style.css"] ?? [], as: UTF8.self)
    let blocks = sheet.split(separator: ":root {").dropFirst().map { $0.prefix { $0 != "}" } }
    var palette: [String: String] = [:]
    for block in blocks.prefix(isDark ? 1 : 2) {
      for line in block.split(separator: ";") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let start = parts[0].firstIndex(of: "-") else { continue }
        palette[String(parts[0][start...])] = String(parts[1].drop { $0 == " " })
      }
    }
    return palette
  }

  /// The style sheet that pages load after their own.
  package var styleSheet: String {
    var lines: [String] = []
    if let font { lines.append("@font-face { font-family: \"Theme\"; src: url(\"\(Self.fontPath(font))\"); font-display: swap; }") }
    lines.append(":root {")
    if let isDark {
      lines.append("  color-scheme: \(isDark ? "dark" : "light");")
      // The other appearance has the same colours.
      lines += Self.palette(isDark: isDark).sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value);" }
    }
    for part in Part.allCases {
      guard let color = colors[part] else { continue }
      lines += part.variables.map { "  \($0): \(color.text);" }
    }
    if font != nil { lines.append("  --display: \"Theme\", system-ui, sans-serif;") }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  static let folder = "/web/theme/"

  static func fontPath(_ font: File) -> String { "\(folder)font.\(font.kind)" }

  /// The address of the logo; `nil` without one.
  package var logoPath: String? { logo.map { "\(Self.folder)logo.\($0.kind)" } }
}
