internal import ArgumentParser
internal import DeviceRegistry
internal import FoundationEssentials

/// `bugle-server backup`.
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
