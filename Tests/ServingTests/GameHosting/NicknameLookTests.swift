import Basics
import GameHosting
import Nicknames
import Scoring
import Testing

/// Nicknames that look alike are one, and others are not.
@Suite struct NicknameLookTests {
  /// Whether two players can have these nicknames, in this order; a nickname that nobody can have is a problem of the test.
  private func areDifferent(_ first: String, _ second: String) throws -> Bool {
    var show = HostedShow()
    try show.join(first, key: "1")
    do throws(HostingProblem) {
      try show.join(second, key: "2")
      return true
    } catch {
      guard case .nicknameTaken = error else { throw error }
      return false
    }
  }

  @Test(
    arguments: [
      // Letters in either case, with and without accents.
      ("Anna", "anna"), ("Anna", "ANNA"), ("\u{C9}mile", "emile"), ("E\u{301}mile", "\u{C9}mile"), ("\u{C4}nne", "Anne"),
      ("Zo\u{EB}", "ZOE"),
      ("Stra\u{DF}e", "STRASSE"), ("\u{130}da", "Ida"), ("Nu\u{F1}o", "Nuno"), ("Fran\u{E7}ois", "Francois"),
      // Full width, mathematical letters, ligatures, letters in circles.
      ("Anna", "\u{FF21}\u{FF4E}\u{FF4E}\u{FF41}"), ("Paul", "\u{1D40F}\u{1D41A}\u{1D42E}\u{1D425}"), ("office", "o\u{FB03}ce"),
      ("Bob", "\u{24B7}\u{24DE}\u{24D1}"), ("Tom", "\u{FF34}\u{FF2F}\u{FF2D}"),
      // Cyrillic.
      ("Anna", "\u{410}nna"), ("Peter", "\u{420}\u{435}t\u{435}r"), ("Max", "\u{41C}\u{430}\u{445}"), ("Hans", "\u{41D}ans"),
      ("Tom", "\u{422}\u{41E}M"),
      ("Oscar", "\u{41E}s\u{441}ar"), ("Julia", "\u{408}ulia"), ("Susi", "\u{405}us\u{456}"), ("Bert", "\u{412}ert"), ("Kim", "\u{41A}im"),
      ("Yana", "\u{423}ana"), ("Eva", "\u{415}va"),
      // Greek.
      ("Anna", "\u{391}nna"), ("Oscar", "\u{39F}scar"), ("Kim", "\u{39A}im"), ("Eva", "\u{395}va"), ("Ida", "\u{399}da"),
      ("Tim", "\u{3A4}im"),
      ("Paula", "\u{3A1}aula"), ("Xaver", "\u{3A7}aver"), ("Bert", "\u{392}ert"), ("otto", "\u{3BF}tt\u{3BF}"), ("vera", "\u{3BD}era"),
      // Digits and signs that stand for letters, and signs and blanks between them.
      ("Bob", "B0b"), ("Bill", "B1ll"), ("Bill", "BiIl"), ("Lili", "|i|i"), ("Anna", "A n n a"), ("Anna", "A-n.n_a!"), ("Anna", "(Anna)"),
      ("Anna", "Anna."),
      // Other letters that look like two, or like one.
      ("Andr\u{E9}", "\u{410}ndr\u{E8}"), ("cafe", "ca\u{192}e"), ("\u{41C}\u{410}\u{425}", "max"),
    ]) func alike(first: String, second: String) throws
  {
    #expect(try !areDifferent(first, second))
    #expect(try !areDifferent(second, first))
  }

  /// Capital letters of Greek that look like others, though their small ones do not; and one that has two small ones.
  @Test(
    arguments: [
      ("Hans", "\u{397}ans"), ("Max", "\u{39C}ax"), ("MAX", "\u{39C}\u{391}\u{3A7}"), ("Nina", "\u{39D}ina"), ("Yvonne", "\u{3A5}vonne"),
      ("Zoe", "\u{396}oe"), ("\u{39D}\u{3AF}\u{3BA}\u{3BF}\u{3C2}", "\u{39D}\u{399}\u{39A}\u{39F}\u{3A3}"),
    ]) func greekCapitals(first: String, second: String) throws
  {
    #expect(try !areDifferent(first, second))
    #expect(try !areDifferent(second, first))
  }

