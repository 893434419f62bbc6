internal import ArgumentParser
internal import DeviceRegistry
internal import FoundationEssentials
internal import PushServer

/// `bugle-server copy`.
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
        if counts.contains(where: { $0.leftOut > 0 }) { throw TransferCommand.inPart }
    }
}
