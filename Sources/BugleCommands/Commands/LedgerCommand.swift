internal import Apply
internal import ArgumentParser
internal import Base
internal import Push

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
                let ledger = try await LedgerCopy(from: source.connected.reader)
                guard !ledger.isChanging else {
                    throw Failure(
                        .locked,
                        "nothing was copied: an apply to \(from) is under way, and \(to) would send once more what it is "
                            + "about to send; run the copy again once it has ended")
                }
                guard ledger.open.isEmpty else {
                    for line in ledger.remedies(on: from) { bench.console.say(line) }
                    throw Failure(
                        .unknown,
                        "nothing was copied: \(from) has deliveries that may have reached devices, and \(to) would send "
                            + "them to everybody again")
                }
                guard !ledger.isPart else {
                    throw Failure(
                        .blocked,
                        "nothing was copied: the ledger of \(from) was copied in part, and \(to) would take it for the "
                            + "whole; run the copy to \(from) again first")
                }
                // The target would take its ledger for that of a workspace that has delivered nothing.
                if let doubt = try await source.doubt() {
                    throw Failure(.blocked, "nothing was copied from \(from): \(doubt.message.text)")
                }
                let count = try await target.underLock { writer, keeper, provenance in
                    try await ledger.write(
                        to: writer, knowing: target.connected.reader, under: keeper, provenance: provenance)
                }
                for entry in ledger.left {
                    bench.console.say(
                        "left on \(from): \(entry.campaign)@\(entry.revision), \(entry.state.rawValue)"
                            + (entry.scheduledAt.map { " for \($0.text)" } ?? "")
                            + "; an apply to \(to) would send it as well: cancel it on \(from), or copy again after that"
                    )
                }
                bench.console.output(
                    "\(grouped(count)) of \(grouped(ledger.copied.count)) deliveries copied to \(to), "
                        + "\(grouped(ledger.left.count)) left on \(from).\n")
                return .success
            }
        }
    }

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

/// The ledger of one remote for another: the entries to copy, those left because the source still has them scheduled,
/// and those with an open outcome.
struct LedgerCopy: Sendable {
    /// What was delivered, and what was missed for good.
    let copied: [LedgerEntry]
    let left: [LedgerEntry]
    let open: [LedgerEntry]
    /// True while the source is itself the target of a copy that is not whole.
    let isPart: Bool
    /// True if an apply to the source was under way while its ledger was read: what it sends next was in no entry.
    let isChanging: Bool

    /// Reads the source; a scheduled push that is past its time and no longer pending counts as sent.
    ///
    /// - Throws: `RemoteError` when a request fails.
    init(from reader: any RemoteReading) async throws(RemoteError) {
        let before = try await reader.lock()
        isPart = try await reader.stops().contains(where: \.isOfCopy)
        let ledger = try await reader.stoppedLedger().entries
        let pending = Set(try await reader.scheduledPushes().compactMap(\.notificationID))
        let now = try await reader.now()
        let locks = [before, try await reader.lock()]
        isChanging = locks.contains { $0?.isHeld(at: now) ?? false } || locks[0]?.fence != locks[1]?.fence
        let strongest = ledger.strongest.values
            .sorted { ($0.campaign, $0.revision, $0.delivery) < ($1.campaign, $1.revision, $1.delivery) }
        func isDelivered(_ entry: LedgerEntry) -> Bool { entry.isDelivered(at: now, pending: pending) }
        copied = strongest.filter { isDelivered($0) || $0.isMissedForGood }
        func isLeft(_ entry: LedgerEntry) -> Bool {
            entry.state == .scheduled && entry.stopped == nil && !isDelivered(entry)
        }
        left = strongest.filter(isLeft)
        open = strongest.filter { $0.mayHaveBeenDelivered && !isDelivered($0) && !isLeft($0) }
    }

