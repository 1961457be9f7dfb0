package import OtherInjectors

/// How a third-party injector is reached: its address from an argument, and its credentials from a file or the environment, because others can see
/// arguments.
package enum InjectorAccess {
  private static let largestFile = 1 << 20

  /// - Parameters:
  ///   - target: The injector, such as `ivs:arn:aws:ivs:eu-west-1:123456789012:channel/abc`.
  ///   - path: The file with the credentials; `nil` for the environment.
  ///   - isAlone: Whether the events do not belong to a game that continues.
  package static func request(
    to target: InjectorTarget, credentials path: String?, environment: [String: String], isAlone: Bool = false
  ) throws(CommandFailure) -> InjectorRequest {
    var text: String?
    if let path {
      text = String(decoding: try SmallFile(path: path).secret(limit: largestFile, ("these credentials", "them")), as: UTF8.self)
    }
    let credentials: InjectorCredentials
    do throws(InjectorCredentials.Mistake) {
      credentials =
        if let text {
          try InjectorCredentials(parsing: text, for: target.system, profile: environment["AWS_PROFILE"] ?? "default")
        } else {
          try InjectorCredentials(environment: environment, for: target.system)
        }
    } catch {
      throw CommandFailure(invalid: (path.map { "\($0): " } ?? "") + error.description)
    }
    return InjectorRequest(target, credentials, endpoint: endpoint(of: target, environment), isAlone: isAlone)
  }

  /// The replacement of Amazon's service that its own tools also read from the environment.
  private static func endpoint(of target: InjectorTarget, _ environment: [String: String]) -> String? {
    let url = environment["AWS_ENDPOINT_URL_\(target.system.rawValue.uppercased())"] ?? environment["AWS_ENDPOINT_URL"]
    return url.flatMap { $0.isEmpty ? nil : String($0.last == "/" ? $0.dropLast() : $0[...]) }
  }
}
