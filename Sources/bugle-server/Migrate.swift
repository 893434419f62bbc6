internal import ArgumentParser
internal import DeviceRegistry
internal import PushServer

/// `bugle-server migrate`.
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
