import Testing

@testable import HTTPClient

@Suite struct CurlFunctionsTests {
  /// Why libcurl's functions cannot be had where the library has this name; `nil` where they can.
  private func refusal(_ name: String) -> String? {
    if case .failure(.libraryMissing(let text)) = CurlFunctions.open(name) { text } else { nil }
  }

  @Test func findsTheLibrary() throws {
    _ = try CurlFunctions.open().get()
    try NetworkInput.requireLibrary(for: "http://a/")
  }

  @Test func namesAMissingLibrary() throws {
    let reason = try #require(refusal("libnothing.so.1"))
    #expect(reason.hasPrefix("libcurl is needed: ") && reason.contains("libnothing.so.1") && reason.hasSuffix("(Debian: libcurl4)"))
  }

  @Test func refusesALibraryWithoutItsFunctions() throws {
    // Every process of Swift's has this one.
    #if canImport(Darwin)
      let other = "libSystem.B.dylib"
    #else
      let other = "libc.so.6"
    #endif
    #expect(try #require(refusal(other)).contains("curl_easy_cleanup"))
  }
}
