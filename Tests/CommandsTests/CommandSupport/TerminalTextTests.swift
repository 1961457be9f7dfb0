import Testing

@testable import CommandSupport

/// Text in columns.
@Suite struct TerminalTextTests {
  @Test func textIsBrokenAtSpaces() {
    #expect(TerminalText.wrapped("one two  three", columns: 7) == ["one two", "three"])
    #expect(TerminalText.wrapped("abcdefgh ij", columns: 3) == ["abc", "def", "gh", "ij"])
    #expect(TerminalText.wrapped("水銀は", columns: 5) == ["水銀", "は"])
    #expect(TerminalText.wrapped("水 a", columns: 1) == ["a"])
    #expect(TerminalText.wrapped("", columns: 9) == [])
    #expect(TerminalText.columns("e\u{301}水🧪\u{200B}") == 5)
    #expect(TerminalText.fitting("a水b", columns: 2) == "a")
  }
}
