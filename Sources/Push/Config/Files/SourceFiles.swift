internal import Base
internal import Synchronization
internal import YAML

/// The files of a workspace as they were read, for showing a diagnostic's line.
package struct SourceFiles: Sendable {
    private let files: [ReadFile]

    init(_ files: [ReadFile]) { self.files = files }

    /// Keeps files by the names that diagnostics give them.
    package init(_ files: [String: [UInt8]] = [:]) { self.files = files.map { ReadFile(name: $0, bytes: $1) } }

    /// The files of several workspaces, whose names differ.
    package init(of workspaces: [SourceFiles]) { files = workspaces.flatMap(\.files) }

    /// The names of the files, in the order in which they were read.
    package var names: [String] { files.map(\.name) }

    /// The bytes of a file; nil when it was not read.
    private func bytes(of file: String) -> [UInt8]? {
        memory.places.withLock { known in
            let places = known ?? Dictionary(zip(names, files.indices)) { first, _ in first }
            known = places
            return places[file].map { files[$0].bytes }
        }
    }

    /// One line of a file without its line break, from 1; nil past the end or when the file was not read.
    package func line(_ number: Int, of file: String) -> String? {
        guard number > 0, let bytes = bytes(of: file) else { return nil }
        let starts = memory.lineStarts.withLock { known in
            if let starts = known[file] { return starts }
            let starts = Self.starts(of: bytes)
            known[file] = starts
            return starts
        }
        guard number <= starts.count else { return nil }
        return String(decoding: bytes[starts[number - 1]...].prefix { !Self.isBreak($0) }, as: UTF8.self)
    }

    /// The longest line that is shown, in bytes: one line can have thousands of diagnostics, and each reads it.
    private static let longestShown = 4096

    /// A line that may be shown in output; nil also for a very long line, or one that may hold a secret or a device
    /// token, valid or not.
    package func shownLine(_ number: Int, of file: String) -> String? {
        memory.lastShown.withLock { last in
            if let last, last.file == file, last.number == number { return last.text }
            let text = checkedLine(number, of: file)
            last = (file, number, text)
            return text
        }
    }

    private func checkedLine(_ number: Int, of file: String) -> String? {
        guard let text = line(number, of: file), text.utf8.count <= Self.longestShown, !SecretLine.isSuspected(text)
        else { return nil }
        // The key may be alone on the line before.
        return line(number - 1, of: file).map(SecretLine.isLeftOpen) == true ? nil : text
    }

    private let memory = Memory()

    /// A cache, because a file can have thousands of diagnostics.
    private final class Memory: Sendable {
        /// The places of the files by name, once a line of one was requested.
        let places = Mutex<[String: Int]?>(nil)
        /// The offsets at which the lines of each file begin.
        let lineStarts = Mutex<[String: [Int]]>([:])
        /// The last line that was requested.
        let lastShown = Mutex<(file: String, number: Int, text: String?)?>(nil)
    }

    static func starts(of bytes: [UInt8]) -> [Int] {
        var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        for (index, byte) in bytes.enumerated() where isBreak(byte) {
            if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
            starts.append(index + 1)
        }
        return starts
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

/// The content of one file; an object, because ten thousand are passed on.
final class ReadFile: Sendable {
    let name: String
    let bytes: [UInt8]
    let declarations: [Declaration]
    let diagnostics: [Diagnostic]
    let secretVariables: Set<String>
    let references: [VariableReference]

    init(
        name: String, bytes: [UInt8] = [], declarations: [Declaration] = [], diagnostics: [Diagnostic] = [],
        secretVariables: Set<String> = [], references: [VariableReference] = []
    ) {
        self.name = name
        self.bytes = bytes
        self.declarations = declarations
        self.diagnostics = diagnostics
        self.secretVariables = secretVariables
        self.references = references
    }

    /// Its first Workspace document.
    var workspace: DeclaredWorkspace? {
        for declaration in declarations {
            if case .workspace(let workspace) = declaration.content { return workspace }
        }
        return nil
    }
}

/// Reads and decodes files one by one; safe on several threads.
struct FileReader: Sendable {
    let folder: WorkspaceFolder
    let naming: FileNaming

    /// Reads one file; anything but a regular file is treated as missing.
    func read(_ file: FileTree.File) -> ReadFile {
        do {
            let bytes = try Posix.contents(of: file.realPath)
            return bytes.map { read($0, as: file.path) } ?? ReadFile(name: naming.name(file.path))
        } catch {
            let found = Diagnostic(
                .error, .unreadable, "the file cannot be read: \(error.message)", at: naming.beginning(of: file.path))
            return ReadFile(name: naming.name(file.path), diagnostics: [found])
        }
    }

    func read(_ bytes: [UInt8], as path: String) -> ReadFile {
        let name = naming.name(path)
        let parsed = DocumentParser.parse(bytes, file: name)
        let context = ReadingContext(folder: folder, file: name, bytes: bytes)
        context.diagnostics = parsed.diagnostics
        for anchor in parsed.documents.flatMap(\.unusedAnchors) { context.warn(of: anchor) }
        let reader = DocumentReader(context: context, file: path)
        let declarations = parsed.documents.compactMap { reader.declaration(of: $0) }
        return ReadFile(
            name: name, bytes: bytes, declarations: declarations, diagnostics: context.diagnostics,
            secretVariables: context.secretVariables, references: context.references)
    }

    /// Reads files on all cores; the results are in the order of the files.
    func read(_ files: [FileTree.File]) async -> [ReadFile] {
        let size = 64
        guard files.count > size else { return files.map(read) }
        return await withTaskGroup(of: (start: Int, files: [ReadFile]).self) { group in
            for start in stride(from: 0, to: files.count, by: size) {
                group.addTask { (start, files[start...].prefix(size).map(read)) }
            }
            let chunks = await group.reduce(into: []) { $0.append($1) }
            return chunks.sorted { $0.start < $1.start }.flatMap(\.files)
        }
    }
}

/// Recognizes lines with secrets by their words alone: text that cannot be read as YAML has no fields.
enum SecretLine {
    /// The endings of keys whose values are secrets or device tokens.
    private static let words =
        ["key", "postgres", "passphrase", "password", "secret", "serviceaccount", "devices"]
        + NotifyService.allCases.map(\.rawValue)
    /// The number of hexadecimal digits that makes a token or a key.
    private static let digits = 32

    /// True when a line may hold a secret, a URL's user info, or device tokens.
    static func isSuspected(_ line: String) -> Bool {
        keys(of: line).contains(where: isSecret) || hasLongNumber(line) || hasUserInfo(line)
    }

    /// True when a line ends with such a key and its value is on the next line.
    static func isLeftOpen(_ line: String) -> Bool {
        guard let colon = line.lastIndex(of: ":"), keys(of: line).last.map(isSecret) == true else { return false }
        return line[line.index(after: colon)...].allSatisfy { " \t|>+-0123456789".contains($0) }
    }

    private static func isSecret(_ key: String) -> Bool { words.contains(where: key.hasSuffix) }

    /// The words before colons, in lower case.
    private static func keys(of line: String) -> [String] {
        var keys: [String] = []
        var (word, last) = ([UInt8](), [UInt8]())
        for byte in line.utf8 {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF) {
                word.append(byte | 0x20)
                continue
            }
            if !word.isEmpty { (word, last) = ([], word) }
            switch byte {
            case UInt8(ascii: ":"):
                if !last.isEmpty { keys.append(String(decoding: last, as: UTF8.self)) }
                last = []
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "'"): break
            default: last = []
            }
        }
        return keys
    }

    private static func hasLongNumber(_ line: String) -> Bool {
        var count = 0
        for byte in line.utf8 {
            count = byte.isHexadecimal ? count + 1 : 0
            if count == digits { return true }
        }
        return false
    }

    /// True when a URL has something before `@`.
    private static func hasUserInfo(_ line: String) -> Bool {
        guard line.utf8.contains(UInt8(ascii: "@")), let start = line.firstRange(of: "://") else { return false }
        return line[start.upperBound...].contains("@")
    }
}
