import HTTPClient
@testable import OtherInjectors
import Testing

@testable import LiveSession

@Suite struct PushAddressTests {
  @Test func forms() throws {
    let files = try #require(PushAddress("https://a.example/live/show.m3u8?key=secret"))
    #expect(files.form == .files && files.name == "https://a.example/live/show.m3u8" && !files.needsFragments)
    #expect(files.url(of: "x-1.ts") == "https://a.example/live/x-1.ts?key=secret" && files.fileName == "show.m3u8")
    let mpd = try #require(PushAddress("http://a.example/index.mpd"))
    #expect(mpd.isDescription && mpd.needsFragments)
    let ingest = try #require(PushAddress("cmaf+http://a.example:8080/point/"))
    #expect(ingest.form == .ingest && ingest.url == "http://a.example:8080/point" && ingest.needsFragments)
    let bucket = try #require(PushAddress("s3://shows/friday/index.m3u8"))
    #expect(bucket.form == .bucket && bucket.url(of: "x-1.ts") == "s3://shows/friday/x-1.ts")
  }

  @Test(arguments: [
    "https://a.example/live", "https:///index.m3u8", "https://u:p@a.example/index.m3u8", "cmaf+https://u:p@a.example/point",
    "s3://index.m3u8",
    "s3://b/index.m3u8?versionId=1", "ftp://a.example/index.m3u8", "https://a.example/index.m3u8#x", "index.m3u8",
  ]) func others(text: String) { #expect(PushAddress(text) == nil) }

  @Test func buckets() {
    let amazon = PushStorage(environment: ["AWS_REGION": "eu-west-1"])
    #expect(amazon.url(of: "s3://shows/a/b.ts") == "https://shows.s3.eu-west-1.amazonaws.com/a/b.ts")
    #expect(amazon.url(of: "s3://shows.example/b.ts") == "https://s3.eu-west-1.amazonaws.com/shows.example/b.ts")
    let other = PushStorage(environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:5000/"])
    #expect(other.region == "us-east-1" && other.url(of: "s3://shows/a/b.ts") == "http://127.0.0.1:5000/shows/a/b.ts")
  }

  @Test func credentials() throws {
    let text = """
      # who may write
      basic friday:pass word
      """
    #expect(throws: PushCredentials.Mistake(description: "line 2: it has to be [URL] basic NAME:PASSWORD, or [URL] bearer TOKEN")) {
      try PushCredentials(parsing: text)
    }
    let read = try PushCredentials(
      parsing: """
        bearer everywhere
        https://a.example basic name:pass

        [default]
        aws_access_key_id = KEY
        aws_secret_access_key = SECRET
        """)
    let fields = { (url: String) in read.access(for: url).fields(for: url) }
    #expect(fields("https://a.example/x") == [.init("Authorization", "Basic bmFtZTpwYXNz")])
    for url in ["https://a.example.org/x", "https://a.example:8443/x"] {
      #expect(fields(url) == [.init("Authorization", "Bearer everywhere")])
    }
    // Another server does not get what is for this one.
    #expect(read.access(for: "https://a.example/x").fields(for: "https://b.example/x").isEmpty)
    #expect(read.keys == AWSCredentials(accessKeyID: "KEY", secretAccessKey: "SECRET") && "\(read)" == "credentials")
    #expect(throws: PushCredentials.Mistake(description: "there are no credentials in it")) { try PushCredentials(parsing: "\n") }
  }
}
