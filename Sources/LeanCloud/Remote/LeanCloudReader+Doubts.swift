internal import Base
internal import Push
internal import Synchronization

extension LeanCloudReader {
    /// The most fields, and classes, that are checked one by one.
    private static let mostNames = 8
    /// The number of installations whose fields are searched for a similar name.
    private static let sample = 100

    /// Names in a condition that the service does not have: classes of inner queries, and fields that may decide the
    /// result.
    ///
    /// For an audience without a device, any field may decide; for another, those whose test passes on a device without
    /// the field. LeanCloud has no list of a class's fields: one page of installations shows those in use, and one
    /// count with `$exists` each settles the others. A run requests the page, and each field, once. `classes` has the
    /// classes that were already counted, and whether they exist.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried.
    func doubts(
        _ condition: JSONValue, reaching devices: Int, classes: [String: Bool]
    ) async throws(RemoteError) -> [AudienceDoubt] {
        let names = ConditionNames(condition)
        var doubts: [AudienceDoubt] = []
        for name in names.classes.prefix(Self.mostNames) where InnerQuery.isName(name) {
            let exists =
                if let known = classes[name] { known } else { try await countIfThere("/classes/" + name, [:]) != nil }
            if !exists { doubts.append(.absentClass(name)) }
        }
        let fields = names.fields.filter { devices == 0 || names.permissive.contains($0) }.prefix(Self.mostNames)
        guard !fields.isEmpty else { return doubts }
        let used = try await usedFields()
        // If nobody is registered, every field is absent.
        guard !used.isEmpty else { return doubts }
        for field in try await absentFields(among: fields.filter { !used.contains($0) }) {
            let nearest = Suggestion.nearest(to: field, among: used.union(ConditionNames.common))
            doubts.append(.absentField(field, nearest: nearest))
        }
        return doubts
    }

    /// The fields of the newest installations, requested once.
    private func usedFields() async throws(RemoteError) -> Set<String> {
        if let known = fields.used { return known }
        let answer = try await api.read(
            "/installations", query: [("limit", String(Self.sample)), ("order", "-updatedAt")])
        let used = Set((answer.value?["results"]?.array ?? []).flatMap { ($0.object ?? [:]).map(\.key) })
        if !used.isEmpty { fields.note(used: used) }
        return used
    }

    /// The given fields that no installation has; each is requested once.
    private func absentFields(among fields: [String]) async throws(RemoteError) -> [String] {
        let open = fields.filter { self.fields.isAbsent($0) == nil }
        let bearers = try await counts(
            Dictionary(uniqueKeysWithValues: open.map { ($0, [$0: ["$exists": true]] as JSONValue) }))
        for (field, devices) in bearers { self.fields.note(field, isAbsent: devices == 0) }
        return fields.filter { self.fields.isAbsent($0) == true }
    }
}

/// A run's cache of findings about the fields of installations: many audiences test the same few.
final class KnownFields: Sendable {
    private let state = Mutex((used: Set<String>?.none, absent: [String: Bool]()))

    /// The fields of the newest installations; nil until requested.
    var used: Set<String>? { state.withLock { $0.used } }

    /// True when no installation has the field; nil until requested.
    func isAbsent(_ field: String) -> Bool? { state.withLock { $0.absent[field] } }

    func note(used fields: Set<String>) {
        state.withLock { $0.used = fields }
    }

    func note(_ field: String, isAbsent: Bool) {
        state.withLock { $0.absent[field] = isAbsent }
    }
}
