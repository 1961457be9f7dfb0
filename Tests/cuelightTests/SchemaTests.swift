import Basics
import Foundation
import LineSchemas
import TestSupport
import Testing

/// The JSON Schemas of lines are what the page says.
@Suite struct SchemaTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  @Test(.enabled(if: HostileServer.isAvailable, "python3 makes the schemas")) func schemasAreThoseOfThePage() throws {
    let outcome = try Command.run(
      URL(filePath: "/usr/bin/env"), ["python3", Self.root.appending(path: "scripts/make-schemas").path, "--check"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func everyCommandHasOne() throws {
    let all = try Command.cuelight("schema")
    #expect(all.status == 0 && all.lines == LineSchema.all.map(\.text))
    #expect(LineSchema.all.map(\.command).contains("questions lint") && LineSchema.all.count >= 8)
    #expect(try Command.cuelight("schema", "questions", "lint").lines.first?.hasPrefix("{\"title\":\"cuelight questions lint\"") == true)
    #expect(try Command.cuelight("schema", "inspect", "--all").lines.first?.hasPrefix("{\"title\":\"cuelight inspect --all\"") == true)
    let none = try Command.cuelight("schema", "nothing")
    #expect(none.status == 64 && none.errors.contains("there is no schema for nothing; there are those of inspect, "))
  }
}
