import ArgumentParser
import WebShell

/// The options of every web server: encryption, and trusted proxies.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A file with a certificate chain (PEM): then the server speaks HTTPS and HTTP/2.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("A file with the certificate's private key (PEM).", valueName: "file"))
  var privateKey: String?

  @Option(help: ArgumentHelp("The address or network of proxies whose X-Forwarded-For is believed; may be repeated.", valueName: "address"))
  var trustedProxy: [String] = []

  func validate() throws {
    for proxy in trustedProxy where !TrustedProxies.isAddress(proxy) {
      throw ValidationError("--trusted-proxy takes an address or a network such as 10.0.0.0/8, not \(proxy).")
    }
    guard (certificate == nil) == (privateKey == nil) else { throw ValidationError("--certificate and --private-key need each other.") }
  }

  /// The settings of a server that listens at a place.
  func settings(_ place: (host: String, port: Int), _ log: RequestLog? = nil) -> WebShell.Settings {
    var settings = WebShell.Settings(host: place.host, port: place.port)
    if let certificate, let privateKey { settings.certificate = (certificate, privateKey) }
    settings.proxies = TrustedProxies(trustedProxy)
    settings.log = log
    return settings
  }

  /// The addresses by which people reach a server that listens on a host.
  func reach(_ host: String, _ port: Int) -> ListenAddress.Reach {
    let names = certificate.map { CertificateNames.names(inFile: $0) } ?? []
    return ListenAddress.Reach(host: host, port: port, scheme: certificate == nil ? "http" : "https", names: names)
  }
}
