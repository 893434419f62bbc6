internal import JSONValue

/// A document that was checked and serialized outside the queue of changes: only storing it is left.
struct DocumentDraft: Sendable {
    /// The fields.
    let fields: JSONObject
    /// The text to store.
    let text: String
    /// The keys that were written.
    let changedKeys: Set<String>
    /// The changes to the object's relations.
    let relations: [DocumentChange.RelationChange]

    /// The maximum size of an object in bytes. Source: <doc:/PushModel/LeanCloudErrors#Codes>.
    static let mostBytes = 16 * 1024 * 1024
    /// The maximum size of a device in bytes: every push and every condition reads it. The server's own limit.
    static let mostBytesOfDevice = 128 * 1024

    /// Checks a change and serializes its document.
    ///
    /// - Throws: ``RegistryError`` with code 116, or the error of a violated rule of the class.
    init(_ change: DocumentChange, in className: ClassName) throws(RegistryError) {
        fields = className.isInstallation ? try InstallationRules.checked(change.fields) : change.fields
        if className == .user { try UserRules.check(fields) }
        text = JSONValue.object(fields).canonicalText
        try Self.checkSize(text.utf8.count, in: className)
        (changedKeys, relations) = (change.changedKeys, change.relations)
    }

    /// Rejects a document, or a change to one, that is too large for its class.
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
