/// Why a crowd cannot play, or not to the end.
struct CrowdFailure: Error, CustomStringConvertible, Sendable {
  let description: String

  init(_ description: String) { self.description = description }
}
