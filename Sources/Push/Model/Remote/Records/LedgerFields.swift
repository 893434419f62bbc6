package import Base

/// A ledger entry as the fields of a record; on LeanCloud an object of class `BugleLedger`.
///
/// Unknown values are left out. Times are ISO text in UTC, hashes `sha256:…`.
package enum LedgerFields {
    /// The fields of an entry written under this fence; nil: the field is removed.
    package static func members(of entry: LedgerEntry, fence: Int) -> [String: JSONValue?] {
        var entry = entry
        entry.fence = fence
        var members: [String: JSONValue?] = [:]
        for property in LedgerEntry.record.properties { members.updateValue(nil, forKey: property.name) }
        for (name, value) in LedgerEntry.record.members(of: entry) {
            members.updateValue(value.unordered, forKey: name)
        }
        return members
    }

    /// Reads a record.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and its first faulty field.
    package static func entry(_ object: StoredFields) throws(RemoteError) -> LedgerEntry {
        do throws(RecordError) {
            return try LedgerEntry.record.read(.object(object.members))
        } catch {
            throw object.fault(error.member ?? "")
        }
    }
}
