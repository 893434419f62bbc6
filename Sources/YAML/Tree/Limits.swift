/// The limits on one file.
package enum Limits {
    /// Bytes of one file: 1 MiB. A caller may check it before reading the file.
    package static let bytes = 1 << 20
    /// Nodes of one file, with every alias counted as the nodes it refers to.
    package static let nodes = 100_000
    /// Nesting depth of collections, aliases followed.
    package static let depth = 64
    /// `%TAG` lines of one file; libyaml compares each with all before it.
    static let tagDirectives = 100
    /// Invalid characters reported one by one before the rest of the file is considered not to be text.
    static let characterReports = 100
}
