// What platforms refuse.

extension DoctorRule {
  static let tagLimit = DoctorRule(
    "LIMIT-IVS-TAG-SIZE", .platforms, .warning, "Size of a tag",
    source: "Amazon IVS, PutMetadata",
    expected: "tags of at most 1,024 bytes",
    advice: "Say less in an event, or do without IVS.")
  static let rateLimit = DoctorRule(
    "LIMIT-IVS-RATE", .platforms, .note, "Rate of tags",
    source: "Amazon IVS, PutMetadata",
    expected: "at most 5 tags in any second",
    advice: "Nothing, unless the tags go through IVS: then send fewer copies.")

  static let platformRules: [DoctorRule] = [
    tagLimit, rateLimit,
  ]
}
