import Basics

/// A client's request that the following node forwards to the leading one.
package struct PairCall: Equatable, Sendable {
  package var method: String
  /// The path with the query.
  package var path: String
  package var fields: [Field]
  /// Whether the client is on the machine of the node that forwards it.
  package var isLocal: Bool
  package var body: [UInt8]

  /// A header field.
  package struct Field: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  package init(method: String, path: String, fields: [Field], isLocal: Bool, body: [UInt8]) {
    (self.method, self.path, self.fields, self.isLocal, self.body) = (method, path, fields, isLocal, body)
  }
}

/// The leading node's answer.
package struct PairAnswer: Equatable, Sendable {
  package var status: Int
  package var fields: [PairCall.Field]
  package var body: [UInt8]

  package init(status: Int, fields: [PairCall.Field], body: [UInt8]) { (self.status, self.fields, self.body) = (status, fields, body) }
}

/// A change of the live presentation, which the following node serves as well.
package struct PairFiles: Equatable, Sendable {
  /// A file.
  package struct File: Equatable, Sendable {
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
  }

  /// A media playlist in the form for clients over HTTP that may ask for delta updates.
  package struct Reloaded: Equatable, Sendable {
    package var name: String
    package var text: String
    /// The delta update; `nil` if nothing can be left out.
    package var update: String?
    /// The same without the date ranges that the client knows; `nil` if that is not offered.
    package var rangeUpdate: String?

    package init(name: String, text: String, update: String? = nil, rangeUpdate: String? = nil) {
      (self.name, self.text, self.update, self.rangeUpdate) = (name, text, update, rangeUpdate)
    }
  }

  package var segments: [File] = []
  /// The playlists, in the order in which to replace them.
  package var playlists: [File] = []
  /// The media playlists for clients over HTTP; none if these get the same as others.
  package var reloaded: [Reloaded] = []
  /// The names of segments that clients may no longer load.
  package var removable: [String] = []
  /// The names of segments that players may request before they exist.
  package var upcoming: [String] = []
  /// In seconds.
  package var targetDuration: Int

  package init(targetDuration: Int) { self.targetDuration = targetDuration }
}

extension [PairCall.Field] {
  var objects: [JSONObject] { map { JSONObject(fields: ["name": $0.name, "value": $0.value]) } }

  /// The header fields of a message.
  init(_ object: JSONObject) throws(JSONFieldError) {
    self = try object.list("fields") { (field) throws(JSONFieldError) in
      try field.object.map { (field) throws(JSONFieldError) in
        PairCall.Field(name: try field.string("name"), value: try field.string("value"))
      }
    }
  }
}
