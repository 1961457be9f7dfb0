import ArgumentParser
import CommandSupport
import Foundation
import LiveSession

/// The options of `live` for pushes to origins.
struct PushOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with what origins ask for: lines of [URL] basic NAME:PASSWORD or [URL] bearer TOKEN, and [default] with keys of AWS; only its owner may read it.",
      valueName: "file"))
  var pushCredentials: String?

  @Option(
    help: ArgumentHelp("A server that speaks as S3 does, for outputs of s3://; without it, AWS_ENDPOINT_URL or Amazon's.", valueName: "url")
  )
  var s3Endpoint: String?

  @Flag(help: "Give outputs of cmaf+http(s):// a track with the events, besides the messages in the main track.")
  var eventTrack = false

  /// Checks the outputs that are origins.
  func validate(_ command: LiveCommand) throws {
    let origins = command.output.compactMap { LiveOutputAddress($0)?.origin }
    let isFragmented = command.stream.isFragmented
    for origin in origins where origin.needsFragments && !isFragmented {
      throw ValidationError("\(origin.name) takes fragmented MP4: add --segment-type fmp4.")
    }
    guard !eventTrack || origins.contains(where: { $0.form == .ingest }) else {
      throw ValidationError("--event-track is for an output of cmaf+http:// or cmaf+https://.")
    }
    let hasBucket = origins.contains { $0.form == .bucket }
    guard s3Endpoint == nil || hasBucket else { throw ValidationError("--s3-endpoint is for an output of s3://.") }
    if let s3Endpoint, !s3Endpoint.hasPrefix("http://"), !s3Endpoint.hasPrefix("https://") {
      throw ValidationError("--s3-endpoint takes a URL of http or https, not \(s3Endpoint).")
    }
    guard pushCredentials == nil || !origins.isEmpty else {
      throw ValidationError("--push-credentials is for outputs of http(s)://, cmaf+http(s):// and s3://.")
    }
  }

  /// Applies these options. The file with credentials is read.
  func apply(to settings: inout LiveSettings) throws(CommandFailure) {
    let origins = settings.outputs.compactMap(\.origin)
    settings.hasEventTrack = eventTrack
    guard !origins.isEmpty else { return }
    let environment = ProcessInfo.processInfo.environment
    settings.pushStorage = PushStorage(environment: environment)
    if let s3Endpoint { settings.pushStorage.endpoint = s3Endpoint }
    settings.pushCredentials = try orFail(PushCredentials(environment: environment)) { (error: PushCredentials.Mistake) in
      CommandFailure("\(error)", status: CommandFailure.wrongUsage)
    }
    if let path = pushCredentials {
      let text = String(decoding: try SmallFile(path: path).secret(limit: 64 << 10, ("these credentials", "them")), as: UTF8.self)
      var read = try orFail(PushCredentials(parsing: text)) { (error: PushCredentials.Mistake) in
        CommandFailure(invalid: "\(path): \(error)")
      }
      read.takeKeys(of: settings.pushCredentials)
      settings.pushCredentials = read
    }
    guard settings.pushCredentials.keys == nil, let bucket = origins.first(where: { $0.form == .bucket }) else { return }
    throw CommandFailure(
      "\(bucket.name): a bucket wants a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file with --push-credentials",
      status: CommandFailure.wrongUsage)
  }
}
