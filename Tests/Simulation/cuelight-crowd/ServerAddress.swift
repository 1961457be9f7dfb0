/// Where the game server is: `http://HOST:PORT`.
struct ServerAddress: Equatable, Sendable {
  let host: String
  let port: Int
  /// The host and the port as the header `Host` has them.
  let authority: String

  /// - Parameter text: `http://`, a name or an address, a port where it is not 80, and a slash or nothing behind.
  init?(_ text: String) {
    let scheme = "http://"
    guard text.hasPrefix(scheme) else { return nil }
    var place = text.dropFirst(scheme.count)
    if place.last == "/" { place.removeLast() }
    guard !place.isEmpty, place.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !place.contains(where: { "/?#@\\".contains($0) }) else {
      return nil
    }
    authority = String(place)
    // The colons within brackets belong to the address.
    let colon = place.lastIndex(of: ":").flatMap { place[$0...].contains("]") ? nil : $0 }
    guard let port = colon.map({ Int(place[place.index(after: $0)...]) }) ?? 80, (1...65_535).contains(port) else { return nil }
    self.port = port
    let name = colon.map { place[..<$0] } ?? place
    host = String(name.hasPrefix("[") && name.hasSuffix("]") ? name.dropFirst().dropLast() : name)
    guard !host.isEmpty else { return nil }
  }
}
