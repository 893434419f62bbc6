internal import ArgumentParser
internal import Base
internal import Push
internal import Apply

/// Releases a stale lock before it expires.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Frees a dead lock before it expires.",
        discussion: """
            EXAMPLE
              bugle unlock 42

            The lock of an apply that died expires after two minutes; this only saves the wait.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(help: ArgumentHelp("The lock's fence, as 'bugle apply' printed it.", valueName: "FENCE"))
    var fence: Int

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            let remote = try await RemoteAccess(common, remote)
            guard try await remote.connected.makeWriter(TaskPause()).unlock(fence: fence) else {
                throw Failure(.failed, "no lock with fence \(fence) is held on \(remote.declaration.name)")
            }
            remote.bench.console.output("The lock is free.\n")
            return .success
        }
    }
}
