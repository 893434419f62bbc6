internal import Diagnostics
internal import JSONValue
internal import LeanCloudClient
internal import PushModel
internal import Synchronization

extension LeanCloudReader {
    /// Fields that are asked for one by one, and classes, at most.
    private static let mostNames = 8
    /// Installations whose fields are looked at for a name that may be meant.
    private static let sample = 100

    /// What a condition names and the service has not: classes of queries within it, and fields that may decide.
    ///
    /// Of an audience without a device all fields may; of another those whose test a device without the field passes.
    /// LeanCloud has no list of a class's fields: one page of installations shows those that are used, and one count with
    /// `$exists` each clears up the others. A run asks for the page, and for each field, once.
    ///
    /// - Parameter classes: the classes that were counted already, and whether they exist.
    /// - Throws: `RemoteError` when the remote cannot be asked.
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
        // Where nobody is registered, every field is absent.
        guard !used.isEmpty else { return doubts }
        for field in try await absentFields(among: fields.filter { !used.contains($0) }) {
            let nearest = Suggestion.nearest(to: field, among: used.union(ConditionNames.common))
            doubts.append(.absentField(field, nearest: nearest))
        }
        return doubts
    }

    /// The fields of the newest installations, asked for once.
    private func usedFields() async throws(RemoteError) -> Set<String> {
        if let known = fields.used { return known }
        let answer = try await api.read(
            "/installations", query: [("limit", String(Self.sample)), ("order", "-updatedAt")])
        let used = Set((answer.value?["results"]?.array ?? []).flatMap { ($0.object ?? [:]).map(\.key) })
        if !used.isEmpty { fields.note(used: used) }
        return used
    }

    /// Those of some fields that no installation has, each asked for once.
    private func absentFields(among fields: [String]) async throws(RemoteError) -> [String] {
        let open = fields.filter { self.fields.isAbsent($0) == nil }
        let bearers = try await counts(
            Dictionary(uniqueKeysWithValues: open.map { ($0, [$0: ["$exists": true]] as JSONValue) }))
        for (field, devices) in bearers { self.fields.note(field, isAbsent: devices == 0) }
        return fields.filter { self.fields.isAbsent($0) == true }
    }
}

/// What a run has found out about the fields of installations: many audiences test the same few.
final class KnownFields: Sendable {
    private let state = Mutex((used: Set<String>?.none, absent: [String: Bool]()))

    /// The fields of the newest installations; nil while nobody asked.
    var used: Set<String>? { state.withLock { $0.used } }

    /// Whether no installation has a field; nil while nobody asked.
    func isAbsent(_ field: String) -> Bool? { state.withLock { $0.absent[field] } }

    func note(used fields: Set<String>) {
        state.withLock { $0.used = fields }
    }

    func note(_ field: String, isAbsent: Bool) {
        state.withLock { $0.absent[field] = isAbsent }
    }
}
