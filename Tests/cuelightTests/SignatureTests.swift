import Foundation
import Testing

/// `stamp --sign` and `--require-signature`. The keys are those of RFC 8410, 10, and another pair that OpenSSL made.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct SignatureTests {
  private static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    -----END PRIVATE KEY-----

    """
  private static let publicKey = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1\n"
  private static let otherPublicKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n"

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    _ = try scratch.write(Self.privateKey, to: "key.pem", permissions: 0o600)
    _ = try scratch.write(Self.publicKey, to: "public")
    _ = try scratch.write(Self.otherPublicKey, to: "other")
  }

  private func cuelight(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  private func stamp(_ options: String) throws -> Command.Outcome {
    try cuelight("stamp '\(Broadcast.path)' --cues cues.yaml --sign key.pem \(options)")
  }

  @Test(arguments: [
    "show.ts", "show.m3u8", "show.m3u8 --segment-type fmp4", "show.m3u8 --daterange --program-date-time 2026-11-20T20:00:00Z",
  ])
  func signedEventsCount(options: String) throws {
    let stamped = try stamp("-o \(options)")
    #expect(stamped.status == 0 && stamped.errors == "")
    let stream = String(options.prefix { $0 != " " })
    let free = try cuelight("replay \(stream)")
    #expect(free.status == 0 && free.lines.last?.hasPrefix("5 events seen") == true)
    #expect(try cuelight("replay \(stream) --require-signature public") == free)
    #expect(try cuelight("verify \(stream) --cues cues.yaml --require-signature public").status == 0)
    let refused = try cuelight("replay --json \(stream) --require-signature other")
    #expect(refused.lines.last?.hasPrefix(#"{"type":"summary","events":0,"copies":0,"#) == true)
    #expect(refused.errors.contains("its signature is not by the trusted key"))
    #expect(try cuelight("verify \(stream) --cues cues.yaml --require-signature other").status == 1)
  }

  @Test func everyCopyOfAnEventHasItsSignature() throws {
    _ = try stamp("-o show.ts")
    let lines = try cuelight("inspect --json show.ts").lines
    let signatures = lines.reduce(into: [Substring: Set<Substring>]()) { signatures, line in
      guard let guid = line.firstMatch(of: /"guid":"([^"]+)"/), let signature = line.firstMatch(of: /"signature":"([^"]+)"/) else { return }
      signatures[guid.output.1, default: []].insert(signature.output.1)
    }
    #expect(signatures.count == 5 && signatures.values.allSatisfy { $0.count == 1 })
    // Ed25519 makes the same signature again, so that what is stamped reproducibly stays so.
    let texts = try [1, 2].map { number in
      _ = try scratch.write(String(repeating: "0f", count: 32), to: "seal.key", permissions: 0o600)
      let stamped = try stamp("-o again\(number).ts --seal-key seal.key --reproducible")
      #expect(stamped.status == 0)
      return try Data(contentsOf: scratch["again\(number).ts"])
    }
    #expect(texts[0] == texts[1])
  }

  /// Somebody puts a game of his own into the stream: it starts, asks and ends, with right checksums.
  @Test func aForgedGameChangesNothing() throws {
    _ = try stamp("-o show.ts")
    let honest = try cuelight("replay show.ts")
    _ = try scratch.write(
      Broadcast.cues.replacing("at: 0.5,", with: "at: 1.5,").replacing("at: 1s,", with: "at: 1.7,").replacing(
        "game: test", with: "game: fake"),
      to: "forged.yaml")
    #expect(try cuelight("stamp show.ts --cues forged.yaml -o both.ts").status == 0)
    #expect(try cuelight("replay both.ts").output != honest.output)
    let safe = try cuelight("replay both.ts --require-signature public")
    let told = safe.errors.split(separator: "\n")
    #expect(!told.isEmpty && told.allSatisfy { $0.hasSuffix("unusable event: it is not signed") })
    #expect(safe.status == 0 && safe.lines.dropLast() == honest.lines.dropLast())
    // Five places are named, and the others counted.
    let more = try #require(told.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    #expect(try safe.lines.last == "\(#require(honest.lines.last)), \(told.count - 1 + more) damaged")
  }

  /// The doctor counts with the events of the key's owner alone, and names the others.
  @Test func theDoctorNamesForgedEvents() throws {
    _ = try stamp("-o show.ts")
    let honest = try cuelight("doctor show.ts --require-signature public")
    #expect(try honest.status == 0 && honest == cuelight("doctor show.ts"))
    _ = try scratch.write(Broadcast.cues.replacing("game: test", with: "game: fake"), to: "forged.yaml")
    #expect(try cuelight("stamp show.ts --cues forged.yaml -o both.ts").status == 0)
    #expect(try cuelight("doctor both.ts").lines.last?.contains("; 10 events in ") == true)
    let doctor = try cuelight("doctor both.ts --require-signature public")
    let told = try #require(doctor.lines.first { $0.hasPrefix("error    EVENT-SIGNATURE  both.ts byte ") })
    #expect(doctor.status == 1 && told.contains(": it is not signed; "))
    #expect(doctor.lines.last?.contains(": 1 error, 0 warnings, ") == true && doctor.lines.last?.contains("; 5 events in ") == true)
    let other = try cuelight("doctor show.ts --require-signature other")
    #expect(other.status == 1 && other.lines.contains { $0.contains(": its signature is not by the trusted key; ") })
    #expect(try cuelight("doctor show.ts --require-signature none").status == 66)
  }

  @Test func unsignedEventsAreNamed() throws {
    let inspected = try cuelight("inspect '\(Broadcast.stamped)' --require-signature public")
    #expect(inspected.output == "0 events in 0 copies, 0 other tags, 19 damaged places\n")
    #expect(inspected.errors.split(separator: "\n").allSatisfy { $0.hasSuffix("unusable event: it is not signed") })
  }

  @Test func otherKeysAreRefused() throws {
    let swapped = try cuelight("stamp '\(Broadcast.path)' --cues cues.yaml --sign cues.yaml -o show.ts")
    let size = Broadcast.cues.utf8.count
    let help = "write what openssl genpkey -algorithm ed25519 writes, or the key's 32 bytes"
    #expect(
      swapped
        == Command.Outcome(
          status: 65, output: "", errors: "cuelight: cues.yaml: the private key is not readable (\(size) bytes); \(help)\n"))
    let secret = try cuelight("replay '\(Broadcast.stamped)' --require-signature key.pem")
    #expect(secret.status == 65 && secret.errors.hasPrefix("cuelight: key.pem: this is a private key, which nobody"))
    #expect(try cuelight("replay '\(Broadcast.stamped)' --require-signature none").status == 66)
    #expect(try cuelight("stamp '\(Broadcast.path)' --cues cues.yaml --sign none -o show.ts").status == 66)
    #expect(scratch.names == ["cues.yaml", "key.pem", "other", "public"])
  }

  @Test func aKeyThatOthersMayReadIsNamed() throws {
    _ = try scratch.write(Self.privateKey, to: "key.pem", permissions: 0o644)
    let stamped = try stamp("-o show.ts")
    let warning = "key.pem: others may read this private key; keep it to yourself with chmod 600\n"
    #expect(stamped.status == 0 && stamped.errors == warning)
  }

  @Test func aKeyIsNoOutput() throws {
    try FileManager.default.moveItem(at: scratch["key.pem"], to: scratch["key.ts"])
    let refused = try cuelight("stamp '\(Broadcast.path)' --cues cues.yaml --sign key.ts -o key.ts --force")
    #expect(refused.status == 73)
    #expect(try String(contentsOf: scratch["key.ts"], encoding: .utf8) == Self.privateKey)
  }

  /// What only fits without its signature is a mistake of the sheet.
  @Test func aTagMustHaveRoomForIt() throws {
    let text = String(repeating: "x", count: 560)
    _ = try scratch.write("game: g\ntitle: T\ncues:\n  - { at: 1, event: note, text: \(text) }\n", to: "long.yaml")
    let stamp = "stamp '\(Broadcast.path)' --cues long.yaml --max-tag-size 800 -o show.ts"
    let refused = try cuelight("\(stamp) --sign key.pem")
    #expect(refused.status == 65 && refused.errors.contains("the event's tag has up to "))
    #expect(try cuelight(stamp).status == 0)
  }
}
