import CLibrary
import Foundation
import ProgramTesting
import SystemPackage
import Testing

/// The built `bugle-server`, run to its end, or killed, with what it took.
enum MeasuredProgram {
    struct Run: Sendable {
        /// Its exit code; of a signal the number, negative.
        let status: Int32
        /// Standard output and standard error.
        let output: String
        /// The most memory that it had at once, in bytes.
        let memory: Int
        /// How long it took.
        let time: Duration
    }

    /// Runs it on a thread of its own; `isToBeKilled` is asked again and again until it is true, or the program ends.
    static func run(
        _ arguments: [String], isToBeKilled: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Run {
        let program = try BuiltProgram.path("bugle-server").string
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: measured([program] + arguments, isToBeKilled)) }
        }
    }

    private static func measured(_ words: [String], _ isToBeKilled: () -> Bool) -> Run {
        let began = ContinuousClock.now
        let output = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID())").path
        defer { unlink(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        var variables = [strdup("PATH=/usr/bin:/bin"), nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let failure = posix_spawn(&id, words[0], &actions, nil, &arguments, &variables)
        guard failure == 0 else { return Run(status: 127, output: "spawn: \(failure)", memory: 0, time: .zero) }
        var (status, most): (Int32, Int) = (0, 0)
        while waitpid(id, &status, WNOHANG) == 0 {
            most = max(most, memory(of: id) ?? 0)
            if isToBeKilled() { kill(id, SIGKILL) }
            usleep(1000)
        }
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        return Run(status: code, output: text, memory: most, time: began.duration(to: .now))
    }

    /// The most that a process had so far; nil while its memory is still its parent's, in the moment in which it begins.
    /// What `wait4` tells of a process counts that.
    private static func memory(of id: pid_t) -> Int? {
        func program(_ process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        }
        guard program("\(id)") != program("self") else { return nil }
        let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
