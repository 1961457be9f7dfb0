/// A language as playlists name it, by its shortest code (RFC 5646).
package struct LanguageTag {
  package let text: String

  /// Converts a container's language: three letters of ISO 639-2, or any other tag, which is kept unchanged. `nil` if it is undetermined.
  package init?(container name: String) {
    guard !name.isEmpty, name != "und" else { return nil }
    text = Self.short[name] ?? name
  }

  /// The two-letter codes (ISO 639-1) of the most common broadcast languages, by their three-letter codes, both bibliographic and terminological.
  private static let short = [
    "ara": "ar", "ben": "bn", "bul": "bg", "cat": "ca", "ces": "cs", "chi": "zh", "cze": "cs", "dan": "da", "deu": "de", "dut": "nl",
    "ell": "el", "eng": "en", "est": "et", "eus": "eu", "fas": "fa", "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gle": "ga",
    "gre": "el", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ice": "is", "ind": "id", "isl": "is", "ita": "it", "jpn": "ja",
    "kor": "ko", "lav": "lv", "lit": "lt", "may": "ms", "msa": "ms", "nld": "nl", "nor": "no", "per": "fa", "pol": "pl", "por": "pt",
    "ron": "ro", "rum": "ro", "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta",
    "tel": "te", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi", "zho": "zh",
  ]
}
