import LibAV
import Testing

/// Addresses of the network.
@Suite struct NetworkStreamTests {
  /// Messages show neither passphrases nor users, and paths as they are.
  @Test(
    arguments: [
      ("srt://u:p@h:1/x?passphrase=y", "srt://h:1/x"), ("srt://u:p@h:1?passphrase=y", "srt://h:1"), ("http://u:p@q@h/a@b", "http://h/a@b"),
      ("http://u@[::1]:80#x@y", "http://[::1]:80#x@y"), ("udp://@239.1.2.3:5", "udp://239.1.2.3:5"), ("rtmp://h/app", "rtmp://h/app"),
      ("http://h/a@b", "http://h/a@b"), ("http:///a@b", "http:///a@b"), ("http://h/?\u{301}a", "http://h/"), ("/a@b/c.ts", "/a@b/c.ts"),
      ("a://", "a://"), ("a/b://c@d", "a/b://c@d"), ("//a@b/c", "//a@b/c"), ("-", "-"), ("", ""),
    ])
  func withoutSecrets(address: String, shown: String) { #expect(address.withoutSecrets == shown) }
}
