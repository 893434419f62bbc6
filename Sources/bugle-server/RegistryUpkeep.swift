internal import ArgumentParser
internal import Base
internal import DeviceRegistry
internal import FoundationEssentials
internal import Push
internal import PushServer

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies the registry into a file, also while the server runs.",
        discussion: """
            EXAMPLE
              bugle-server backup backup.sqlite --data registry.sqlite

            The copy holds everything that was answered with success before the command began. It is checked before it \
            gets its name; nobody but its user may read it. 'bugle-server restore' puts it back.
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "FILE"))
    var file: String

    @Flag(help: "Overwrite an existing file.")
    var overwrite = false

    @OptionGroup var options: SettingOptions

    func run() async throws {
        let data = try await Output.reporting {
            try options.settings().file(
                "'data' is a database, which PostgreSQL's own tools back up: use pg_dump, and pg_restore to put it back."
            )
        }
        let bytes = try Registry.backUp(data, to: file, replacing: overwrite)
        Output.print("\(file): \(bytes) bytes")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts a backup in the place of the registry.",
        discussion: """
            EXAMPLE
              bugle-server restore backup.sqlite --data registry.sqlite

            Stop the server and everything else that has the registry open first. The backup is checked before it gets \
            the registry's name; an existing registry is kept beside it. Pushes that the old server may have sent after the \
            backup was taken are held back until 'bugle-server held' releases or drops them: accepted ones that were not \
            sent, those being sent to Apple, and scheduled ones whose time has come. Workspaces are locked until 'bugle \
            unlock': the next apply would send again what it sent since the backup. Pushes scheduled for later stay \
            scheduled, also those that were cancelled since.
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "FILE"))
    var file: String

    @Flag(help: "Replace an existing registry, which is kept beside it.")
    var overwrite = false

    @OptionGroup var options: SettingOptions

    func run() async throws {
        let data = try await Output.reporting {
            try options.settings().file(
                "'data' is a database: put it back with pg_restore while no server runs, then run 'bugle-server held --all'."
            )
        }
        let report = try await Registry.restore(file, to: data, replacing: overwrite, at: .system)
        Output.print("\(data): restored from \(file)")
        Self.report(report)
    }

    /// Prints what is held back.
    static func report(_ report: RestoreReport) {
        Output.print("held back: \(report.held) pushes; see 'bugle-server held'")
        Output.print("scheduled for later: \(report.scheduled) pushes, also those cancelled since the backup")
        Output.print("locked: \(report.locked) workspaces; check 'bugle plan' before 'bugle unlock'")
    }
}

struct Held: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the pushes that a restore holds back, and sends or drops them.",
        discussion: """
            EXAMPLES
              bugle-server held
              bugle-server held --send ID

            Without --send and --drop it lists them: id, time of sending, and content. A running server \
            sends a released push within ten seconds, unless it has expired; pushes to Apple's devices expire after a week. \
            --all holds back what 'restore' would, in a database that pg_restore has put back: run it before a server starts.
            """)

    @Option(help: ArgumentHelp("Send this push (repeatable).", valueName: "ID"))
    var send: [String] = []

    @Option(help: ArgumentHelp("Drop this push for good (repeatable).", valueName: "ID"))
    var drop: [String] = []

    @Flag(help: "Hold back every push that may have been sent since a backup, and lock workspaces.")
    var all = false

    @OptionGroup var options: SettingOptions

    func validate() throws {
        guard Set(send).isDisjoint(with: drop) else { throw ValidationError("A push is either sent or dropped.") }
    }

    func run() async throws {
        let data = try await Output.reporting { try options.settings().data() }
        let registry = try await data.open(for: .upkeep)
        defer { registry.close() }
        if all { Restore.report(try await registry.holdOverdue(at: .system)) }
        for (decision, ids) in [(HeldDecision.send, send), (.drop, drop)] {
            for id in ids {
                guard try await registry.decide(decision, onHeld: id, at: .system) else {
                    throw ValidationError("No held push has the id \(id.prefix(64)).")
                }
                Output.print("\(id) \(decision == .send ? "is released" : "is dropped")")
            }
        }
        guard send.isEmpty, drop.isEmpty else { return }
        let held = try await registry.heldPushes()
        for push in held { Output.print(push.line) }
        if held.isEmpty { Output.print("no push is held back") }
    }
}

