import Basics
import GameEvents
import Sheets
import TestSupport
import Testing

@testable import Questions

/// Tables as people have them: any separator, order, language and encoding, and the forms of other quiz programs.
@Suite struct TableTests {
  static func read(_ text: String) -> QuestionBank.Reading { QuestionBank.Reading(csv: text) }
  static func questions(_ text: String, _ options: TableOptions = TableOptions()) -> [Question] {
    let reading = QuestionBank.Reading(csv: text, options)
    #expect(reading.problems == [], "\(text)")
    return reading.bank.questions.map(\.value)
  }

  static func picture(_ address: String) -> QuestionMedia {
    QuestionMedia(picture: MediaAddress(address).map { QuestionMedia.Picture(address: $0) })
  }

  static let question = Question(
    text: "What, then?", answers: ["a \"b\"", "c|d", "e;f"], correctAnswer: 0, category: "Art", allottedTime: MediaTime(seconds: 20),
    media: TableTests.picture("https://a.example/b.png"))

  @Test(arguments: [",", ";", "\t", "|"], [false, true]) func separators(separator: String, isSaid: Bool) {
    func row(_ cells: [String]) -> String {
      cells.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: separator) + "\r\n"
    }
    let cells = ["20", "What, then?", "e;f", "a \"b\"", "https://a.example/b.png", "c|d", "Art"]
    let expected = Question(
      text: "What, then?", answers: ["a \"b\"", "e;f", "c|d"], correctAnswer: 0, category: "Art", allottedTime: MediaTime(seconds: 20),
      media: TableTests.picture("https://a.example/b.png"))
    let text =
      (isSaid ? "sep=\(separator)\r\n" : "") + row(["seconds", "Question", "Wrong", "Correct", "Image", "Wrong", "Category"]) + row(cells)
    #expect(Self.questions(text) == [expected])
    #expect(Self.read(text).bank.questions.map(\.place) == [SheetPlace(isSaid ? 3 : 2, 1)])
    #expect(QuizFile.read(Array(text.utf8), format: nil).bank == Self.read(text).bank)
  }

  @Test func separatorsOfPlainTables() {
    let plain = TableOptions(hasNoHeader: true)
    #expect(Self.questions("Is it 1,5 or 2?;1,5;2\nWhich, a or b?;a;b", plain).map(\.answers) == [["1,5", "2"], ["a", "b"]])
    #expect(
      Self.questions("Mars, Io; or?,a,b\nWhich?,a,b", plain).map(\.answers)
        == [[" Io; or?", "a", "b"], ["a", "b"]].map { $0.map(\.trimmed) })
    #expect(Self.questions("sep=~\nQ~a~b", plain).map(\.answers) == [["a", "b"]])
    #expect(
      QuestionBank.Reading(csv: "Q,a,b", plain).notices.map(\.description) == [
        "1:1: no row names the columns, so the second cell of each row is taken for the right answer"
      ])
    for keys in [("2", "1"), ("B", "a)")] {
      #expect(
        QuestionBank.Reading(csv: "Q,aa,bb,cc,\(keys.0)\nR,dd,ee,ff,\(keys.1)", plain)
          == QuestionBank.Reading(
            QuestionBank(),
            problems: [
              SheetProblem(
                at: .start,
                "each row ends with a number or a letter after its answers; say what the columns hold: "
                  + "--no-header --columns question,option,option,option,number")
            ]))
    }
  }

  @Test(arguments: [
    "Kategorie;Frage;Richtig;Falsch;Falsch;Sekunden;Bild;Erklärung;Schwierigkeit",
    "catégorie;Question;Bonne réponse;Mauvaise réponse 1;Mauvaise réponse 2;Durée;Image;Explication;Difficulté",
    "Categoría;PREGUNTA;Respuesta correcta;Respuesta incorrecta;Incorrecta;Tiempo límite;Imagen;Explicación;Dificultad",
    "Categoria;Domanda;Risposta corretta;Risposta sbagliata;Sbagliata;Secondi;Immagine;Spiegazione;Difficoltà",
    "Categoria;Pergunta;Resposta certa;Resposta errada;Errada;Segundos;Imagem;Explicação;Dificuldade",
    "Categorie;Vraag;Juiste antwoord;Fout antwoord;Fout;Seconden;Afbeelding;Uitleg;Moeilijkheid",
    "Kategoria;Pytanie;Prawidłowa odpowiedź;BŁĘDNA ODPOWIEDŹ;Zła odpowiedź;Czas (sekundy);Zdjęcie;Wyjaśnienie;Poziom trudności",
    "category;question;correct;wrong;wrong 2;time limit (sec);image link;feedback;level",
  ])
  func languages(header: String) {
    let expected = Question(
      text: "Q", answers: ["a", "b", "c"], correctAnswer: 0, category: "Art", difficulty: .easy, allottedTime: MediaTime(seconds: 7.5),
      media: Self.picture("https://a.example/"), explanation: "E")
    for level in ["leicht", "easy", "Facile", "fácil", "łatwe", "makkelijk"] {
      #expect(Self.questions("\(header)\nArt;Q;a;b;c;7,5;https://a.example/;E;\(level)") == [expected], "\(header)")
    }
  }

  @Test func theTemplateOfKahoot() {
    let text = """
      ,Quiz template,,,,,,
      ,"Add questions, at least two answer alternatives, time limit and choose correct answers (at least one).",,,,,,

      ,"Question - max 120 characters",Answer 1 - max 75 characters,Answer 2 - max 75 characters,Answer 3 - max 75 characters,Answer 4 - max 75 characters,"Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs","Correct answer(s) – choose at least one"
      1,How many?,7,12,2,,20,2
      2,Which?,Io,Mars,,Venus,30,4
      3,Both?,a,b,c,,5,"1,3"
      4,None?,a,b,c,,5,4
      5,,,,,,,
      """
    let reading = Self.read(text)
    #expect(
      reading.bank.questions.map(\.value) == [
        Question(text: "How many?", answers: ["7", "12", "2"], correctAnswer: 1, allottedTime: MediaTime(seconds: 20)),
        Question(text: "Which?", answers: ["Io", "Mars", "Venus"], correctAnswer: 2, allottedTime: MediaTime(seconds: 30)),
        Question(
          text: "Both?", task: QuestionTask(.multiple), answers: ["a", "b", "c"], right: .several([0, 2]),
          allottedTime: MediaTime(seconds: 5)),
      ])
    #expect(
      reading.problems.map(\.description) == [
        "8:18: \"4\" is none of the 3 options; write the number from 1 on, the letter or the text of the right one"
      ])
    #expect(reading.notices.map(\.line) == [1])
  }

  @Test func theColumnsOfQuizizz() {
    let text = """
      Question Text,Question Type,Option 1,Option 2,Option 3,Option 4,Option 5,Correct Answer,Time in seconds,Image Link,Answer explanation
      Who?,Multiple Choice,Ada,Bob,Cy,,,3,30,https://a.example/i.png,It is.
      Say,Poll,a,b,,,,,20,,
      Type,Fill-in-the-Blank,a,,,,,1,20,,
      Draw,Draw,,,,,,,20,,
      """
    let reading = Self.read(text)
    #expect(
      reading.bank.questions.map(\.value) == [
        Question(
          text: "Who?", answers: ["Ada", "Bob", "Cy"], correctAnswer: 2, allottedTime: MediaTime(seconds: 30),
          media: Self.picture("https://a.example/i.png"), explanation: "It is."),
        Question(text: "Say", task: QuestionTask(.poll), answers: ["a", "b"], right: nil, allottedTime: MediaTime(seconds: 20)),
        Question(
          text: "Type", task: QuestionTask(.text), answers: [], right: AnswerText("a").map { .texts([$0]) },
          allottedTime: MediaTime(seconds: 20)),
      ])
    #expect(reading.problems == [])
    #expect(
      reading.notices.map(\.description) == [
        "5:6: questions of the type \"Draw\" cannot be asked, so this row is left out"
      ])
    // A file without a question that can be asked is refused.
    let words = text.split(separator: "\n").enumerated().filter { [0, 4].contains($0.offset) }.map { $0.element }.joined(separator: "\n")
    #expect(
      Self.read(words).problems.map(\.description) == [
        "2:6: no question of this file can be asked: questions of the type \"Draw\" cannot be asked, so this row is left out"
      ])
  }

  @Test(arguments: [
    ("3", 2), ("C", 2), ("c", 2), ("Cy", 2), ("CY ", 2), ("Option 3", 2), ("Answer C", 2), ("Antwort 3", 2), ("2.", 1), ("b)", 1),
  ])
  func theRightOption(cell: String, index: Int) {
    for header in ["Question,Option 1,Option 2,Option 3,Correct", "Frage,A,B,C,Antwort", "question,answer,answer,answer,correct answer"] {
      #expect(Self.questions("\(header)\nWho?,Ada,Bob,Cy,\(cell)").map(\.correctAnswer) == [index], "\(header)")
    }
  }

  /// A number that is the place of one option and the text of another is never guessed.
  @Test func numbersAmongOptions() {
    let header = "question,option 1,option 2,option 3,correct\n"
    #expect(
      Self.read(header + "How many?,3,2,1,3").problems.map(\.description) == [
        "2:17: \"3\" is the number of an option and the text of another one; write the letter of the right one, from A on"
      ])
    #expect(Self.questions(header + "How many?,3,2,1,3\nWho?,Ada,Bob,Cy,2").map(\.correctAnswer) == [2, 1])
    #expect(Self.questions(header + "How many?,3,2,1,3\nWho?,Ada,Bob,Cy,Bob").map(\.correctAnswer) == [0, 1])
    #expect(Self.read(header + "How many?,3,2,1,3\nWho?,Ada,Bob,Cy,Bob\nWho else?,Ada,Bob,Cy,2").problems.count == 1)
    #expect(Self.questions(header + "How many?,2,2 2,7,7\nHow many?,3,2,1,2").map(\.correctAnswer) == [2, 1])
    #expect(Self.questions("question,option 1,option 2,option 3,number of the right one\nHow many?,3,2,1,3").map(\.correctAnswer) == [2])
  }

  @Test func mistakes() {
    func problems(_ text: String) -> [String] { Self.read(text).problems.map(\.description) }
    #expect(problems("question,correct,wrong,seconds\nQ,a,b,soon") == ["2:7: \"seconds\" is \"soon\"; write a number from 1 to 3600"])
    #expect(problems("question,correct,wrong,seconds\nQ,a,b,0.5").count == 1)
    #expect(
      problems("question,correct,wrong,picture\nQ,a,b,http://a.example/b.png") == [
        "2:7: \"picture\" is \"http://a.example/b.png\", which is no address; write one that begins with https://, or a file such as pictures/map.png"
      ])
    #expect(
      problems("category,correct,wrong,seconds\nQ,a,b,5") == [
        "1:1: no column is called \"question\"; name one so, as in question,correct,wrong,wrong; or say what the columns hold: --columns question,option,option,number "
          + "or question,correct,wrong,wrong"
      ])
    #expect(
      problems("question,option 1,option 2\nQ,a,b") == [
        "1:1: no column is called \"correct\"; name one so, as in question,correct,wrong,wrong; or say what the columns hold: "
          + "--columns question,correct,wrong"
      ])
    #expect(
      problems("question,option 1,option 2,correct\nQ,a,b,") == [
        "2:7: the right answer is missing; write its number, its letter or its text"
      ])
    // True and false as answers are no names.
    #expect(Self.questions("Stimmt es?;Richtig;Falsch", TableOptions(hasNoHeader: true)).map(\.answers) == [["Richtig", "Falsch"]])
  }

  static let words = "Frage;Richtig;Falsch\nWie groß ist er – größer?;größer;„klein“ €\n"

  @Test func encodings() {
    let expected = [Question(text: "Wie groß ist er – größer?", answers: ["größer", "„klein“ €"], correctAnswer: 0)]
    let units = Array(Self.words.utf16)
    let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    let clear: [[UInt8]] = [
      Array(Self.words.utf8), [0xEF, 0xBB, 0xBF] + Array(Self.words.utf8), [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big,
    ]
    for bytes in clear {
      for format in [BankFormat.csv, nil] {
        let reading = QuizFile.read(bytes, format: format)
        #expect(reading.bank.questions.map(\.value) == expected && reading.problems == [] && reading.notices == [], "\(bytes.prefix(8))")
      }
    }
    let windows = Self.words.unicodeScalars.map { scalar -> UInt8 in
      ["ß": 0xDF, "ö": 0xF6, "–": 0x96, "„": 0x84, "“": 0x93, "€": 0x80][scalar] ?? UInt8(scalar.value)
    }
    let western = QuizFile.read(windows, format: .csv)
    #expect(western.bank.questions.map(\.value) == expected)
    #expect(western.notices.map(\.description) == ["1:1: this is not UTF-8, and is read as Windows-1252; look at its letters"])
    let polish = "Pytanie;Poprawna;Błędna\nJaka jest różnica?;żółw;wąż\n"
    let central = polish.unicodeScalars.map { scalar -> UInt8 in
      ["ł": 0xB3, "ę": 0xEA, "ó": 0xF3, "ż": 0xBF, "ą": 0xB9][scalar] ?? UInt8(scalar.value)
    }
    let reading = QuizFile.read(central, format: nil)
    #expect(reading.bank.questions.map(\.value) == [Question(text: "Jaka jest różnica?", answers: ["żółw", "wąż"], correctAnswer: 0)])
    #expect(reading.notices.map(\.description) == ["1:1: this is not UTF-8, and is read as Windows-1250; look at its letters"])
    // Spanish has signs within sentences that Central Europe has letters for.
    let spanish: [UInt8] = Array("Pregunta;Correcta;Incorrecta\n".utf8) + [0xBF] + Array("Qu".utf8) + [0xE9] + Array("?;a;b\n".utf8)
    #expect(QuizFile.read(spanish, format: .csv).bank.questions.map(\.value.text) == ["¿Qué?"])
  }

  @Test func damagedAndCutTables() {
    var random = SeededNumbers(seed: 31)
    let table = "sep=;\nFrage;A;B;C;Antwort;Zeit\n\"Wer?\";Ada;\"B;b\";Cy;2;20\nWie viele?;3;2;1;C;5\n"
    for turn in 0..<500 {
      let text = damaged(table, &random)
      let reading = QuizFile.read(Array(text.utf8), format: turn % 2 == 0 ? .csv : nil)
      #expect(reading == QuizFile.read(Array(text.utf8), format: turn % 2 == 0 ? .csv : nil))
      let again = Self.read(reading.bank.csv)
      #expect(reading.bank.questions.isEmpty || again.problems == [])
    }
    for count in 0...table.utf8.count {
      #expect(Self.read(String(decoding: Array(table.utf8).prefix(count), as: UTF8.self)).bank.questions.count <= 3)
    }
  }
}
