import Testing

@testable import Files

/// Which files of secrets the service manager vouches for.
@Suite struct ServiceCredentialTests {
  private static let folder = "/run/credentials/cuelight.service"

  @Test(
    arguments: [
      ("\(folder)/tokens", 0, 0o400, true), ("\(folder)/tokens", 0, 0o440, true),
      // Everybody may read it, or others may change it.
      ("\(folder)/tokens", 0, 0o444, false), ("\(folder)/tokens", 0, 0o460, false), ("\(folder)/tokens", 0, 0o640, false),
      // It is somebody else's, or elsewhere.
      ("\(folder)/tokens", 1_000, 0o440, false), ("/etc/cuelight/tokens", 0, 0o440, false), ("\(folder)-2/tokens", 0, 0o440, false),
      ("\(folder)/../other.service/tokens", 0, 0o440, false), ("tokens", 0, 0o440, false),
    ] as [(String, UInt32, UInt32, Bool)])
  func files(path: String, owner: UInt32, permissions: UInt32, isCredential: Bool) {
    #expect(ServiceCredential.includes(path, owner: owner, permissions: permissions, in: Self.folder) == isCredential)
    #expect(ServiceCredential.includes(path, owner: owner, permissions: permissions, in: Self.folder + "/") == isCredential)
  }

  /// Without a service manager no file is special.
  @Test(arguments: [nil, "", "run/credentials"]) func noFolder(folder: String?) {
    #expect(!ServiceCredential.includes("/run/credentials/tokens", owner: 0, permissions: 0o400, in: folder))
    #expect(!ServiceCredential.includes("run/credentials/tokens", owner: 0, permissions: 0o400, in: folder))
  }
}
