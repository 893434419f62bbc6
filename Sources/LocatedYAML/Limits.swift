/// How much one file may hold.
package enum Limits {
    /// Bytes of one file: 1 MiB. A reader may check it before it reads.
    package static let bytes = 1 << 20
    /// Nodes of one file, every alias counted as the nodes it stands for.
    package static let nodes = 100_000
    /// Collections inside each other, aliases followed.
    package static let depth = 64
    /// `%TAG` lines of one file; libyaml compares each with all before it.
    static let tagDirectives = 100
    /// Characters reported one by one before the rest of the file is taken for something other than text.
    static let characterReports = 100
}