  /// Alphabets of letters that look like those of Latin: of other scripts, of phonetics, and of decoration.
  @Test(
    arguments: [
      ("abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"), ("abcdefghijklmnopqrstuvwyz", "ⱥƀȼđɇƒǥħɨɉƙłɱɲøƥʠɍʂŧʉʌⱳɏƶ"),
      ("aceehiijmooprty", "ɐɕəɛɥɩɬʝɯɔɵƥɹʈʏ"), ("abcdeghijkmprstvwyz", "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᎷᏢᎡᏚᎢᏙᎳᎩᏃ"),
      ("abcdeghijkmprstvwyz", "ᎪᏏᏟᎠᎬᏳᎻᏞᎫᏦᎷᏢᏒᏕᎢᏙᏔᎽᏃ"),
      ("abcehiikmnoptxyz", "ⲀⲂⲤⲈⲎⲒⳐⲔⲘⲚⲞⲢⲦⲬⲨⲌ"), ("abcdefghijklmnoprstuvwxyz", "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ"), ("cosl", "𐐕𐐄𐐠𐐛"),
      ("cosl", "𐐽𐐬𐑈𐑃"),
      ("abcdefhjlmnpqrsuvwxz", "ᗩᗷᑕᗪᗴᖴᕼᒍᒪᗰᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔ"), ("beikmoqrvx", "ᛒⴹᛁᛕᛖⵔⵕᚱⴸⵝ"),
      ("abcdefghijklmnopqrstuvwxyz", "ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ"),
      ("abcdefghijklmnopqrstuvwxyz", "𝐚𝓫𝒄𝔡𝕖𝖋𝗀𝗵𝘪𝙟𝚔𝐥𝓶𝒏𝔬𝕡𝖖𝗋𝘀𝘵𝙪𝚟𝐰𝔁𝒚𝔷"), ("ABCXYZ", "🅐🅑🅒🅧🅨🅩"), ("ABCXYZ", "🅰🅱🅲🆇🆈🆉"), ("ABCXYZ", "🇦🇧🇨🇽🇾🇿"),
      ("ABCXYZ", "🄰🄱🄲🅇🅈🅉"),
      ("osuhgnqqj", "օѕսհցռգզյ"), ("Cesar", "\u{3F9}esar"), ("cesar", "\u{3F2}esar"), ("Susi", "\u{54F}usi"), ("aether", "\u{E6}ther"),
      ("Oeuvre", "\u{152}uvre"), ("Otto", "\u{3007}tt\u{25CB}"), ("\u{142}ukasz", "Lukasz"),
    ]) func rareAlphabets(first: String, second: String)
  {
    // Whole alphabets are longer than nicknames.
    #expect(!NicknameLook.looks(of: first).isDisjoint(with: NicknameLook.looks(of: second)))
  }

