import CLibrary
import Foundation
import ProgramTesting
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// A person at a terminal: runs the program on a pseudo-terminal, types when something is asked, reads the screen.
enum Terminal {
    /// Everything that the program wrote to its terminal, and how it ended.
    struct Session: Sendable {
        let screen: String
        let status: Int32
    }

    /// Runs `bugle`, or another program, to its end.
    ///
    /// `typing` is what is typed, and after which text on the screen, each in its turn.
    static func run(
        _ arguments: [String], of program: String = "bugle", environment: [String: String],
        typing: [(after: String, text: String)]
    ) async throws -> Session {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try #require(openpty(&master, &slave, nil, nil, nil) == 0)
        defer { close(master) }
        let person = Person(terminal: master, typing: typing)
        // It ends when nobody holds the program's side any more.
        async let reading = onThread { person.read() }
        let end = FileDescriptor(rawValue: slave)
        let all = environment.merging(["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm"]) { own, _ in own }
        let result = try await Subprocess.run(
            .path(try BuiltProgram.path(program)), arguments: Arguments(arguments),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) })),
            input: .fileDescriptor(end, closeAfterSpawningProcess: false),
            output: .fileDescriptor(end, closeAfterSpawningProcess: false),
            error: .fileDescriptor(end, closeAfterSpawningProcess: false))
        close(slave)
        let screen = await reading
        guard case .exited(let status) = result.terminationStatus else { return Session(screen: screen, status: -1) }
        return Session(screen: screen, status: Int32(status))
    }

    /// Reads what appears and types what is to be typed.
    private struct Person: Sendable {
        let terminal: Int32
        let typing: [(after: String, text: String)]

        func read() -> String {
            var (bytes, seen, turn): ([UInt8], Int, Int) = ([], 0, 0)
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = CLibrary.read(terminal, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += buffer[..<count]
                let text = String(decoding: bytes[seen...], as: UTF8.self)
                guard turn < typing.count, text.contains(typing[turn].after) else { continue }
                _ = typing[turn].text.withCString { CLibrary.write(terminal, $0, strlen($0)) }
                (seen, turn) = (bytes.count, turn + 1)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
