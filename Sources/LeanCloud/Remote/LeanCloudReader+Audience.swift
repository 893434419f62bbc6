package import Base
package import Push
internal import Synchronization

extension LeanCloudReader {
    /// The time after which an installation that was not seen receives nothing: three months.
    ///
    /// Source: LeanCloud, "推送 REST API 使用指南", 推送查询条件.
    static let freshness = AudienceCount.threeMonths

    package func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        let now = try await knownTime()
        let devices = try await count("/installations", served(condition, at: now))
        var largest: Int?
        var classes: [String: Bool] = [:]
        for inner in InnerQuery.all(in: condition) {
            let count = try await countIfThere(try inner.path, inner.condition)
            largest = max(largest ?? 0, count ?? 0)
            classes[inner.className] = count != nil
        }
        // A warning that cannot be determined must not prevent the plan.
        let doubts = (try? await doubts(condition, reaching: devices, classes: classes)) ?? []
        let leftOut = (try? await leftOut(condition, reaching: devices, at: now)) ?? [:]
        return AudienceCount(devices: devices, innerQuery: largest, doubts: doubts, leftOut: leftOut)
    }

    package func shared(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        AudienceCount(devices: try await count("/installations", served(condition, at: try await knownTime())))
    }

    package var isBugleServer: Bool { api.clock.isBugleServer }

    /// Devices that match a condition and get nothing, when `devices` of them get it.
    ///
    /// One count shows whether there are any, and another one how many were not seen: the service pushes to devices of
    /// every platform and profile. Where a server reaches Apple only, two more count the others.
    func leftOut(
        _ condition: JSONValue, reaching devices: Int, at now: Instant
    ) async throws(RemoteError) -> [LeftOut: Int] {
        var rest = try await count("/installations", condition) - devices
        guard rest > 0 else { return [:] }
        let ways = api.clock.ways
        let ours = ways.map { Self.narrowed(condition, by: Self.isReached($0)) } ?? condition
        let stale: JSONObject = ["valid": true, "updatedAt": ["$lt": Self.oldest(at: now)]]
        var questions: [LeftOut: JSONValue] = [.stale: Self.narrowed(ours, by: stale)]
        if let ways {
            questions[.android] = Self.narrowed(condition, by: Self.isUnreachedAndroid(ways))
            questions[.otherPlatform] = Self.narrowed(condition, by: Self.isNotReached(ways))
        }
        var leftOut = try await counts(questions)
        if let android = leftOut[.android] { leftOut[.otherPlatform, default: 0] -= android }
        for (_, devices) in leftOut { rest -= devices }
        leftOut[.invalid] = rest
        // The devices change meanwhile.
        return leftOut.filter { $0.value > 0 }
    }

    /// The server's time, requested only if no answer has told it yet.
    func knownTime() async throws(RemoteError) -> Instant {
        if let known = api.clock.estimate { return known }
        return try await now()
    }

    /// The condition, with the service's own additions to every push.
    func served(_ condition: JSONValue, at now: Instant) -> JSONValue {
        let fresh: JSONObject = ["valid": true, "updatedAt": ["$gte": Self.oldest(at: now)]]
        let served = Self.narrowed(condition, by: fresh)
        return api.clock.ways.map { Self.narrowed(served, by: Self.isReached($0)) } ?? served
    }

    /// The device types of Apple's devices.
    package static let appleTypes: JSONValue = ["ios", "macos", "tvos", "watchos"]

    /// The condition on the devices that an Apple-only server reaches.
    package static let isApple: JSONObject = ["deviceType": ["$in": appleTypes], "deviceToken": ["$exists": true]]

    /// The condition on the devices that a server reaches in these ways.
    static func isReached(_ ways: Set<String>) -> JSONObject {
        guard ways != ["apple"] else { return isApple }
        let android: JSONObject = [
            "deviceType": "android", "vendor": ["$in": vendors(ways)], "registrationId": ["$exists": true],
        ]
        return ways.contains("apple") ? ["$or": [.object(isApple), .object(android)]] : android
    }

    /// The condition on all other devices.
    package static func isNotReached(_ ways: Set<String>) -> JSONObject {
        let isNotApple: [JSONValue] = [["deviceType": ["$nin": appleTypes]], ["deviceToken": ["$exists": false]]]
        guard ways != ["apple"] else { return ["$or": .array(isNotApple)] }
        var isNone: [JSONValue] = [["$or": [["deviceType": ["$ne": "android"]], .object(isUnreached(ways))]]]
        if ways.contains("apple") { isNone.append(["$or": .array(isNotApple)]) }
        return ["$and": .array(isNone)]
    }

    /// The condition on the Android devices among them.
    static func isUnreachedAndroid(_ ways: Set<String>) -> JSONObject {
        guard ways != ["apple"] else { return ["deviceType": "android"] }
        return isUnreached(ways).merging(["deviceType": "android"]) { own, _ in own }
    }

    private static func isUnreached(_ ways: Set<String>) -> JSONObject {
        ["$or": [["vendor": ["$nin": vendors(ways)]], ["registrationId": ["$exists": false]]]]
    }

    /// The vendors in the spellings that installations have.
    private static func vendors(_ ways: Set<String>) -> JSONValue {
        .array(ways.filter { $0 != "apple" }.sorted().flatMap { [.string($0), .string($0.uppercased())] })
    }

    /// The oldest last-seen time of a device that still receives pushes.
    static func oldest(at now: Instant) -> JSONValue {
        ["__type": "Date", "iso": .string((now - freshness).isoText)]
    }

    /// The condition with further constraints.
    package static func narrowed(_ condition: JSONValue, by added: JSONObject) -> JSONValue {
        guard let members = condition.object, added.keys.allSatisfy({ members[$0] == nil }) else {
            return ["$and": [condition, .object(added)]]
        }
        return .object(members.merging(added) { $1 })
    }

    func count(_ path: String, _ condition: JSONValue) async throws(RemoteError) -> Int {
        // A class that does not exist has no objects.
        try await countIfThere(path, condition) ?? 0
    }

    /// The number of matching objects of a class; nil when the class does not exist.
    func countIfThere(_ path: String, _ condition: JSONValue) async throws(RemoteError) -> Int? {
        let answer = try await api.read(
            path, query: [("where", condition.canonicalText), ("count", "1"), ("limit", "0")])
        guard let value = answer.value else { return nil }
        guard let count = value["count"]?.natural else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1\(path): the answer has no count")
        }
        return count
    }
}

