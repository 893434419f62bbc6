internal import ArgumentParser
internal import CLibrary
internal import DeviceRegistry
internal import FoundationEssentials
internal import RegistryTransfer
internal import Synchronization

/// `bugle-server import`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads an export of LeanCloud's _Installation into the data file.",
        discussion: """
            FILE holds one JSON object a line, a JSON list, or a mapping whose 'results' is a list; lines that begin \
            with '#' before them are skipped. For a compressed export: gzip -dc FILE.gz | bugle-server import /dev/stdin …

            Ids and times stay as they are, so that devices that were not seen for three months stay out of every \
            push. An object that is here already is replaced only by a version written later: importing twice changes \
            nothing, and importing what was exported before the move loses nothing that was written since.

            What is left out is counted by reason and the first are named by line. Exit codes: 0 everything was taken, \
            8 something was left out, 1 failed (run it again), 64 wrong usage.
            """)

    @Argument(help: "The export.")
    var file: String

    @Option(help: "The SQLite file; it is created when it is missing.")
    var data: String

    @Option(name: .customLong("class"), help: "The class that the objects belong to.")
    var className = "_Installation"

    func run() async throws {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransferCommand.failure("\(file) cannot be opened: \(TransferCommand.reason)")
        }
        defer { close(descriptor) }
        let registry = try Registry.open(path: data)
        defer { registry.close() }
        let line = TransferProgressLine()
        let (file, name) = (file, className)
        let work = try ExportImport(into: registry, className: name) { line.show(name, $0) }
        let report = try await work.run { () throws(TransferError) in
            do {
                return try TransferCommand.read(descriptor)
            } catch {
                throw TransferError("\(file) cannot be read: \(TransferCommand.reason)")
            }
        }
        line.end()
        print(report.text)
        if report.skippedCount > 0 { throw TransferCommand.inPart }
    }
}

/// What the commands that move data share.
enum TransferCommand {
    /// Something was left out.
    static let inPart = ExitCode(8)

    /// What a command that cannot go on says.
    static func failure(_ text: String) -> ValidationFailure { ValidationFailure(description: text) }

    /// The system's words for the last error.
    static var reason: String { String(cString: strerror(errno)) }

    /// The next bytes of a file; empty at its end.
    static func read(_ descriptor: Int32) throws(ReadFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = CLibrary.read(descriptor, &bytes, bytes.count)
            if count >= 0 { return Array(bytes[..<count]) }
            guard errno == EINTR else { throw ReadFailure() }
        }
    }

    /// A file could not be read; `errno` says why.
    struct ReadFailure: Error {}

    /// A failure with its own words.
    struct ValidationFailure: Error, CustomStringConvertible {
        let description: String
    }
}

/// One line on standard error that is drawn over on a terminal; elsewhere a line every 100,000 objects.
final class TransferProgressLine: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let hundredThousands = Atomic<Int>(0)

    /// Shows how many objects of a class were read.
    func show(_ className: String, _ count: Int) {
        let text = "\(className): \(count) objects read"
        if isTerminal { return write("\r\u{1B}[K\(text)") }
        let now = count / 100_000
        if hundredThousands.exchange(now, ordering: .relaxed) != now, now > 0 { write(text + "\n") }
    }

    /// Clears the line.
    func end() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = CLibrary.write(STDERR_FILENO, bytes, bytes.count)
    }
}
