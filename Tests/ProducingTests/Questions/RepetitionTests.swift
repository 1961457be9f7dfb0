import Testing

@testable import Questions

/// What is the same question and what is not.
@Suite struct RepetitionTests {
  static func question(_ text: String, _ answers: String..., correct: Int = 0) -> Question {
    Question(text: text, answers: answers, correctAnswer: correct)
  }

  @Test func caseSpacesAndPunctuationDoNotCount() {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question("Which metal is liquid?", "Mercury", "Iron")) == nil)
    #expect(repetitions.add(Self.question("  which METAL, is\n liquid ", "mercury.", "Gold")) == .same(as: 0))
    #expect(repetitions.add(Self.question("Which metal is a liquid?", "Mercury", "Iron")) == nil)
    #expect(repetitions.add(Self.question("«Où est-il?»", "Là", "Ici")) == nil)
    #expect(repetitions.add(Self.question("OÙ EST IL", "LÀ!", "Ailleurs")) == .same(as: 3))
    #expect(repetitions.add(Self.question("ЧТО?", "Да", "Нет")) == nil)
    #expect(repetitions.add(Self.question("что", "да", "нет")) == .same(as: 5))
  }

  @Test func theSameAnswersWithAnotherRightOne() {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question("True?", "True", "False")) == nil)
    #expect(repetitions.add(Self.question("True?", "False", "True")) == .contradiction(to: 0))
    #expect(repetitions.add(Self.question("true", "False", "True")) == .same(as: 1))
  }

  @Test func questionsThatAreWordedAlike() {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question("Which of these is a planet?", "Mars", "Io")) == nil)
    #expect(repetitions.add(Self.question("Which of these is a planet?", "Venus", "Io")) == nil)
    #expect(repetitions.add(Self.question("1 + 1 = ?", "2", "3")) == nil)
    #expect(repetitions.add(Self.question("1 × 1 = ?", "2", "3")) == nil)
    #expect(repetitions.add(Self.question("Who made C?", "R", "S")) == nil)
    #expect(repetitions.add(Self.question("Who made C++?", "R", "S")) == nil)
    #expect(repetitions.add(Self.question("???", "R", "S")) == nil)
    #expect(repetitions.add(Self.question("!!!", "R", "S")) == nil)
  }

  /// Signs and separators beside digits make other numbers.
  @Test(arguments: [
    ("What is -2 squared?", "What is 2 squared?"), ("What is 1.5 + 1?", "What is 15 + 1?"), ("What is 3!?", "What is 3?"),
    ("What is 3!!?", "What is 3!?"), ("What is 4 - 2?", "What is 4 / 2?"), ("What is 4 * 1?", "What is 4 / 1?"),
    ("What is 4 \u{B7} 2?", "What is 4 + 2?"), ("Is .5 a half?", "Is 5 a half?"), ("Is it 12:30?", "Is it 1230?"),
    ("Is it 1,5?", "Is it 15?"), ("What is 2**3?", "What is 2*3?"), ("What is 5 - -3?", "What is 5 - 3?"),
    ("What is (-1)?", "What is (1)?"),
    ("Who won in 1914-1918?", "Who won in 1914 1918?"),
  ])
  func otherNumbers(one: String, other: String) {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question(one, "4", "5")) == nil)
    #expect(repetitions.add(Self.question(other, "4", "5")) == nil)
    #expect(repetitions.add(Self.question(one, "4", "5")) == .same(as: 0))
  }

  @Test(arguments: [
    ("What is 4 - 2?", "what is 4-2"), ("What is \u{2212}2?", "What is -2?"), ("The war of 1914\u{2013}1918?", "The war of 1914 - 1918"),
    ("Covid-19?", "covid 19"), ("Apollo 11, in 1969.", "Apollo 11 in 1969"), ("A 19-year-old?", "A 19 year old?"),
    ("Half-Life 2: who?", "Half Life 2 - who?"), ("What is 4 * 2?", "What is 4*2?"), ("R/C: yes.", "R C yes"), ("- What?", "What?"),
  ])
  func theSameNumbers(one: String, other: String) {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question(one, "4", "5")) == nil)
    #expect(repetitions.add(Self.question(other, "4", "5")) == .same(as: 0))
  }

  @Test func answersWithSignsDiffer() {
    var repetitions = Repetitions()
    #expect(repetitions.add(Self.question("What is the root?", "-2", "3")) == nil)
    #expect(repetitions.add(Self.question("What is the root?", "2", "3")) == nil)
  }

  @Test func categoriesAreFoundByNumberAndName() {
    #expect(OpenTriviaCategory.all.count == 24)
    #expect(OpenTriviaCategory.named("17")?.name == "Science & Nature" && OpenTriviaCategory.named("science & nature")?.id == 17)
    #expect(OpenTriviaCategory.named("31")?.name == "Entertainment: Japanese Anime & Manga" && OpenTriviaCategory.all.last?.id == 32)
    #expect(OpenTriviaCategory.named("8") == nil && OpenTriviaCategory.named("33") == nil && OpenTriviaCategory.named("Poetry") == nil)
  }

  @Test func reorderedAnswersKeepTheirPoints() {
    let question = Question(text: "Q", answers: ["a", "b", "c"], correctAnswer: 2, points: [1, 2, 3])
    #expect(question.reordered([2, 0, 1]) == Question(text: "Q", answers: ["c", "a", "b"], correctAnswer: 0, points: [3, 1, 2]))
  }
}
