// The least that can be done with a file, for scripts/benchmark to measure against.
//
//     loops read FILE          reads it and looks at the header of each transport packet of 188 bytes
//     loops copy FILE OUTPUT   reads and writes it, a mebibyte at a time

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

let arguments = CommandLine.arguments
guard arguments.count == 3 && arguments[1] == "read" || arguments.count == 4 && arguments[1] == "copy" else { exit(64) }
let isCopy = arguments[1] == "copy"
// The number of bytes read at once. For the headers it is the fastest one.
let size = isCopy ? 1 << 20 : 256 << 10
let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
let input = open(arguments[2], O_RDONLY)
let output = isCopy ? open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0o644) : -1
guard input >= 0, !isCopy || output >= 0 else { exit(66) }

var header = 0
var packets = 0
while true {
  let count = read(input, buffer, size)
  guard count > 0 else { exit(count == 0 && (isCopy || packets > 0) ? 0 : 74) }
  if isCopy {
    guard write(output, buffer, count) == count else { exit(74) }
    continue
  }
  while header + 4 <= count {
    guard buffer.load(fromByteOffset: header, as: UInt8.self) == 0x47 else { exit(65) }
    // The PID, which every reader of transport streams has to look at.
    let pid = Int(buffer.load(fromByteOffset: header + 1, as: UInt8.self) & 0x1F) << 8 | Int(buffer.load(fromByteOffset: header + 2, as: UInt8.self))
    packets &+= pid == 0x1FFF ? 0 : 1
    header += 188
  }
  header -= count
  // A header that lies in two pieces is not looked at: about one in a thousand.
  if header < 0 { header += 188 }
}
