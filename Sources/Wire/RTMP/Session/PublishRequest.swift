/// A publisher's request.
package struct PublishRequest: Equatable, Sendable {
  /// The application, without a query.
  package var application: String
  /// The stream key, without a query.
  package var key: String
  /// The message stream that the publisher uses.
  package var streamID: UInt32
}

extension PublishRequest {
  init(application: String, written key: String, _ streamID: UInt32) {
    self.init(application: Self.name(application), key: Self.name(key), streamID: streamID)
  }

  /// A name without a query, and without slashes around it.
  private static func name(_ text: String) -> String {
    var name = text.prefix { $0 != "?" }
    while name.last == "/" { name = name.dropLast() }
    while name.first == "/" { name = name.dropFirst() }
    return String(name)
  }
}

/// Why a publisher is refused.
package enum PublishRefusal: Equatable, Sendable {
  /// There is no such application.
  case unknownApplication
  /// The key is wrong.
  case wrongKey
  /// Somebody else publishes the stream.
  case isPublished

  /// The code and the words of the status that says so.
  var status: (code: String, description: String) {
    switch self {
    case .unknownApplication: ("NetStream.Publish.Failed", "There is no such application.")
    case .wrongKey: ("NetStream.Publish.Unauthorized", "The stream key is wrong.")
    case .isPublished: ("NetStream.Publish.BadName", "The stream is being published already.")
    }
  }
}
