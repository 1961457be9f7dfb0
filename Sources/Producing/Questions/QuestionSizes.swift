import Basics
import GameEvents
import Sheets

// The total size of a question: texts within their limits may together be too large for the tags of the events.

extension Question {
  /// Bytes of the question, its answers, its unit and its category, as JSON.
  package var askedSize: Int {
    let texts = [text] + answers + [category ?? ""] + [task.unit].compactMap { $0 }
    return JSONValue.array(texts.map { .string($0) }).text.utf8.count + mediaSize
  }
  /// Bytes of the picture and the sound, as JSON.
  private var mediaSize: Int {
    var object = JSONObject()
    media.write(to: &object)
    return object.isEmpty ? 0 : object.text.utf8.count
  }

  /// Bytes of the explanation and the link, as JSON.
  package var shownSize: Int { JSONValue.array([explanation ?? "", link ?? ""].map { .string($0) }).text.utf8.count }
}

extension QuestionBank.Reading {
  /// Takes out questions for which there is a fault, each with its mistake.
  package mutating func refuse(_ fault: (Question) -> String?) {
    var found: [SheetProblem] = []
    bank.questions.removeAll { question in
      guard let message = fault(question.value) else { return false }
      found.report(at: question.place, message)
      return true
    }
    // The sheets of a workbook come one after the other.
    if !found.isEmpty { problems = (problems + found).inOrder }
  }

  /// Adds what questions lack for those who do not see a picture or hear a sound.
  mutating func adviseOnMedia() {
    for question in bank.questions {
      for advice in question.value.media.advice(knowsSizes: true) { notices.report(at: question.place, advice) }
    }
    notices = notices.inOrder
  }

  /// Takes out questions whose events may not fit into tags of 2,048 bytes, whatever the game is called.
  mutating func refuseLargeQuestions() {
    refuse { question in
      let (asked, shown) = (question.askedSize, question.shownSize)
      if asked > QuestionLimits.asked {
        let parts =
          question.media == QuestionMedia() ? "its answers and its category" : "its answers, its category, its picture and its sound"
        return "the question, \(parts) have \(asked) bytes together, "
          + "above the limit of \(QuestionLimits.asked); shorten them"
      }
      guard shown > QuestionLimits.shown else { return nil }
      return "the explanation and the link have \(shown) bytes together, above the limit of \(QuestionLimits.shown); shorten them"
    }
  }
}
