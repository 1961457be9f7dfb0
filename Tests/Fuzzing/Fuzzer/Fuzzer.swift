import Foundation
import FuzzTargets

/// The target that the environment names: libFuzzer takes the command line.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    fatalError("FUZZ_TARGET is \"\(name)\", and none of \(FuzzTarget.all.map(\.name))")
  }
  return target
}()

/// What libFuzzer calls first. Where the environment names a folder, the seeds of all targets are written into folders in it, and that is all.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
  guard let path = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
  do {
    for target in FuzzTarget.all {
      let folder = URL(filePath: path).appending(path: target.name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (index, seed) in target.seeds.enumerated() { try Data(seed).write(to: folder.appending(path: "seed-\(index)")) }
    }
  } catch {
    fatalError("\(error)")
  }
  exit(0)
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    // The pointer is libFuzzer's and holds for this call; the bytes are copied at once.
    try target.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}
