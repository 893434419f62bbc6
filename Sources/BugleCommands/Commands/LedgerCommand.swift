internal import ArgumentParser
internal import Base
internal import Push
internal import Apply

/// Copies the ledger to another remote, or starts a new ledger.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Copies the ledger to another remote, or starts a new one.",
        subcommands: [Copy.self, Start.self])

    /// Copies the delivery records of one remote to another remote's ledger.
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copies one remote's ledger to another remote.",
            discussion: """
                EXAMPLE
                  bugle ledger copy --from leancloud --to apple

                Pushes that the source has scheduled are listed and stay there: cancel them there, or copy again \
                after their time, before you apply to the target. While the source has a delivery that was begun and is \
                not settled, nothing is copied: the target would send it to everybody again.
                """)

        @Option(help: ArgumentHelp("The remote to copy from.", valueName: "REMOTE"), completion: WorkspaceNames.remotes)
        var from: String

        @Option(help: ArgumentHelp("The remote to copy to.", valueName: "REMOTE"), completion: WorkspaceNames.remotes)
        var to: String

        @OptionGroup var common: CommonOptions

        func validate() throws {
            if from == to { throw ValidationError("--from and --to name the same remote") }
        }

        func run() async throws {
            try await running(common) {
                let bench = try await Workbench(common)
                let source = try await RemoteAccess(bench, named: from)
                let target = try await RemoteAccess(bench, named: to)
                let ledger = try await LedgerCopy(from: source.connected.reader).read()
                guard ledger.open.isEmpty else {
                    for line in ledger.remedies(on: from) { bench.console.say(line) }
                    throw Failure(
                        .unknown,
                        "nothing was copied: \(from) has deliveries that may have reached devices, and \(to) would send "
                            + "them to everybody again")
                }
                let count = try await target.underLock { writer, lease, provenance in
                    try await ledger.write(
                        to: writer, knowing: try await target.connected.reader.ledger(), under: lease,
                        provenance: provenance)
                }
                for entry in ledger.left {
                    bench.console.say(
                        "left on \(from): \(entry.campaign)@\(entry.revision), \(entry.state.rawValue)"
                            + (entry.scheduledAt.map { " for \($0.text)" } ?? "")
                            + "; an apply to \(to) would send it as well: cancel it on \(from), or copy again after that"
                    )
                }
                bench.console.output(
                    "\(grouped(count)) of \(grouped(ledger.delivered.count)) deliveries copied to \(to), "
                        + "\(grouped(ledger.left.count)) left on \(from).\n")
                return .success
            }
        }
    }

    /// Confirms that a ledger starts empty.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Declares that nothing was ever delivered, through this remote or another.",
            discussion: """
                EXAMPLE
                  bugle ledger start --remote apple
                """)

        @OptionGroup var remote: RemoteOptions

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await running(common) {
                let remote = try await RemoteAccess(common, remote)
                let ledger = try await remote.connected.reader.ledger()
                guard ledger.isEmpty else {
                    throw Failure(.usage, "the ledger of \(remote.declaration.name) already holds deliveries")
                }
                try await remote.connected.makeWriter(TaskPause()).startLedger()
                remote.bench.console.output("The ledger of \(remote.declaration.name) begins here.\n")
                return .success
            }
        }
    }
}
