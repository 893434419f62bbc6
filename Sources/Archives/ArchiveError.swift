/// Why an archive cannot be read, or not to its end.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The archive ends before what it says it holds.
    static func cutOff(_ name: String, at count: Int64) -> ArchiveError {
        ArchiveError("\(name) ends too early, after \(count) bytes: fetch the file again")
    }

    /// Something in the archive contradicts itself.
    static func damaged(_ name: String, at count: Int64, _ what: String) -> ArchiveError {
        ArchiveError("\(name) is damaged at byte \(count) (\(what)): fetch the file again")
    }
}
