/// The files of a workspace as they were read, for showing a diagnostic's line.
package struct SourceFiles: Sendable {
    private let files: [String: [UInt8]]

    /// Keeps files by the names that diagnostics give them.
    package init(_ files: [String: [UInt8]] = [:]) { self.files = files }

    /// The bytes of a file; nil when it was not read.
    package func bytes(of file: String) -> [UInt8]? { files[file] }

    /// One line of a file without its line break, from 1; nil past the end or when the file was not read.
    package func line(_ number: Int, of file: String) -> String? {
        guard number > 0, var rest = files[file]?[...] else { return nil }
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        for _ in 1..<number {
            guard let end = rest.firstIndex(where: Self.isBreak) else { return nil }
            let isPair = rest[end] == 0x0D && rest.dropFirst(end - rest.startIndex + 1).first == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        return String(decoding: rest.prefix { !Self.isBreak($0) }, as: UTF8.self)
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
