/// E-mail addresses as HTML forms accept them.
enum EmailAddress {
  /// Whether a text is a valid e-mail address by the definition of HTML (https://html.spec.whatwg.org/#valid-e-mail-address): ASCII letters, digits
  /// and some signs, an `@`, and labels of 1 to 63 letters, digits and hyphens that neither begin nor end with a hyphen.
  static func isValid(_ text: String) -> Bool {
    let pattern =
      #/[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*/#
    // By characters, signs that Unicode holds to be equal to ASCII would match, too.
    return text.wholeMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil
  }
}
