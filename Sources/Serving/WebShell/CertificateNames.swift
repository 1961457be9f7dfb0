import NIOSSL

/// The names of a server, as its certificate has them.
package enum CertificateNames {
  /// The DNS names of the first certificate of a file, without those with a wildcard; none if it cannot be read, which whoever listens with it says.
  ///
  /// - Parameter path: A certificate chain in PEM.
  package static func names(inFile path: String) -> [String] {
    let leaf: NIOSSLCertificate?
    do { leaf = try NIOSSLCertificate.fromPEMFile(path).first } catch { return [] }
    return (leaf?._subjectAlternativeNames()).map { names in
      names.filter { $0.nameType == .dnsName }.map { String(decoding: Array($0.contents), as: UTF8.self) }.filter { !$0.contains("*") }
    } ?? []
  }
}
