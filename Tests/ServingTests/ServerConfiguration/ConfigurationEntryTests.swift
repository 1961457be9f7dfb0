import Basics
import Sheets
import Testing

@testable import ServerConfiguration

/// An entry as a command line, and the mistakes that its parser finds.
@Suite struct ConfigurationEntryTests {
  private static func entry(_ text: String) throws -> ConfigurationEntry {
    try ServerConfiguration.stream("a", parsing: text, ServerConfigurationTests.keys)
  }

  /// A parser that takes parts of at most a second, and no loop together with outputs.
  private static func refuse(_ words: [String]) -> String? {
    let part = words.first { $0.hasPrefix("--part-duration=") }?.split(separator: "=").last.flatMap { Double($0) }
    if let part, part > 1 { return "Error: --part-duration takes seconds up to 1, not \(part)." }
    let (loops, hasOutput) = (words.contains("--loop"), words.contains { $0.hasPrefix("--output=") })
    return loops && hasOutput ? "Error: --loop and --output exclude each other." : nil
  }

  @Test func values() throws {
    #expect(try Self.entry("{ input: x, part-duration: 0.5 }").mistakes(Self.refuse) == [])
    let mistakes = try Self.entry("input: x\noutputs: [y]\npart-duration: 3\nloop: true").mistakes(Self.refuse)
    #expect(mistakes.map(\.description) == ["3:16: part-duration takes seconds up to 1, not 3.0"])
    let together = try Self.entry("input: x\noutputs: [y]\nloop: true").mistakes(Self.refuse)
    #expect(together.map(\.description) == ["2:11: loop and outputs exclude each other"])
  }

  @Test func sameness() throws {
    let (first, second) = (try Self.entry("{ input: x, loop: true }"), try Self.entry("loop: true\n\ninput: x"))
    #expect(first.saysTheSame(as: second) && first != second)
    #expect(try !first.saysTheSame(as: Self.entry("input: x")))
    #expect(try !first.saysTheSame(as: Self.entry("{ input: y, loop: true }")))
  }

  @Test func changes() throws {
    func entry(_ name: String, _ input: String) -> ConfigurationEntry {
      var entry = ConfigurationEntry(name: name, place: .start)
      entry.arguments.append(.init(option: "input", key: "input", value: input, isPositional: true, place: .start))
      return entry
    }
    let changes = StreamChanges(
      from: [entry("a", "1"), entry("b", "1"), entry("c", "1")], to: [entry("c", "1"), entry("b", "2"), entry("d", "1")])
    #expect(changes.removed == ["a"] && changes.changed == [entry("b", "2")] && changes.added == [entry("d", "1")])
    #expect(changes.unchanged == ["c"] && !changes.isEmpty)
    #expect(changes.text == "new: d; changed: b; ended: a; unchanged: c")
    #expect(StreamChanges(from: [entry("a", "1")], to: [entry("a", "1")]).isEmpty)
  }

  /// Of a change over HTTP and one of the file, the later one counts; and what was written is read again.
  @Test func overrides() throws {
    func entry(_ name: String, _ text: String) throws -> ConfigurationEntry {
      try ServerConfiguration.stream(name, parsing: text, ServerConfigurationTests.keys)
    }
    func applied(_ overrides: StreamOverrides, _ file: [ConfigurationEntry]) -> [String] {
      let read = StreamOverrides(overrides.object)
      #expect(read == overrides)
      return read.applied(to: file) { name, settings in try? entry(name, settings) }.map { "\($0.name) \($0.value(of: "input") ?? "")" }
    }
    let file = [try entry("a", "input: 1"), try entry("b", "input: 1")]
    var overrides = StreamOverrides()
    #expect(applied(overrides, file) == ["a 1", "b 1"])
    overrides.set("a", "input: 2", over: file[0])
    overrides.set("b", nil, over: file[1])
    overrides.set("c", "input: 3", over: nil)
    #expect(applied(overrides, file) == ["a 2", "c 3"])
    #expect(overrides.has("a") && !overrides.has("b") && overrides.has("c"))
    // The file is loaded again, with another b and with a c of its own.
    let changed = [file[0], try entry("b", "input: 5"), try entry("c", "input: 6")]
    overrides.forget(changedIn: changed)
    #expect(applied(overrides, changed) == ["b 5", "c 6", "a 2"])
    overrides.set("a", nil, over: nil)
    #expect(applied(overrides, []) == [])
  }
}
