internal import FoundationEssentials
internal import Glibc
internal import PushReport

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

    /// Writes text to standard output.
    func output(_ text: String) { Self.write(text, to: STDOUT_FILENO) }

    /// Writes text to standard error.
    func error(_ text: String) { Self.write(text, to: STDERR_FILENO) }

    /// Says one line on standard error, with anything hostile in it escaped.
    func say(_ line: String) { error(escaped(line) + "\n") }

    /// Asks on the terminal; true when the answer is `yes`.
    func confirms(_ question: String) -> Bool {
        output("\(question) Only 'yes' is accepted: ")
        return readLine()?.trimmingSpaces == "yes"
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that went away (a closed pipe) wants nothing more.
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
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
