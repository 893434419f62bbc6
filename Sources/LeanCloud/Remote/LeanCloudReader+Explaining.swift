package import Base
package import Push

extension LeanCloudReader {
    /// The most installations that the service returns for a query.
    private static let page = 1000
    /// The most profiles, and platforms, whose devices are counted one by one.
    private static let mostNames = AudienceExplanation.mostNames

    /// A small audience fits into one answer. For a larger one the answer holds the newest devices, which show the time
    /// zones, and the platforms and profiles to count.
    ///
    /// "No profile" cannot be queried: devices with none of the given profiles, or of those found on the newest
    /// devices, count as having none, unless the newest devices have more profiles than are counted.
    package func explain(
        _ condition: JSONValue, deviceProfiles: [String]
    ) async throws(RemoteError) -> AudienceExplanation {
        let now = try await knownTime()
        let served = served(condition, at: now)
        let answer = try await api.read(
            "/installations",
            query: [
                ("where", served.canonicalText), ("count", "1"), ("keys", "deviceProfile,deviceType,timeZone"),
                ("limit", String(Self.page)), ("order", "-updatedAt"),
            ])
        guard let value = answer.value else { return AudienceExplanation(devices: 0) }
        guard let devices = value["count"]?.natural, let results = value["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no count or list of results")
        }
        var explanation = AudienceExplanation(
            devices: devices, platforms: Self.names("deviceType", in: results),
            deviceProfiles: Self.names("deviceProfile", in: results),
            timeZones: AudienceExplanation.largest(Self.names("timeZone", in: results)))
        explanation.skipped = try await leftOut(condition, reaching: devices, at: now)
        var questions: [Question: JSONValue] = [:]
        if devices > results.count {
            explanation.timeZoneSample = results.count
            questions.merge(Self.platforms(served, explanation.platforms)) { first, _ in first }
            questions.merge(
                Self.profiles(served, explanation.deviceProfiles, declared: deviceProfiles)
            ) { first, _ in first }
        }
        return try await answered(questions, explanation)
    }

    /// A count besides the audience itself.
    private enum Question: Hashable {
        case platform(String)
        case profile(String)
    }

    /// The number of devices for each string under a key; other clients write installations too, so other values count
    /// as none.
    private static func names(_ key: String, in installations: [JSONValue]) -> [String: Int] {
        installations.reduce(into: [:]) { names, installation in names[installation[key]?.string ?? "", default: 0] += 1
        }
    }

    private static func platforms(_ served: JSONValue, _ found: [String: Int]) -> [Question: JSONValue] {
        // A condition on the platform leaves no others.
        let possible = served["deviceType"] == nil ? Platform.allCases.map(\.rawValue) : []
        let names = Set(AudienceExplanation.largest(found).keys).union(possible)
        return Dictionary(
            uniqueKeysWithValues: names.filter { !$0.isEmpty }.map { name in
                (.platform(name), narrowed(served, by: ["deviceType": .string(name)]))
            })
    }

    private static func profiles(
        _ served: JSONValue, _ found: [String: Int], declared: [String]
    ) -> [Question: JSONValue] {
        let possible = served["deviceProfile"] == nil ? declared : []
        let seen = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        // A workspace can declare many, and apps can write many: the most frequent ones on devices come first.
        let names = (seen.prefix(mostNames / 2) + possible + seen.dropFirst(mostNames / 2))
            .filter { !$0.isEmpty && AudienceExplanation.isName($0) }
        var chosen: Set<String> = []
        for name in names where chosen.count < mostNames { chosen.insert(name) }
        return Dictionary(
            uniqueKeysWithValues: chosen.map { name in
                (.profile(name), narrowed(served, by: ["deviceProfile": .string(name)]))
            })
    }

    private func answered(
        _ questions: [Question: JSONValue], _ explanation: AudienceExplanation
    ) async throws(RemoteError) -> AudienceExplanation {
        var explanation = explanation
        let isSample = explanation.timeZoneSample != nil
        // True when the remaining devices certainly have no profile.
        let isWhole = explanation.deviceProfiles.keys.allSatisfy { $0.isEmpty || questions[.profile($0)] != nil }
        if isSample { (explanation.platforms, explanation.deviceProfiles) = ([:], [:]) }
        for (question, devices) in try await counts(questions) where devices > 0 {
            switch question {
            case .platform(let name): explanation.platforms[name] = devices
            case .profile(let name): explanation.deviceProfiles[name] = devices
            }
        }
        if isSample, isWhole, explanation.otherDeviceProfiles > 0 {
            explanation.deviceProfiles[""] = explanation.otherDeviceProfiles
        }
        explanation.platforms = AudienceExplanation.largest(explanation.platforms)
        explanation.deviceProfiles = AudienceExplanation.largest(explanation.deviceProfiles)
        return explanation
    }
}
