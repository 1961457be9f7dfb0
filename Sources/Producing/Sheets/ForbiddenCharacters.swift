extension String {
  /// The characters that YAML 1.2 (section 5.1) does not allow unescaped.
  var forbiddenCharacters: [SheetProblem] {
    var problems = [SheetProblem]()
    var counter = PlaceCounter()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x09, 0x0B..<0x0D, 0x0E..<0x20, 0x7F..<0x85, 0x86..<0xA0, 0xFFFE, 0xFFFF:
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - code.utf8.count)) + code
        problems.report(at: counter.place, "the control character U+\(padded) is not allowed here; remove it")
      default: break
      }
      counter.pass(scalar)
    }
    return problems
  }
}