    /// Returns the way to settle each open delivery, one line each: the target would send them to everybody again.
    func remedies(on source: String) -> [String] {
        open.map { entry in
            let remedy =
                entry.state == .unknown || entry.isStopped && entry.state != .scheduled
                ? "'\(entry.resolveCommand) --remote \(source)' closes it"
                : "'bugle apply --remote \(source)' settles it"
            return "open on \(source): \(entry.title) is \(entry.state.rawValue); \(remedy)"
        }
    }

    /// Writes the entries that the target does not have yet; returns their number.
    ///
    /// However long it takes, no apply comes in between: to it, what is not copied yet was never delivered. Nor does
    /// one send after a copy that was interrupted: a ledger that nobody knew before is stopped until it is whole.
    ///
    /// - Throws: `RemoteError` when an entry could not be written; running it again continues.
    func write(
        to writer: any RemoteWriting, knowing target: any RemoteReading, under keeper: LeaseKeeper,
        provenance: Provenance
    ) async throws(RemoteError) -> Int {
        let ledger = try await target.ledger()
        if ledger.isEmpty, try await !target.isLedgerStarted() {
            try await writer.stop(.ofCopy(at: try await target.now()))
        }
        let known = ledger.strongest
        var count = 0
        for var entry in copied {
            let other = known[entry.delivery]
            if let other, other.mayHaveBeenDelivered || other.isMissedForGood && entry.isMissedForGood { continue }
            await keeper.renewIfDue()
            guard await keeper.hasTime(for: .zero) else {
                throw RemoteError(.conditionFailed, "the lock was lost: run it again before anything is applied")
            }
            let lease = await keeper.lease
            if !entry.isMissedForGood { entry.state = .sent }
            if let doubtful = entry.figures?.inDoubt, doubtful > 0 {
                // Only the remote that sent the push knows which devices those are.
                entry.figures?.inDoubt = 0
                entry.reason = Reason(.answersLostElsewhere, .number(doubtful))
            }
            entry.fence = lease.fence
            entry.provenance = provenance
            if other == nil {
                try await writer.insert(entry, under: lease)
            } else {
                // The target has a record that would make it try again, such as a refusal.
                try await writer.update(entry, under: lease)
            }
            count += 1
        }
        try await writer.startLedger()
        for order in try await target.stops() where order.isOfCopy { try await writer.lift(order) }
        return count
    }
}

extension LedgerEntry {
    /// True if its push was sent: one that was scheduled was once its time has passed, unless it is still pending or a
    /// person stopped it.
    func isDelivered(at now: Instant, pending: Set<String>) -> Bool {
        if state == .sent { return true }
        guard state == .scheduled, stopped == nil, let at = scheduledAt else { return false }
        return at <= now && !pending.contains(notificationID.text)
    }
}

/// Manages the database of an `apns` remote.
struct RegistryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registry", abstract: "The database of an apns remote: the team's devices, ledger and journal.",
        subcommands: [Init.self])

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Creates the database of an apns remote.",
            discussion: """
                EXAMPLE
                  bugle registry init --remote apple

                A SQLite file is created with its tables; in PostgreSQL the tables are. Existing data stays, \
                and its tables are brought up to date. No other command ever creates a registry.

                A registry has a random id, which ties a saved plan to the registry it was made on: apply refuses it on \
                any other (code 9). A copy of a SQLite file, or a restored database, has the same id and counts as the \
                same registry: never apply to two copies, each would send what the other has sent.
                """)

        @OptionGroup var remote: RemoteOptions

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await running(common) {
                let bench = try await Workbench(common)
                let desired = try bench.desired()
                let declaration = try bench.remote(named: remote.remote, in: desired)
                guard case .apns(let settings) = declaration.service else {
                    throw Failure(
                        .usage, "\(declaration.name) is of type \(declaration.type.rawValue), which has no registry")
                }
                let access = APNsAccess(bench: bench, remote: declaration, settings: settings)
                try await access.createRegistry()
                bench.console.output("The registry of \(declaration.name), \(access.label), is ready.\n")
                return .success
            }
        }
    }
}

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
