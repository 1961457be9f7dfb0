import Basics

extension String {
  /// The characters that YAML 1.2 (section 5.1) does not allow unescaped.
  var forbiddenCharacters: [SheetProblem] {
    var problems = [SheetProblem]()
    var counter = PlaceCounter()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x09, 0x0B..<0x0D, 0x0E..<0x20, 0x7F..<0x85, 0x86..<0xA0, 0xFFFE, 0xFFFF:
        problems.report(at: counter.place, "the control character U+\(HiddenCharacters.code(scalar.value)) is not allowed here; remove it")
      default: break
      }
      counter.advance(past: scalar)
    }
    return problems
  }
}
