internal import Synchronization

/// The files of a workspace as they were read, for showing a diagnostic's line.
package struct SourceFiles: Sendable {
    private let files: [String: [UInt8]]

    /// Keeps files by the names that diagnostics give them.
    package init(_ files: [String: [UInt8]] = [:]) { self.files = files }

    /// The bytes of a file; nil when it was not read.
    package func bytes(of file: String) -> [UInt8]? { files[file] }

    /// One line of a file without its line break, from 1; nil past the end or when the file was not read.
    package func line(_ number: Int, of file: String) -> String? {
        guard number > 0, let bytes = files[file] else { return nil }
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
        /// The offsets at which the lines of each file begin.
        let lineStarts = Mutex<[String: [Int]]>([:])
        /// The last line that was requested.
        let lastShown = Mutex<(file: String, number: Int, text: String?)?>(nil)
    }

    private static func starts(of bytes: [UInt8]) -> [Int] {
        var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        for (index, byte) in bytes.enumerated() where isBreak(byte) {
            if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
            starts.append(index + 1)
        }
        return starts
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
