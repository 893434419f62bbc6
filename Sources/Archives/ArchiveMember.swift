/// A file within an archive, or a file that is none.
package struct ArchiveMember {
    /// Its path there.
    package let name: String
    /// What it holds, unpacked; to be read before the next member is asked for, or not at all.
    package let bytes: any ByteSource
    /// Whether it is the path itself that was given, and not a part of it.
    package var isWhole = false
}

/// Members one after the other.
protocol ArchiveMembers: AnyObject {
    /// The next of them; nil at the end.
    ///
    /// - Throws: ``ArchiveError`` when the archive is damaged or cut off.
    func next() throws(ArchiveError) -> ArchiveMember?
}
