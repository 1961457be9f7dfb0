/// A language as playlists name it (RFC 5646), which is by its shortest code.
package struct LanguageTag {
  package let text: String

  /// Takes a language as containers name it: three letters of ISO 639-2, or any other tag, which stays as it is. `nil` if it is undetermined.
  package init?(container name: String) {
    guard !name.isEmpty, name != "und" else { return nil }
    text = Self.short[name] ?? name
  }

  /// The codes of two letters (ISO 639-1) of the languages that broadcasts are most often in, by their codes of three letters, both the
  /// bibliographic and the terminological one.
  private static let short = [
    "ara": "ar", "ben": "bn", "bul": "bg", "cat": "ca", "ces": "cs", "chi": "zh", "cze": "cs", "dan": "da", "deu": "de", "dut": "nl",
    "ell": "el", "eng": "en", "est": "et", "eus": "eu", "fas": "fa", "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gle": "ga",
    "gre": "el", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ice": "is", "ind": "id", "isl": "is", "ita": "it", "jpn": "ja",
    "kor": "ko", "lav": "lv", "lit": "lt", "may": "ms", "msa": "ms", "nld": "nl", "nor": "no", "per": "fa", "pol": "pl", "por": "pt",
    "ron": "ro", "rum": "ro", "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta",
    "tel": "te", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi", "zho": "zh",
  ]
}
