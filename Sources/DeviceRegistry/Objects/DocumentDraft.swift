internal import JSONValue

/// A document that was checked and spelled out beside the queue of changes: only storing it is left.
struct DocumentDraft: Sendable {
    /// Its fields.
    let fields: JSONObject
    /// The text that is stored.
    let text: String
    /// The keys that were written.
    let changedKeys: Set<String>
    /// What enters and leaves the object's relations.
    let relations: [DocumentChange.RelationChange]

    /// An object may have this many bytes. Source: <doc:/PushModel/LeanCloudErrors#Codes>.
    static let mostBytes = 16 * 1024 * 1024
    /// A device may have this many: every push and every condition reads it. The server's own bound.
    static let mostBytesOfDevice = 128 * 1024

    /// Checks a change and writes its document.
    ///
    /// - Throws: ``RegistryError`` with code 116, or what the rules of the class refuse.
    init(_ change: DocumentChange, in className: ClassName) throws(RegistryError) {
        fields = className.isInstallation ? try InstallationRules.checked(change.fields) : change.fields
        if className == .user { try UserRules.check(fields) }
        text = JSONValue.object(fields).canonicalText
        try Self.checkSize(text.utf8.count, in: className)
        (changedKeys, relations) = (change.changedKeys, change.relations)
    }

    /// Refuses a document of a class, or a change to one, that is too large.
    ///
    /// - Throws: ``RegistryError`` with code 116.
    static func checkSize(_ bytes: Int, in className: ClassName) throws(RegistryError) {
        if className.isInstallation, bytes > mostBytesOfDevice {
            throw RegistryError(
                .objectTooLarge, "The object is too large. (\(mostBytesOfDevice >> 10) kB for a device)")
        }
        if bytes > mostBytes {
            throw RegistryError(.objectTooLarge, "The object is too large. (\(mostBytes >> 20) MB)")
        }
    }
}
