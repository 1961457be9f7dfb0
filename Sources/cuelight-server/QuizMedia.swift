import Basics
import CommandSupport
import Files
import Foundation
import GameEvents
import GameServer
import Questions
import Sheets
import WebPages

/// The pictures and sounds that lie beside files of questions: the server serves them, and keeps them as long as its folder, since games outlive the
/// process.
struct QuizMedia {
  let files: MediaFiles
  /// The folder that remembers them; `nil` for none.
  private let folder: String?
  /// The server's folder.
  private let data: String?

  /// Reads the files that were kept.
  ///
  /// - Parameter data: The server's folder; `nil` for one that keeps nothing.
  init(keptIn data: String?, say: (String) -> Void) throws(CommandFailure) {
    files = MediaFiles()
    self.data = data
    folder = data.map { "\($0)/media" }
    guard let folder, FileManager.default.fileExists(atPath: folder) else { return }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      say("the pictures and sounds in \(folder) cannot be read: \(error.localizedDescription)")
      return
    }
    for name in names.sorted() where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      do throws(CommandFailure) {
        let bytes = try SmallFile(path: path).bytes(limit: MediaFiles.largestSound)
        do throws(MediaFiles.Fault) { _ = try files.add(bytes) } catch { say("\(path) \(error)") }
      } catch {
        say(error.message ?? "\(path) cannot be read")
      }
    }
  }

  /// Serves the files that questions name, and names them by where they are served. A question with a file that cannot be served is left out, with a
  /// mistake.
  ///
  /// - Parameter path: The path of the file of questions, beside which the files lie.
  func serve(_ reading: inout QuestionBank.Reading, of path: String) throws(CommandFailure) {
    guard reading.bank.questions.contains(where: { $0.value.media.isBeside }) else { return }
    let beside = try orFail(FolderInput(path: PathParts(path).folder)) { (error: FileInputError) in CommandFailure(error) }
    var problems: [SheetProblem] = []
    var questions: [Placed<Question>] = []
    for question in reading.bank.questions {
      var media = question.value.media
      let count = problems.count
      if let picture = media.picture, picture.address.isBesideQuiz,
        let found = try served(picture.address, isPicture: true, beside, question.place, &problems)
      {
        media.picture?.address = found.address
        media.picture?.size = picture.size ?? found.size
      }
      if let sound = media.sound, sound.address.isBesideQuiz,
        let found = try served(sound.address, isPicture: false, beside, question.place, &problems)
      {
        media.sound?.address = found.address
      }
      guard problems.count == count else { continue }
      var served = question
      served.value.media = media
      questions.append(served)
    }
    reading.bank.questions = questions
    reading.problems = (reading.problems + problems).inOrder
  }

  private func served(
    _ address: MediaAddress, isPicture: Bool, _ folder: FolderInput, _ place: SheetPlace, _ problems: inout [SheetProblem]
  ) throws(CommandFailure) -> (address: MediaAddress, size: QuestionMedia.Size?)? {
    let name = address.text
    guard !name.hasPrefix("/") else {
      return problems.refuse(at: place, "\(name) begins with /; name a file beside the questions, such as pictures/map.png")
    }
    var bytes: [UInt8] = []
    do throws(FileInputError) {
      var input = try folder.open(name)
      while bytes.count <= MediaFiles.largestSound, try input.fill() { bytes.append(copying: input.bytes) }
    } catch {
      if case .outside = error { return problems.refuse(at: place, "\(name) is a link to a file that does not lie beside the questions") }
      return problems.refuse(at: place, "\(name) cannot be read: \(error)")
    }
    let added: MediaFiles.Added
    do throws(MediaFiles.Fault) { added = try files.add(bytes) } catch { return problems.refuse(at: place, "\(name) \(error)") }
    guard added.kind.isPicture == isPicture else {
      return problems.refuse(at: place, "\(name) is a \(isPicture ? "sound" : "picture"); write it as \(isPicture ? "sound" : "picture"):")
    }
    guard let address = MediaAddress(added.address) else { return nil }
    try keep(bytes, added.name)
    var size: QuestionMedia.Size?
    if let width = added.width, let height = added.height { size = QuestionMedia.Size(width: width, height: height) }
    return (address, size)
  }

  /// Keeps a file in the server's folder, unless it is there.
  private func keep(_ bytes: [UInt8], _ name: String) throws(CommandFailure) {
    guard let folder, let data else { return }
    for path in [data, folder] { try ServedFolder.make(path) }
    let path = "\(folder)/\(name)"
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try OutputFile(path: path, overwrites: false).write(bytes)
  }
}

extension QuestionMedia {
  /// Whether a file of it lies beside the questions.
  fileprivate var isBeside: Bool { picture?.address.isBesideQuiz == true || sound?.address.isBesideQuiz == true }
}
