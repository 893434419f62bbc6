internal import CLibrary
internal import Diagnostics
internal import FoundationEssentials
internal import Synchronization

/// The program's standard output and error: the only place that prints.
struct Console: Sendable {
    /// Whether people read the output on a terminal; `CI=true` counts as none.
    let isTerminal: Bool
    /// Whether the error output goes to a terminal.
    let isErrorTerminal: Bool
    /// Whether there is somebody to ask.
    let canAsk: Bool
    /// Whether output may be coloured.
    let usesColor: Bool
    /// Whether symbols outside ASCII may be printed.
    let usesUnicode: Bool

    init(environment: [String: String], noColor: Bool) {
        let isCI = environment["CI"] == "true"
        isTerminal = isatty(STDOUT_FILENO) == 1 && !isCI
        isErrorTerminal = isatty(STDERR_FILENO) == 1 && !isCI
        canAsk = isTerminal && isatty(STDIN_FILENO) == 1
        usesColor = isTerminal && !noColor && (environment["NO_COLOR"] ?? "").isEmpty
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? "C.UTF-8"
        usesUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
    }

    /// Whether something could not be written to standard output, other than because nobody reads it any more.
    static var hasFailed: Bool { failed.load(ordering: .relaxed) }

    private static let failed = Atomic<Bool>(false)

    /// Writes text to standard output.
    func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes UTF-8 to standard output.
    func output(_ bytes: [UInt8]) {
        let problem = Self.write(bytes, to: STDOUT_FILENO)
        if problem != 0, problem != EPIPE { Self.failed.store(true, ordering: .relaxed) }
    }

    /// Writes text to standard error.
    func error(_ text: String) { error(Array(text.utf8)) }

    /// Writes UTF-8 to standard error.
    func error(_ bytes: [UInt8]) { _ = Self.write(bytes, to: STDERR_FILENO) }

    /// Says one line on standard error, with anything hostile in it escaped.
    func say(_ line: String) { error(escaped(line) + "\n") }

    /// Asks on the terminal; true when the answer is `yes`.
    func confirms(_ question: String) -> Bool {
        output("\(question) Only 'yes' is accepted: ")
        return readLine()?.trimmingSpaces == "yes"
    }

    /// Writes all bytes; the number of the error that kept it from doing so, 0 when there was none.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { CLibrary.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return errno }
            bytes = bytes.dropFirst(count)
        }
        return 0
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmingSpaces: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Console {
    /// The console of a command that reads no workspace.
    static func of(_ options: CommonOptions) -> Console {
        Console(environment: ProcessInfo.processInfo.environment, noColor: options.noColor)
    }
}
