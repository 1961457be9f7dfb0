import Basics
import Sheets
import Testing

@testable import ServerConfiguration

/// What a configuration file says, and its mistakes with their places.
@Suite struct ServerConfigurationTests {
  static let keys = ServerConfiguration.Keys(
    server: CommandOptions([
      .init("listen", .value), .init("data", .value), .init("cors", .list), .init("accounts", .flag), .init("certificate", .value),
      .init("private-key", .value), .init("token-file", .value), .init("trusted-proxy", .list),
    ]),
    stream: CommandOptions([
      .init("input", .value, isPositional: true), .init("output", .list), .init("part-duration", .value), .init("loop", .flag),
    ]),
    foreignStream: CommandOptions([.init("live", .value), .init("to", .value), .init("title", .value)]),
    game: CommandOptions([.init("stream", .value), .init("quiz", .value)]))

  private static func read(_ text: String) throws -> ServerConfiguration {
    let (configuration, mistakes) = try ServerConfiguration.read(text, keys)
    #expect(mistakes == [])
    return configuration
  }

  private static func mistakes(_ text: String) -> [String] {
    do throws(SheetError) { return try ServerConfiguration.read(text, keys).mistakes.inOrder.map(\.description) } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func whole() throws {
    let configuration = try Self.read(
      """
      listen: 0.0.0.0:8080
      tls: { certificate: cert.pem, key: key.pem }
      tokens: tokens
      data: data
      cors: ["*"]
      trusted-proxies: [10.0.0.0/8, 127.0.0.1]
      accounts: false
      watch: true
      webhooks: [{ url: "https://ops.example/hook", secret-file: hook.key, events: [input, lost] }]
      streams:
        news: { input: "srt://0.0.0.0:9000?mode=listener", part-duration: 0.5, outputs: [a/index.m3u8, b.ts], loop: true }
        sports: { input: "-", output: c.ts }
      games:
        evening: { stream: news, quiz: quiz.yaml }
      """)
    #expect(
      configuration.server.words == [
        "--certificate=cert.pem", "--private-key=key.pem", "--token-file=tokens", "--listen=0.0.0.0:8080", "--data=data", "--cors=*",
        "--trusted-proxy=10.0.0.0/8", "--trusted-proxy=127.0.0.1",
      ])
    #expect(configuration.streams.map(\.name) == ["news", "sports"])
    #expect(
      configuration.streams.map(\.words) == [
        ["--part-duration=0.5", "--output=a/index.m3u8", "--output=b.ts", "--loop", "--", "srt://0.0.0.0:9000?mode=listener"],
        ["--output=c.ts", "--", "-"],
      ])
    #expect(configuration.games.map(\.words) == [["--stream=news", "--quiz=quiz.yaml"]])
    #expect(configuration.isWatched)
    let place = SheetPlace(line: 9, column: 12)
    #expect(
      configuration.webhooks == [
        .init(url: "https://ops.example/hook", secretFile: "hook.key", events: ["input", "lost"], place: place)
      ])
  }

  @Test func json() throws {
    let configuration = try Self.read(#"{"streams":{"a":{"input":"udp://0.0.0.0:5000","loop":false}}}"#)
    #expect(configuration.streams.map(\.words) == [["--", "udp://0.0.0.0:5000"]])
  }

  /// Streams that come later, over HTTP.
  @Test func noStreamYet() throws {
    let configuration = try Self.read("listen: 0.0.0.0:8080\nstreams: {}\n")
    #expect(configuration.streams == [] && configuration.server.words == ["--listen=0.0.0.0:8080"])
    #expect(Self.mistakes("streams: {}\ngames: { a: { quiz: q.yaml } }") == ["2:10: \"stream\" is missing in the game \"a\"; add it"])
  }

  @Test(arguments: [
    ("", ["1:1: the configuration is empty; write streams: with a stream"]),
    ("- a", ["1:1: the configuration is a list; write a mapping with streams:"]),
    ("listen: a:1", ["1:1: there is no stream; write streams: { NAME: { input: … } }, or streams: {} if they come later, over HTTP"]),
    (
      "stream: {}",
      [#"1:1: unknown key "stream"; did you mean "streams"?"#]
    ),
    (
      "streams:\n  a: { inputt: x, loop: maybe }\n  b/c: { input: x }",
      [
        #"2:3: "input" is missing in the stream "a"; add it"#, #"2:8: unknown key "inputt" in the stream "a"; did you mean "input"?"#,
        #"2:25: "loop" is "maybe"; write true or false"#,
        #"3:3: "b/c" cannot be the name of a stream: write 1 to 64 letters, digits, -, _ and ."#,
      ]
    ),
    (
      "streams: { a: { input: x }, b: { input: y } }\ngames: { g: { stream: c, quiz: q }, h: { quiz: q } }",
      [#"2:23: there is no stream "c"; did you mean "a"?"#, #"2:37: "stream" is missing in the game "h"; add it"#]
    ),
    ("tls: { cert: a }\nstreams: { a: { input: x } }", [#"1:8: unknown key "cert"; "tls" has certificate, key"#]),
    ("webhooks: [{ events: [input] }]\nstreams: { a: { input: x } }", [#"1:12: "url" is missing in the webhook; add it"#]),
  ])
  func mistakes(text: String, expected: [String]) { #expect(Self.mistakes(text) == expected) }

  /// Cut anywhere, a file is read or refused, and nothing else happens.
  @Test func cut() {
    let text = "listen: 0.0.0.0:1\nstreams:\n  a: { input: x, outputs: [y], loop: true }\ngames: { g: { quiz: q } }\n"
    for length in 0...text.utf8.count { _ = Self.mistakes(String(decoding: text.utf8.prefix(length), as: UTF8.self)) }
  }

  @Test func oneStream() throws {
    let entry = try ServerConfiguration.stream("a", parsing: #"{"input":"x","loop":true}"#, Self.keys)
    #expect(entry.words == ["--loop", "--", "x"])
    #expect(throws: SheetError.self) { try ServerConfiguration.stream("a", parsing: "[]", Self.keys) }
  }

  /// A stream of another program has other keys.
  @Test func foreignStreams() throws {
    let streams = try Self.read("streams: { a: { live: http://x/, title: T }, b: { input: y }, c: { to: z } }").streams
    #expect(streams.map(\.isForeign) == [true, false, true])
    #expect(streams.map(\.words) == [["--live=http://x/", "--title=T"], ["--", "y"], ["--to=z"]])
    #expect(
      Self.mistakes("streams: { a: { to: x, loop: true }, b: { title: y, input: z } }") == [
        #"1:24: unknown key "loop" in the stream "a"; a stream has live, to, title"#,
        #"1:43: unknown key "title" in the stream "b"; a stream has input, outputs, part-duration, loop"#,
      ])
    #expect(try ServerConfiguration.stream("a", parsing: #"{"to":"x"}"#, Self.keys).isForeign)
  }

  @Test func dump() throws {
    let text = """
      {"command":{"arguments":[
        {"kind":"positional","valueName":"input","isRepeating":false,"abstract":"The stream."},
        {"kind":"option","names":[{"kind":"short","name":"o"},{"kind":"long","name":"output"}],"isRepeating":true,"abstract":"Where."},
        {"kind":"flag","names":[{"kind":"long","name":"loop"}]},
        {"kind":"flag","names":[{"kind":"short","name":"h"},{"kind":"long","name":"help"}]}
      ]}}
      """
    let options = CommandOptions(dump: try #require(JSONValue(parsing: text).object))
    #expect(
      options.options == [
        .init("input", .value, isPositional: true, help: "The stream."), .init("output", .list, help: "Where."), .init("loop", .flag),
      ])
    #expect(options.option(of: "outputs")?.name == "output" && options.option(of: "output")?.name == "output")
    #expect(options.without(["loop"]).keys == ["input", "outputs"])
  }

  @Test func schema() throws {
    let schema = ConfigurationSchema.document(Self.keys)
    let streams = try #require(schema["properties"]?.object?["streams"]?.object?["additionalProperties"]?.object)
    let kinds = streams["oneOf"]?.array?.compactMap { $0.object?["required"]?.array?.first?.string }
    #expect(kinds == ["input", "live", "to"] && streams["required"] == nil)
    let properties = streams["properties"]?.object?.members.map(\.key)
    #expect(properties == ["input", "output", "outputs", "part-duration", "loop", "live", "to", "title"])
    #expect(schema["properties"]?.object?["certificate"] == nil && schema["additionalProperties"]?.bool == false)
  }
}
