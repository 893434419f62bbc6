internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Synchronization

/// Standard output and standard error; the only place that prints.
struct Console: Sendable {
    /// True if standard output is a terminal; false with `CI=true`.
    let isTerminal: Bool
    /// True if standard error is a terminal.
    let isErrorTerminal: Bool
    /// True if there is somebody to ask.
    let canAsk: Bool
    /// True if output may be coloured.
    let usesColor: Bool
    /// True if non-ASCII symbols may be printed.
    let usesUnicode: Bool
    /// The columns of the terminal; nil where standard output is none.
    let columns: Int?

    init(environment: [String: String], noColor: Bool) {
        let isCI = environment["CI"] == "true"
        isTerminal = isatty(STDOUT_FILENO) == 1 && !isCI
        isErrorTerminal = isatty(STDERR_FILENO) == 1 && !isCI
        canAsk = isTerminal && isatty(STDIN_FILENO) == 1
        usesColor = isTerminal && !noColor && (environment["NO_COLOR"] ?? "").isEmpty
        columns = isTerminal ? Self.columns(COLUMNS: environment["COLUMNS"]) : nil
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? "C.UTF-8"
        usesUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
    }

    /// The columns of the terminal at standard output; 80 where it does not say.
    private static func columns(COLUMNS: String?) -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return COLUMNS.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// True after a failed write to an output file, or to standard output other than because its reader is gone.
    static var hasFailed: Bool { failed.load(ordering: .relaxed) }

    private static let failed = Atomic<Bool>(false)

    /// Says that output could not be written, which the exit code then tells.
    func fail(_ what: String) {
        Self.failed.store(true, ordering: .relaxed)
        say("bugle: error: \(what)")
    }

    /// Writes text to standard output.
    func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes UTF-8 to standard output.
    func output(_ bytes: [UInt8]) {
        do throws(SystemError) {
            try Descriptor.write(bytes, to: STDOUT_FILENO)
        } catch {
            if error.code != EPIPE { fail("the output could not be written") }
        }
    }

    /// Writes text to standard error.
    func error(_ text: String) { error(Array(text.utf8)) }

    /// Writes UTF-8 to standard error.
    func error(_ bytes: [UInt8]) { try? Descriptor.write(bytes, to: STDERR_FILENO) }

    /// Writes one line of a log in JSON to standard error.
    func log(_ level: String, _ message: String, _ fields: JSONObject) {
        var line = fields
        (line["level"], line["message"]) = (.string(level), .string(message))
        error(JSONValue.object(line).canonicalText + "\n")
    }

    /// Writes one line to standard error, escaped.
    func say(_ line: String) { error(escaped(line) + "\n") }

    /// Asks on the terminal; returns true for the answer `yes`.
    func confirms(_ question: String) -> Bool {
        output("\(question) Only 'yes' is accepted: ")
        return readLine()?.trimmingSpaces == "yes"
    }
}

extension String {
    /// The text without leading and trailing white space.
    var trimmingSpaces: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Console {
    /// Returns the console for a command that reads no workspace.
    static func of(_ options: CommonOptions) -> Console {
        Console(environment: ProcessInfo.processInfo.environment, noColor: options.noColor)
    }
}
