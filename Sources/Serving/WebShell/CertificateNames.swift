import NIOSSL

/// The names of a server in its certificate.
package enum CertificateNames {
  /// The DNS names in the first certificate of a file, without wildcards; none if the file cannot be read, which is reported when a server listens
  /// with it.
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
