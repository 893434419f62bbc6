/// The version of bugle, as in plan files and all other machine-readable formats.
package enum BugleVersion {
    /// The version of the program, by semantic versioning.
    package static let number = "0.1.0"
    /// The program with its version: the member `tool` of every machine-readable format.
    package static let tool = "bugle \(number)"
    /// The version of the machine-readable formats: a minor one adds members, a major one is rejected by older
    /// programs.
    package static let format = "1.1"
    /// The major part of ``format``; no other is read.
    static let majorFormat = 1
}
