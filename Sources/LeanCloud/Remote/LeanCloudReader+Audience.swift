package import Base
package import Push

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
    ) async throws(RemoteError) -> [AudienceExplanation.Skip: Int] {
        var rest = try await count("/installations", condition) - devices
        guard rest > 0 else { return [:] }
        let isAppleOnly = api.clock.reachesAppleOnly
        let ours = isAppleOnly ? Self.narrowed(condition, by: Self.isApple) : condition
        let stale: JSONObject = ["valid": true, "updatedAt": ["$lt": Self.oldest(at: now)]]
        var questions: [AudienceExplanation.Skip: JSONValue] = [.stale: Self.narrowed(ours, by: stale)]
        if isAppleOnly {
            questions[.android] = Self.narrowed(condition, by: ["deviceType": "android"])
            questions[.otherPlatform] = Self.narrowed(condition, by: Self.isNotApple)
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
        return api.clock.reachesAppleOnly ? Self.narrowed(served, by: Self.isApple) : served
    }

    /// The device types of Apple's devices.
    package static let appleTypes: JSONValue = ["ios", "macos", "tvos", "watchos"]

    /// The condition on the devices that an Apple-only server reaches.
    package static let isApple: JSONObject = ["deviceType": ["$in": appleTypes], "deviceToken": ["$exists": true]]

    /// The condition on all other devices.
    static let isNotApple: JSONObject = [
        "$or": [["deviceType": ["$nin": appleTypes]], ["deviceToken": ["$exists": false]]]
    ]

    /// The oldest last-seen time of a device that still receives pushes.
    static func oldest(at now: Instant) -> JSONValue {
        ["__type": "Date", "iso": .string((now - freshness).isoText)]
    }

    /// The condition with further constraints.
    static func narrowed(_ condition: JSONValue, by added: JSONObject) -> JSONValue {
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