  /// Single letters of scripts that have nothing in common with the Latin alphabet, and pairs that look like one letter.
  @Test func strangers() throws {
    for scalar in "\u{101D}\u{5E1}\u{647}\u{6D5}\u{D20}\u{B20}\u{C82}\u{10FF}\u{12D0}\u{1D11}\u{104C2}\u{26AA}\u{2B55}".unicodeScalars {
      let stranger = Character(scalar)
      #expect(try !areDifferent("Bob", "B\(stranger)b"), "\(stranger)")
      #expect(try !areDifferent("B\(stranger)b", "Bob"), "\(stranger)")
    }
    #expect(try !areDifferent("Bcb", "B\u{1004}b"))
    for name in ["\u{627}ily", "\u{5D5}ily", "L\u{A647}ly", "\u{FE31}ily"] {
      #expect(try !areDifferent("Lily", name) && !areDifferent(name, "Lily"), "\(name)")
    }
    for (first, second) in [("Marn", "Mam"), ("clara", "dara"), ("Savva", "Sawa")] {
      #expect(try !areDifferent(first, second) && !areDifferent(second, first), "\(first)")
    }
    // Where they are at home they are letters of their own, with their marks.
    for (first, second) in [
      ("\u{5E1}\u{5B0}", "\u{5E1}\u{5B8}"), ("\u{5D5}\u{5D5}", "\u{5DF}\u{5DF}"), ("\u{627}\u{647}", "\u{627}\u{6D5}"), ("Clara", "Dara"),
      ("\u{101D}\u{102D}", "\u{101D}\u{102F}"),
    ] { #expect(try areDifferent(first, second), "\(first)") }
  }

  /// A place is called what it is called, and an insult beside it is one.
  @Test func harmlessWords() {
    #expect(!NicknameLook.isForbidden("Scunthorpe") && !NicknameLook.isForbidden("SCUNTHORPE Utd"))
    for name in ["cunt", "Scunt", "Scunthorp", "Scunthorpe cunt", "adrnin"] { #expect(NicknameLook.isForbidden(name), "\(name)") }
  }

  /// Who runs the show is called so: nobody else is, also not in a part of a nickname, or with an attribute.
  @Test(arguments: [
    "Host", "Official Host", "The Host!", "thehost", "Anna (Moderator)", "xX_Admin_Xx", "ADM1N 7", "GameAdmin", "Quiz-Moderator",
    "Mod Team",
    "0fficial", "Admins", "Host & Ko", "\u{41D}ost Anna", "real\u{200A}host", "Cuelight", "Cuelight Support", "TeamCuelight", "system",
    "null", "\u{645}\u{636}\u{64A}\u{641}",
    "\u{627}\u{644}\u{645}\u{634}\u{631}\u{641} 1",
  ]) func offices(name: String) { #expect(NicknameLook.isForbidden(name)) }

  /// A name that has such a word within another one is a name like others.
  @Test(arguments: [
    "Ghost", "Hostel", "Ghost Rider", "Modesty", "Theodor", "Real Madrid", "Admiral", "Staffan", "System of a Down", "Moderato",
    "Unofficial",
    "Nullarbor", "The Show",
  ]) func namesLikeOthers(name: String) { #expect(!NicknameLook.isForbidden(name)) }

  /// Digits of all scripts are those of ASCII, and so are those in circles.
  @Test func digits() {
    var count = 0
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .decimalNumber else { continue }
      let digit = Int(scalar.properties.numericValue ?? -1)
      #expect(NicknameLook.look(of: "a\(scalar)b") == NicknameLook.look(of: "a\(digit)b"), "\(scalar)")
      count += 1
    }
    #expect(count > 500)
    #expect(NicknameLook.look(of: "B\u{660}b \u{2776}\u{2461}") == NicknameLook.look(of: "Bob 12"))
  }

  /// On a letter of Latin, Greek or Cyrillic every mark is an accent, of whatever script it is.
  @Test func marks() {
    var count = 0
    for value in UInt32(0x300)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory) else {
        continue
      }
      for letter in ["a", "\u{3BB}", "\u{436}"] {
        #expect(NicknameLook.look(of: "\(letter)\(scalar)n\(scalar)") == "\(letter)n", "U+\(String(value, radix: 16))")
      }
      count += 1
    }
    #expect(count > 1_500)
  }

  @Test(
    arguments: [
      ("Anna", "Anne"), ("Anna", "Hanna"), ("Tim", "Tom"), ("Ben", "Ken"), ("Mia", "Maria"), ("Anna1", "Anna2"), ("3D", "8D"),
      ("Max", "Maxx"),
      // Other scripts: their marks and strokes are letters of their own.
      ("\u{674E}", "\u{5B63}"), ("\u{30AB}", "\u{30AC}"), ("\u{926}\u{93F}", "\u{926}\u{93E}"), ("\u{0E01}\u{0E34}", "\u{0E01}\u{0E35}"),
      ("\u{628}\u{628}", "\u{62A}\u{62A}"), ("\u{5D0}", "\u{5D1}"), ("\u{416}\u{435}\u{43D}\u{44F}", "\u{41A}\u{43E}\u{43B}\u{44F}"),
      ("\u{3A9}\u{3BC}\u{3AD}\u{3B3}\u{3B1}", "\u{3A8}\u{3B9}"), ("\u{AC00}", "\u{AC01}"),
      ("\u{5D1}\u{5B0}", "\u{5D1}\u{5B8}"), ("\u{628}\u{64E}", "\u{628}\u{64F}"), ("\u{BA8}\u{BBF}", "\u{BA8}\u{BC0}"),
      ("\u{1019}\u{102D}", "\u{1019}\u{102F}"), ("\u{179A}\u{17B7}", "\u{179A}\u{17B8}"), ("\u{13E3}\u{13B3}\u{13A9}", "\u{13E3}\u{13B3}"),
      // Pictures.
      ("\u{1F600}", "\u{1F680}"), ("Anna \u{1F600}", "Anna"), ("Anna \u{1F600}", "Anna \u{1F680}"), ("+1", "$1"),
    ]) func different(first: String, second: String) throws
  {
    #expect(try areDifferent(first, second))
    #expect(try areDifferent(second, first))
  }

  /// Characters that do not show are in no nickname.
  @Test(
    arguments: [
      "An\u{200B}na", "\u{FEFF}Anna", "Anna\u{AD}", "An\u{202E}na", "An\u{2060}na", "An\u{200D}na", "An\u{200C}na", "An\u{A0}na", "Anna\n",
      "An\tna",
      "An\u{E0041}na", "An\u{FE0F}na", "\u{3000}Anna", "", " ", "    ",
      // What is left is nothing to tell players apart by.
      "!", "...", "- -", "\u{301}",
      // As long as that.
      String(repeating: "x", count: 65), String(repeating: "\u{1F600}", count: 17),
    ]) func nobodyCanHave(nickname: String)
  {
    var show = HostedShow()
    let problem = #expect(throws: HostingProblem.self) { try show.join(nickname) }
    #expect(problem?.kind == "nickname-invalid" && problem?.description.isEmpty == false && show.players == [])
  }

  @Test(
    arguments: [
      "Admin", "admin", "ADM1N", "\u{410}dmin", "Host", "H0st", "h.o.s.t", "Moderator", "System", "Cuelight", "CUEL1GHT", "Administrator",
      "null", "undefined", "fuck",
      "xxFuCkxx", "f u c k", "H1tler", "\u{410}rschloch", "Host 1", "Host1", "1 Host", "H0st 22", "hOsT99", "Cuelight 7", "#Cue1ight#",
      "Admin\u{AE}", "\u{2605}Host\u{2605}", "\u{2776}Host", "ʜᴏꜱᴛ", "ꓧꓳꓢꓔ 2", "🅷🅾🆂🆃", "🇭🇴🇸🇹", "fvck", "f*ck", "f**k", "F#CK", "fu@k",
      "fuuuuck",
      "f.u.c.k", "ffuucckk", "xx f*ck xx", "h!tler", "h1tl3r", "H!tl3r", "n1gg3r", "n*gger", "@f*ck", "cvn7", "ᖴᑌᑕᛕ", "🅕🅤🅒🅚", "🇫🇺🇨🇰", "ꜰᴜᴄᴋ",
      "f\u{B7}uck",
    ]) func notAllowed(nickname: String)
  {
    var show = HostedShow()
    #expect(throws: HostingProblem.nicknameInvalid("this nickname is not allowed; choose another")) { try show.join(nickname) }
    #expect(show.players == [])
  }

  /// Names that only begin with such a word, are of people or countries, or have signs that hide too much to be a word.
  @Test(
    arguments: [
      "Hosten", "Systema", "Nullmann", "Cuelights", "Hostin", "Ghost 1", "Nigeria", "Niger", "Kunta", "50 Cent",
      "Tom*",
      "f***", "C++", "Mac** test", "f * * k", "7of9", "!!!1", "A*b*c*d",
    ]) func allowed(nickname: String) throws
  {
    var show = HostedShow()
    try show.join(nickname)
    #expect(show.players.count == 1)
  }

  /// A look is one of its own: looking at it again changes nothing, and neither do accents and signs.
  @Test func looks() {
    var numbers = SeededNumbers(seed: 6)
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<8 { text.unicodeScalars.append(Unicode.Scalar(UInt32(numbers.below(0x500))) ?? "a") }
      let look = NicknameLook.look(of: text)
      #expect(NicknameLook.look(of: look) == look, "\(text)")
      #expect(NicknameLook.look(of: text + "\u{301}") == look, "\(text)")
      #expect(NicknameLook.look(of: text + "!") == look, "\(text)")
    }
    #expect(NicknameLook.look(of: "B\u{F6}b-1 |\u{41C}\u{430}\u{445}") == "bobiimax")
  }

