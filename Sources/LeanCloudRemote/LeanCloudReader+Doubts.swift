internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushRemote

extension LeanCloudReader {
    /// Fields that are asked for one by one, and classes, at most.
    private static let mostNames = 8
    /// Installations whose fields are looked at for a name that may be meant.
    private static let sample = 100

    /// What a condition names and the service has not: classes of queries within it, and fields that may decide.
    ///
    /// Of an audience without a device all fields may; of another those whose test a device without the field passes.
    /// Each takes one count with `$exists`, and all together one page of installations: LeanCloud has no list of a class's
    /// fields.
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
        let bearers = try await counts(
            Dictionary(uniqueKeysWithValues: fields.map { ($0, [$0: ["$exists": true]] as JSONValue) }))
        let absent = fields.filter { bearers[$0] == 0 }
        guard !absent.isEmpty else { return doubts }
        let used = try await usedFields()
        // Where nobody is registered, every field is absent.
        guard !used.isEmpty else { return doubts }
        return doubts
            + absent.map {
                .absentField($0, nearest: Suggestion.nearest(to: $0, among: used.union(ConditionNames.common)))
            }
    }

    /// The fields of the newest installations.
    private func usedFields() async throws(RemoteError) -> Set<String> {
        let answer = try await api.read(
            "/installations", query: [("limit", String(Self.sample)), ("order", "-updatedAt")])
        return Set((answer.value?["results"]?.array ?? []).flatMap { ($0.object ?? [:]).map(\.key) })
    }
}
