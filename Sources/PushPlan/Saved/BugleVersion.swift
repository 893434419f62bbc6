/// Which bugle this is, as plan files and every other machine format name it.
package enum BugleVersion {
    /// The version of the program; semantic versioning.
    package static let number = "0.1.0"
    /// The program with its version, the member `tool` of every machine format.
    package static let tool = "bugle \(number)"
    /// The version of the machine formats: a minor one adds members, a major one is refused by older programs.
    package static let format = "1.1"
    /// The major part of ``format``, the only one that is read.
    static let majorFormat = 1
}
