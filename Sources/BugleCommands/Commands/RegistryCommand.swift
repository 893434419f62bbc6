internal import ArgumentParser
internal import Push

/// Manages the database of an `apns` remote.
struct RegistryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registry", abstract: "The database of an apns remote: the team's devices, ledger and journal.",
        subcommands: [Init.self])

    /// Creates the database.
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
