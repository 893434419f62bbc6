internal import ArgumentParser
internal import DeviceRegistry
internal import Base
internal import Push

/// `bugle-server restore`.
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

/// `bugle-server held`.
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
    /// The push in one line.
    fileprivate var line: String {
        let due = (order.fireAt ?? createdAt).isoText
        let begun = hasBegun ? "was being sent, " : ""
        return "\(order.objectID)  \(due)  \(begun)\(escaped(order.data.canonicalText))"
    }
}