// MARK: - A sample

extension LeanCloudReader {
    package func sampleInstallations(
        channels: [String], deviceProfiles: [String]
    ) async throws(RemoteError) -> InstallationSample {
        let answer = try await api.read(
            "/installations",
            query: [("keys", "channels,deviceProfile"), ("limit", "1000"), ("order", "-updatedAt")])
        guard let results = answer.value == nil ? [] : answer.value?["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no list of results")
        }
        var sample = InstallationSample(size: results.count)
        for result in results {
            // Other clients write installations too: ignore anything that is not a name.
            for name in Set((result["channels"]?.array ?? []).compactMap(\.string)) where !name.isEmpty {
                sample.channels[name, default: 0] += 1
            }
            if let profile = result["deviceProfile"]?.string, !profile.isEmpty {
                sample.deviceProfiles[profile, default: 0] += 1
            }
        }
        let subscribers = channels.map { Question(key: "channels", name: $0) }
        let bearers = deviceProfiles.map { Question(key: "deviceProfile", name: $0) }
        let counts = try await counts(
            Dictionary((subscribers + bearers).map { ($0, [$0.key: .string($0.name)]) }) { first, _ in first })
        for (question, count) in counts {
            if question.key == "channels" {
                sample.subscribers[question.name] = count
            } else {
                sample.bearers[question.name] = count
            }
        }
        return sample
    }

    private struct Question: Hashable {
        var key: String
        var name: String
    }
}

// MARK: - Counting

extension LeanCloudReader {
    /// The number of concurrent counts.
    private static let width = 6

    /// Counts the installations that match each of several conditions, a few at a time, stopping after a failure.
    ///
    /// - Throws: `RemoteError` when one of them cannot be counted.
    func counts<Key: Hashable & Sendable>(_ conditions: [Key: JSONValue]) async throws(RemoteError) -> [Key: Int] {
        // Throwing task groups lose the error's type.
        let results = await withTaskGroup(of: (Key, Result<Int, RemoteError>).self) { group in
            var waiting = conditions.makeIterator()
            var results: [(Key, Result<Int, RemoteError>)] = []
            for _ in 0..<Self.width {
                guard let (key, condition) = waiting.next() else { break }
                group.addTask { await (key, answer(condition)) }
            }
            while let result = await group.next() {
                results.append(result)
                guard case .success = result.1, let (key, condition) = waiting.next() else { continue }
                group.addTask { await (key, answer(condition)) }
            }
            return results
        }
        var counts: [Key: Int] = [:]
        for (key, result) in results { counts[key] = try result.get() }
        return counts
    }

    private func answer(_ condition: JSONValue) async -> Result<Int, RemoteError> {
        do throws(RemoteError) {
            return .success(try await count("/installations", condition))
        } catch {
            return .failure(error)
        }
    }
}

// MARK: - Doubts

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

/// A query inside a condition, whose result LeanCloud truncates at 1,000.
struct InnerQuery: Hashable {
    let className: String
    let condition: JSONValue

    /// All distinct `$inQuery` and `$notInQuery` of a condition, including those of the inner queries themselves.
    static func all(in condition: JSONValue) -> [InnerQuery] {
        var found: [InnerQuery] = []
        collect(condition, into: &found)
        var seen = Set<InnerQuery>()
        return found.filter { seen.insert($0).inserted }
    }

    /// The path of the class's objects.
    ///
    /// - Throws: `RemoteError` with `refused` when the class name is invalid.
    var path: String {
        get throws(RemoteError) {
            guard Self.isName(className) else {
                throw RemoteError(
                    .refused, "an inner query names a class with characters other than letters, digits and '_'")
            }
            return "/classes/" + className
        }
    }

    /// True when a text is a valid class name, and so cannot lead to another path.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy(isNamePart)
    }

    /// The short form, without `where` and `className`, queries `_User`.
    private init(_ value: JSONValue) {
        if value["className"] == nil, value["where"] == nil {
            className = "_User"
            condition = value
        } else {
            className = value["className"]?.string ?? "_User"
            condition = value["where"] ?? [:]
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func collect(_ value: JSONValue, into found: inout [InnerQuery]) {
        switch value {
        case .object(let members):
            // Sorted, so that the same condition gives the same queries in the same order.
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                if key == "$inQuery" || key == "$notInQuery" {
                    let query = InnerQuery(member)
                    found.append(query)
                    collect(query.condition, into: &found)
                } else {
                    collect(member, into: &found)
                }
            }
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .null, .bool, .integer, .number, .string: break
        }
    }
}
