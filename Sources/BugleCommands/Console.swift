internal import Apply
internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import Synchronization

/// Standard output and standard error; the only place that prints.
struct Console: Sendable {
    /// True if standard output is a terminal; false with `CI=true`.
    let isTerminal: Bool
    let isErrorTerminal: Bool
    let canAsk: Bool
    /// True if output may be coloured.
    let usesColor: Bool
    /// True if non-ASCII symbols may be printed.
    let usesUnicode: Bool
    /// The columns of the terminal; nil where standard output is none.
    let columns: Int?
    /// The section that keeps what is printed of one workspace of many; nil where it is printed at once.
    let section: WorkspaceSection?

    init(environment: [String: String], noColor: Bool) {
        let isCI = environment["CI"] == "true"
        section = .current
        isTerminal = isatty(STDOUT_FILENO) == 1 && !isCI
        isErrorTerminal = isatty(STDERR_FILENO) == 1 && !isCI && section == nil
        canAsk = isTerminal && isatty(STDIN_FILENO) == 1 && section == nil
        usesColor = isTerminal && !noColor && (environment["NO_COLOR"] ?? "").isEmpty
        columns = isTerminal ? Self.columns(COLUMNS: environment["COLUMNS"]) : nil
        // An empty one counts as unset.
        let locales = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        let locale = locales.first { !$0.isEmpty } ?? "C.UTF-8"
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

    func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes UTF-8 to standard output.
    func output(_ bytes: [UInt8]) {
        if let section { return section.keep(bytes, isError: false) }
        do throws(SystemError) {
            try Descriptor.write(bytes, to: STDOUT_FILENO)
        } catch {
            if error.code != EPIPE { fail("the output could not be written") }
        }
    }

    func error(_ text: String) { error(Array(text.utf8)) }

    /// Writes UTF-8 to standard error.
    func error(_ bytes: [UInt8]) {
        if let section { return section.keep(bytes, isError: true) }
        try? Descriptor.write(bytes, to: STDERR_FILENO)
    }

    /// Writes one line of a log in JSON to standard error.
    func log(_ level: String, _ message: String, _ fields: JSONObject) {
        var line = fields
        (line["level"], line["message"]) = (.string(level), .string(message))
        error(JSONValue.object(line).canonicalText + "\n")
    }

    /// Writes one line to standard error, escaped.
    func say(_ line: String) { error(escaped(line) + "\n") }

    /// Writes one line to standard error at once: also of one workspace of many, by its folder.
    func sayAtOnce(_ line: String) {
        guard let section else { return say(line) }
        try? Descriptor.write(Array(escaped("\(section.folder): \(line)").utf8) + "\n".utf8, to: STDERR_FILENO)
    }

    /// Says what kept the command from being done.
    func sayError(_ text: String) {
        section?.fail(text)
        say("bugle: error: \(text)")
    }

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

/// Prints reports in the requested formats, to standard output and to files.
struct ReportPrinter: Sendable {
    let console: Console
    let sources: SourceFiles
    /// The workspace's folder relative to the current one.
    var folder = ""
    var language: Language

    /// Writes a report in every requested format; a file that cannot be written keeps nothing else from being so.
    func write(_ report: Report, as formats: [OutputFormat]) {
        if let section = console.section {
            section.keep(report, sources: sources)
            // Every other form is one of all workspaces.
            return print(report, as: formats.filter { $0.file == nil && $0.form == .text })
        }
        print(report, as: formats)
    }

    private func print(_ report: Report, as formats: [OutputFormat]) {
        // The formats are rendered concurrently; output for a file is written at once, and only the rest is kept.
        let results = [[UInt8]](concurrently: formats.count, inChunksOf: 1) { index in
            let (form, file) = (formats[index].form, formats[index].file)
            let bytes = report.bytes(as: form, options: options(isForConsole: file == nil))
            guard let file else { return bytes }
            OutputFile.put(bytes, to: file, console)
            return []
        }
        for (format, bytes) in zip(formats, results) {
            if format.file != nil { continue }
            if format.form == .text, case .diagnostics = report {
                console.error(bytes)
            } else {
                console.output(bytes)
            }
        }
    }

    func options(isForConsole: Bool = false) -> ReportOptions {
        let sources = sources
        return ReportOptions(
            language: language,
            style: TextStyle(
                isColoured: isForConsole && console.usesColor, usesUnicode: console.usesUnicode,
                columns: isForConsole ? console.columns : nil),
            workspaceFolder: folder,
            sourceLine: { file, line in sources.shownLine(line, of: file) })
    }
}

/// Shows the progress of an apply on standard error: one line, redrawn on a terminal; elsewhere nothing unless verbose.
struct ProgressLine: Sendable {
    let console: Console
    let isVerbose: Bool

    var report: @Sendable (ApplyEvent) -> Void {
        { event in
            switch event {
            case .began(let change, let index, let count):
                draw("\(bar(index - 1, count)) \(index)/\(count) \(change.action.rawValue) \(change.name)")
            case .progress(let change, let progress): draw("\(change.name): \(progress.text)")
            case .ended: break
            case .waiting(let why, let duration): draw("waiting \(duration.roundedSeconds) s: \(why)")
            case .waitingForLock(let record): note("waiting for the lock of \(record.holder)")
            case .warning(let text): console.say("bugle: warning: \(text)")
            }
        }
    }

    func draw(_ progress: DeliveryProgress) { draw(progress.text) }

    /// Clears the line.
    func end() {
        if console.isErrorTerminal { console.error("\r\u{1B}[K") }
    }

    private func draw(_ text: String) {
        if console.isErrorTerminal {
            console.error("\r\u{1B}[K" + escaped(text))
        } else if isVerbose {
            console.say(text)
        }
    }

    private func note(_ text: String) {
        if console.isErrorTerminal { draw(text) } else { console.sayAtOnce(text) }
    }

    private func bar(_ done: Int, _ count: Int) -> String {
        let width = 20
        let filled = count == 0 ? width : done * width / count
        let (full, empty) = console.usesUnicode ? ("█", "░") : ("#", ".")
        return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    }
}

extension DeliveryProgress {
    var text: String {
        guard let targets else { return "freezing the audience" }
        var parts = ["\(grouped(accepted)) of \(grouped(targets)) accepted"]
        let reasons = refused.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        parts += reasons.prefix(3).map { "\(grouped($0.value)) \($0.key)" }
        if reasons.count > 3 {
            parts.append("\(grouped(reasons.dropFirst(3).reduce(0) { $0 + $1.value })) refused for other reasons")
        }
        if inDoubt > 0 { parts.append("\(grouped(inDoubt)) in doubt") }
        parts.append("\(grouped(Int(perSecond.rounded())))/s")
        if let remaining { parts.append("\(remaining.roundedSeconds) s left") }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    /// Whole seconds, rounded up.
    var roundedSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
