import Foundation
import TestSupport
import Testing

@testable import Files

/// What systemd is told, as it receives it.
@Suite struct ServiceManagerTests {
  /// Receives datagrams, and prints each as a line of hexadecimal digits.
  private static let receiver = """
    import socket, sys
    name = sys.argv[1]
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind("\\0" + name[1:] if name[0] == "@" else name)
    print("listens", flush=True)
    for _ in range(int(sys.argv[2])): print(receiver.recv(4096).hex(), flush=True)
    """

  private static func environment(_ name: String) -> [String: String] { ["NOTIFY_SOCKET": name] }

  /// What arrives at a socket of this name.
  private func received(_ name: String, _ count: Int, _ tell: (ServiceManager) -> Void) throws -> [String] {
    let process = try ChildProcess("python3", ["-c", Self.receiver, name, "\(count)"], input: .nothing, output: .pipe, errors: .inherited)
    var text = ""
    func read(_ lines: Int) {
      while text.count(where: \.isNewline) < lines, let data = process.output?.availableData, !data.isEmpty {
        text += String(decoding: data, as: UTF8.self)
      }
    }
    read(1)
    tell(try #require(ServiceManager(environment: Self.environment(name))))
    read(count + 1)
    return text.split(separator: "\n").dropFirst().map { String(decoding: hex(String($0)), as: UTF8.self) }
  }

  /// A socket with a path, and an abstract one.
  @Test(.enabled(if: HostileServer.isAvailable), arguments: [false, true]) func notices(isAbstract: Bool) throws {
    let name = isAbstract ? "@cuelight/\(UInt64.random(in: .min ... .max))" : "\(try Workshop.newFolder())/s"
    let received = try received(name, 4) { manager in
      #expect(manager.tell(.ready, .status("two streams\nREADY=0")))
      #expect(manager.tell(.watchdog) && manager.tell(.reloading) && manager.tell(.stopping))
    }
    try #require(received.count == 4)
    #expect(received[0] == "READY=1\nSTATUS=two streams READY=0")
    #expect(received[1] == "WATCHDOG=1" && received[3] == "STOPPING=1")
    let parts = received[2].split(separator: "\n")
    #expect(parts.count == 2 && parts.first == "RELOADING=1")
    let time = parts.last?.split(separator: "=").last.flatMap { Int64($0) }
    #expect(time.map { abs(Double($0) / 1e6 - ProcessInfo.processInfo.systemUptime) < 60 } == true)
  }

  /// Nobody listens: the server goes on.
  @Test func nobody() throws {
    let manager = try #require(ServiceManager(environment: Self.environment("\(try Workshop.newFolder())/s")))
    #expect(!manager.tell(.ready))
  }

  @Test(arguments: ["", "/", "@", "vsock:2:1234", "s", "/" + String(repeating: "a", count: 107)])
  func noSocket(name: String) { #expect(ServiceManager(environment: Self.environment(name)) == nil) }

  @Test func noManager() { #expect(ServiceManager(environment: [:]) == nil) }

  @Test(
    arguments: [
      (["WATCHDOG_USEC": "30000000"], 15_000), (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], 15_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "99999999999999999999"], nil), ([:], nil),
    ] as [([String: String], Int?)])
  func watchdog(environment: [String: String], milliseconds: Int?) throws {
    let manager = try #require(ServiceManager(environment: environment.merging(Self.environment("/s")) { $1 }, process: 7))
    #expect(manager.watchdogInterval == milliseconds.map { .milliseconds($0) })
  }
}
