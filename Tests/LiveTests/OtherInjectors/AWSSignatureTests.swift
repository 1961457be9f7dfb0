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

  /// S3 states what its content is, and encodes a path once (botocore's `S3SigV4Auth`).
  @Test func storage() throws {
    let keys = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    let request = WebRequest(
      .put, url: "https://shows.s3.eu-west-1.amazonaws.com/friday%20night/a%2Bb.ts", fields: [.init("Content-Type", "video/mp2t")],
      body: Array("xyz".utf8))
    let signed = AWSSignature(credentials: keys, region: "eu-west-1", service: "s3").sign(request, at: 1_767_323_045_678)
    #expect(
      signed.fields == [
        .init("Content-Type", "video/mp2t"),
        .init("X-Amz-Content-Sha256", "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282"),
        .init("X-Amz-Date", "20260102T030405Z"),
        .init(
          "Authorization",
          "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/s3/aws4_request, "
            + "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, "
            + "Signature=95c71413b65952df8146229b6d0d3ae515e1568b5bc71e610e41bc24b1392c70"),
      ])
  }
}
