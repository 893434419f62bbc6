/// A file in an archive, or a plain file.
package struct ArchiveMember {
    /// The path within the archive or folder.
    package let name: String
    /// The unpacked content; read it before asking for the next member, or not at all.
    package let bytes: any ByteSource
    /// True when this is the given path itself and not a part of it.
    package var isWhole = false
}

/// A sequence of archive members.
protocol ArchiveMembers: AnyObject {
    /// Returns the next member; nil at the end.
    ///
    /// - Throws: ``ArchiveError`` when the archive is damaged or cut off.
    func next() throws(ArchiveError) -> ArchiveMember?
}
