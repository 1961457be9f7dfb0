import Basics
import HTTPClient
import Testing

@testable import OtherInjectors

/// The signatures that botocore 1.44.8 (`SigV4Auth`) makes of the same requests at the same date.
@Suite struct AWSSignatureTests {
  private static let body = #"{"channelArn":"arn:aws:ivs:eu-west-1:123456789012:channel/abcd","metadata":"x"}"#
  private static let start = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/ivs/aws4_request, SignedHeaders="

  private func signed(_ token: String?) -> WebRequest {
    let keys = AWSCredentials(
      accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: token)
    let request = WebRequest(
      .post, url: "https://ivs.eu-west-1.amazonaws.com/PutMetadata", fields: [.init("Content-Type", "application/json")],
      body: Array(Self.body.utf8))
    // 2026-01-02 03:04:05
    return AWSSignature(credentials: keys, region: "eu-west-1", service: "ivs").sign(request, at: 1_767_323_045_678)
  }

  @Test func key() {
    #expect(
      signed(nil).fields == [
        .init("Content-Type", "application/json"), .init("X-Amz-Date", "20260102T030405Z"),
        .init(
          "Authorization",
          Self.start
            + "content-type;host;x-amz-date, Signature=7a115affd5e95ed9d1a6e00f73ec8bec06d7e07d105cb484d52ba30d069e8c45"),
      ])
    #expect(signed(nil).body == Array(Self.body.utf8))
  }

  @Test func sessionToken() {
    #expect(
      signed("TOKEN/+=").fields == [
        .init("Content-Type", "application/json"), .init("X-Amz-Date", "20260102T030405Z"), .init("X-Amz-Security-Token", "TOKEN/+="),
        .init(
          "Authorization",
          Self.start + "content-type;host;x-amz-date;x-amz-security-token, "
            + "Signature=d00a3e869e116ebc257cbbeebbf757a43c8af3590592d8af182e83eb01f11bba"),
      ])
  }
}
