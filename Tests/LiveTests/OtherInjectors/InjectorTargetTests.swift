import Basics
import Testing

@testable import OtherInjectors

@Suite struct InjectorTargetTests {
  @Test func addresses() throws {
    let ivs = try InjectorTarget("ivs:arn:aws:ivs:eu-west-1:123456789012:channel/abCD-1")
    #expect(ivs.system == .ivs && ivs.region == "eu-west-1" && ivs.parts == ["arn:aws:ivs:eu-west-1:123456789012:channel/abCD-1"])
    let mediaLive = try InjectorTarget("medialive:arn:aws:medialive:us-east-1:123456789012:channel:1234567")
    #expect(mediaLive.system == .mediaLive && mediaLive.region == "us-east-1" && mediaLive.parts == ["1234567"])
    let antMedia = try InjectorTarget("antmedia:https://media:5443/LiveApp/show%2F1")
    #expect(antMedia.server == "https://media:5443" && antMedia.parts == ["LiveApp", "show/1"])
    let engine = try InjectorTarget("ome:http://127.0.0.1:8081/default/app/show")
    #expect(engine.server == "http://127.0.0.1:8081" && engine.parts == ["default", "app", "show"])
    #expect(try InjectorTarget("wowza:http://w/live/show").parts == ["live", "show"])
    let wowza = try InjectorTarget("wowza:http://w/live/_definst_/show")
    #expect(wowza.parts == ["live", "_definst_", "show"] && wowza.text == "wowza:http://w/live/_definst_/show")
  }

  @Test func mistakes() {
    let wrong = [
      "", "ivs", "ivs:", "foo:http://a/b/c", "http://a/b/c", "ivs:arn:aws:ivs::1:channel/a", "ivs:arn:aws:ivs:eu-west-1:1:channel/",
      "ivs:arn:aws:ivs:eu/west:1:channel/a", "ivs:arn:aws:medialive:eu-west-1:1:channel:1",
      "medialive:arn:aws:medialive:eu-west-1:1:channel:",
      "medialive:arn:aws:medialive:eu-west-1:1:channel:../1", "antmedia:https://h/only", "antmedia:https://h/a/b/c", "antmedia:h/a/b",
      "ome:http://h/a/b", "wowza:http://h/a/b/c/d", "wowza:http://h/a/", "wowza:http://h/a/%FF", "wowza:http://h/a/b?x",
      "wowza:ftp://h/a/b",
    ]
    for text in wrong { #expect(throws: InjectorTarget.Mistake.self, "\(text)") { try InjectorTarget(text) } }
    // What is secret is not repeated.
    do {
      _ = try InjectorTarget("wowza:http://user:secret@h/a/b")
      Issue.record("a user is no part of an address")
    } catch {
      #expect("\(error)" == "an injector's address has no user, ? and #; a token comes from a file or the environment")
    }
  }
}

@Suite struct InjectorCredentialsTests {
  private static let keys = AWSCredentials(accessKeyID: "AKID", secretAccessKey: "se/cret")

  @Test func environment() throws {
    let variables = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "se/cret", "AWS_SESSION_TOKEN": "", "CUELIGHT_TOKEN": "t"]
    #expect(try InjectorCredentials(environment: variables, for: .ivs) == .amazon(Self.keys))
    #expect(try InjectorCredentials(environment: variables, for: .wowza) == .token("t"))
    #expect(try InjectorCredentials(environment: [:], for: .wowza) == .none)
    #expect(throws: InjectorCredentials.Mistake.self) { try InjectorCredentials(environment: [:], for: .mediaLive) }
    for token in ["a b", "é", "a\nb"] {
      #expect(throws: InjectorCredentials.Mistake.self) { try InjectorCredentials(environment: ["CUELIGHT_TOKEN": token], for: .antMedia) }
    }
  }

  @Test func files() throws {
    let text = """
      # of the tools
      [other]
      aws_access_key_id=OTHER
      aws_secret_access_key = o
      aws_session_token = t=
      [ default ]
      AWS_ACCESS_KEY_ID = AKID\r
      aws_secret_access_key=se/cret
      region = eu-west-1
      """
    #expect(try InjectorCredentials(parsing: text, for: .ivs) == .amazon(Self.keys))
    let other = AWSCredentials(accessKeyID: "OTHER", secretAccessKey: "o", sessionToken: "t=")
    #expect(try InjectorCredentials(parsing: text, for: .ivs, profile: "other") == .amazon(other))
    #expect(throws: InjectorCredentials.Mistake.self) { try InjectorCredentials(parsing: text, for: .ivs, profile: "none") }
    #expect(try InjectorCredentials(parsing: " user:word \n", for: .ovenMediaEngine) == .token("user:word"))
    #expect(throws: InjectorCredentials.Mistake.self) { try InjectorCredentials(parsing: "", for: .wowza) }
  }

  /// Nothing that is secret is in a text.
  @Test func secrets() {
    let keys = AWSCredentials(accessKeyID: "AKID", secretAccessKey: "se/cret", sessionToken: "to+ken")
    let credentials = InjectorCredentials.amazon(keys)
    #expect("\(credentials)" == "credentials")
    #expect(credentials.hiding(in: "AKID se/cret, x-amz-security-token:to+ken") == "… …, x-amz-security-token:…")
    #expect(InjectorCredentials.token("abc").hiding(in: "abcabc d") == "…… d")
  }
}