  // MARK: Suggestions

  private func suggestions(_ nickname: String, _ show: inout HostedShow) -> [String] {
    let problem = #expect(throws: HostingProblem.self) { try show.join(nickname, key: "another client") }
    guard case .nicknameTaken(let suggestions)? = problem else { return [] }
    return suggestions
  }

  @Test func freeOnes() throws {
    var show = HostedShow()
    try show.join("Anna")
    let first = suggestions("anna", &show)
    #expect(first == ["anna2", "anna3", "anna4"])
    try show.join("ANNA3")
    try show.join("A n n a 2")
    let second = suggestions("Anna", &show)
    #expect(second == ["Anna4", "Anna5", "Anna6"])
    for number in 4...9 { try show.join("Anna\(number)") }
    // Larger ones are found by chance.
    let third = suggestions("Anna", &show)
    #expect(third.count == 3)
    for suggestion in third {
      #expect(Int(suggestion.dropFirst(4)).map { $0 > 9 } == true && suggestion.hasPrefix("Anna"), "\(suggestion)")
    }
    try show.join(try #require(third.first))
  }

  /// A number never makes a word of a nickname that nobody may have.
  @Test func suggestionsAreAllowed() throws {
    var show = HostedShow()
    try show.join("Cun")
    let found = suggestions("cun", &show)
    #expect(found == ["cun2", "cun3", "cun4"])
    for nickname in found { try show.join(nickname) }
    let more = suggestions("cun", &show)
    #expect(more == ["cun5", "cun6", "cun8"])
  }

  /// Whatever is suggested can be had, also for the longest nicknames.
  @Test(
    arguments: [
      "A", "Anna", String(repeating: "x", count: 64), String(repeating: "\u{E9}", count: 32), String(repeating: "\u{1F600}", count: 16),
      String(repeating: "\u{1F468}\u{200D}\u{1F469}", count: 5), "a                                                              b",
    ]) func canBeHad(nickname: String) throws
  {
    var show = HostedShow()
    try show.join(nickname)
    for round in 0..<2 {
      let found = suggestions(nickname, &show)
      #expect(found.count == 3 && Set(found).count == 3)
      for suggestion in found {
        #expect(suggestion.utf8.count <= Nickname.largestLength)
        try show.join(suggestion)
      }
      #expect(show.players.count == 4 + 3 * round)
    }
    // Larger numbers have room, too.
    for _ in 0..<20 {
      let found = suggestions(nickname, &show)
      let first = try #require(found.first)
      #expect(first.utf8.count <= Nickname.largestLength)
      try show.join(first)
    }
  }
}
