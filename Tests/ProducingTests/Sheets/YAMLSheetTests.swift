import Basics
import Testing

@testable import Sheets

/// YAML with places. What is refused and how is tested with the cue sheets, which are read by it.
@Suite struct YAMLSheetTests {
  static let text = "a: [1, 'é']\nb:\n  - c: yes\n"

  @Test func everythingHasItsPlace() throws {
    func scalar(_ text: String, plain: Bool = true, _ line: Int, _ column: Int) -> SheetNode {
      .scalar(SheetScalar(text: text, isPlain: plain, place: SheetPlace(line: line, column: column)))
    }
    func member(_ key: String, _ line: Int, _ column: Int, _ value: SheetNode) -> SheetMember {
      SheetMember(key: key, keyPlace: SheetPlace(line: line, column: column), value: value)
    }
    let list = SheetNode.list([scalar("1", 1, 5), scalar("é", plain: false, 1, 8)], SheetPlace(line: 1, column: 4))
    let inner = SheetNode.mapping([member("c", 3, 5, scalar("yes", 3, 8))], SheetPlace(line: 3, column: 5))
    let (root, problems) = try #require(try YAMLSheet.parse(Self.text))
    #expect(
      root == .mapping([member("a", 1, 1, list), member("b", 2, 1, .list([inner], SheetPlace(line: 3, column: 3)))], .start))
    #expect(problems == [])
  }

  @Test func anEmptyTextIsNoTree() throws {
    let parsed = try YAMLSheet.parse("# nothing\n")
    #expect(parsed == nil)
  }

  /// Damaged texts are read or refused with a place, and always in the same way.
  @Test func damagedTexts() {
    var random = SeededNumbers(seed: 11)
    let ink = Array("{}[]:,-?*&!|>'\"#%@ \n\t0aé\\".unicodeScalars)
    for _ in 0..<400 {
      var scalars = Array(Self.text.unicodeScalars)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: scalars.indices, using: &random)
        scalars[place] = ink.randomElement(using: &random) ?? " "
      }
      let damaged = String(String.UnicodeScalarView(scalars))
      let (first, second) = (Result { try YAMLSheet.parse(damaged)?.root }, Result { try YAMLSheet.parse(damaged)?.root })
      switch (first, second) {
      case (.success(let one), .success(let other)): #expect(one == other)
      case (.failure(let one as SheetError), .failure(let other as SheetError)): #expect(one == other && !one.problems.isEmpty)
      default: Issue.record("read once and refused once, or refused without a place: \(damaged)")
      }
    }
  }
}