extension HeldPush {
    fileprivate var line: String {
        let due = (order.fireAt ?? createdAt).isoText
        let begun = hasBegun ? "was being sent, " : ""
        return "\(order.objectID)  \(due)  \(begun)\(escaped(order.data.canonicalText))"
    }
}

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a whole registry from a file to a database, or back.",
        discussion: """
            EXAMPLE
              bugle-server copy --from registry.sqlite --to postgres://bugle@db/bugle

            Everything is copied with its ids, numbers and times: devices, other objects, pushes sent and scheduled, \
            messages, and what 'bugle apply' keeps. Stop every server and every job of CI that uses either registry first, and start none on the \
            source again: it would send what the copy sends, too.

            The target is a missing or empty registry, or a copy that was interrupted and is continued; until it is \
            finished, no server serves it and bugle does not plan with it. At the end the \
            rows of each table are counted on both sides. Left out are, in PostgreSQL, texts that hold a NUL and second \
            spellings of one token, and everywhere who is logged in to the console. A password for PostgreSQL may stand in PGPASSWORD or a PGPASSFILE.

            Exit codes: 0 everything was copied, 8 some rows were left out, 1 failed (run it again to go on), 64 wrong usage.
            """)

    @Option(
        help: ArgumentHelp(
            "The registry to copy: a SQLite file, or postgres://USER@HOST/DATABASE.", valueName: "REGISTRY"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The registry to fill: a SQLite file, created if missing, or postgres://USER@HOST/DATABASE.",
            valueName: "REGISTRY"))
    var to: String

    func validate() throws {
        _ = try place(from, "--from")
        _ = try place(to, "--to")
    }

    private func place(_ text: String, _ option: String) throws -> DataPlace {
        let place: DataPlace
        do {
            place = try DataPlace(text)
        } catch {
            throw ValidationError("\(option) \(error.message).")
        }
        try place.refusePassword(option)
        return place
    }

    func run() async throws {
        let source = try await place(from, "--from").open(for: .source)
        let target = try await place(to, "--to").open(for: .target)
        let line = TransferProgressLine()
        let counts: [CopiedCount]
        do {
            defer { line.end() }
            counts = try await target.copy(everythingOf: source) { line.show($0, $1) }
        }
        try await target.checkpoint()
        await source.shutDown()
        await target.shutDown()
        for count in counts where count.source > 0 {
            let leftOut = count.leftOut > 0 ? ", \(count.leftOut) left out" : ""
            Output.print("\(count.table): \(count.source) rows, \(count.copied) copied\(leftOut)")
        }
        guard counts.allSatisfy(\.isComplete) else {
            Output.print("the counts differ: something used a registry meanwhile; empty the target and copy again")
            throw ExitCode.failure
        }
        if counts.contains(where: { $0.leftOut > 0 }) { throw Output.inPart }
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings the tables of the registry up to date, as a starting server does.",
        discussion: """
            EXAMPLE
              bugle-server migrate --config server.yaml

            Migrations run in their order, each once, and one server at a time; others wait. With --plan nothing is changed: the \
            migrations that would run are listed, for PostgreSQL with their statements.
            """)

    @Flag(help: "Only list what would be done.")
    var plan = false

    @OptionGroup var options: SettingOptions

    func run() async throws {
        let place = try await Output.reporting { try options.settings().data() }
        switch place {
        case .file(let path):
            let pending = try Registry.pendingMigrations(path: path)
            for name in pending { Output.print(name) }
            if !plan, !pending.isEmpty { try await place.open(for: .transfer).shutDown() }
            Output.print(Self.summary(pending.count, plan))
        case .database(let address):
            let pending = try await PostgresRegistry.plan(address)
            for step in pending {
                Output.print("-- version \(step.version): \(step.purpose)")
                if plan { for statement in step.statements { Output.print(lines: statement + ";") } }
            }
            if !plan { try await PostgresRegistry.create(address) }
            Output.print(Self.summary(pending.count, plan))
        case .secret: break
        }
    }

    private static func summary(_ pending: Int, _ isPlan: Bool) -> String {
        guard pending > 0 else { return "the tables are up to date" }
        return isPlan ? "\(pending) migrations would run" : "\(pending) migrations were run"
    }
}
