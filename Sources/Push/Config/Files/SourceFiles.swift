internal import Synchronization

/// The files of a workspace as they were read, for showing a diagnostic's line.
package struct SourceFiles: Sendable {
    private let files: [ReadFile]

    init(_ files: [ReadFile]) { self.files = files }

    /// Keeps files by the names that diagnostics give them.
    package init(_ files: [String: [UInt8]] = [:]) { self.files = files.map { ReadFile(name: $0, bytes: $1) } }

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
