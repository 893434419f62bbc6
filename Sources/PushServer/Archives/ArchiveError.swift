/// An archive that cannot be read, or not to its end.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, its location and the remedy.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The archive ends before its declared content does.
    static func cutOff(_ name: String, at count: Int64) -> ArchiveError {
        ArchiveError("\(name) ends too early, after \(count) bytes: fetch the file again")
    }

    /// The archive is inconsistent.
    static func damaged(_ name: String, at count: Int64, _ what: String) -> ArchiveError {
        ArchiveError("\(name) is damaged at byte \(count) (\(what)): fetch the file again")
    }
}
