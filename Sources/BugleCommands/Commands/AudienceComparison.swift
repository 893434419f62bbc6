internal import Base
internal import LeanCloud
internal import Push

/// Compares whom a condition finds on both sides of a move, and explains every difference by its cause.
///
/// An audience of up to a thousand devices is compared by all its ids; of a larger one a sample is, and what the sample
/// cannot show is counted.
struct AudienceComparison: Sendable {
    typealias Finding = HealthCheck.Finding

    let there: MigrationSide
    let here: MigrationSide
    /// How the new server reaches devices.
    let reach: ServerReach
    /// What the workspace accepts to lose.
    let policy: MigrationPolicy
    /// True to compare ids where the counts are alike, too.
    let isThorough: Bool

    /// The most ids that a service gives at once.
    private static let mostIDs = 1000

    /// The names under which installations know the profiles that push here.
    var profiles: Set<String>

    /// Returns the finding about a condition; nil if there is nothing to say.
    ///
    /// - Throws: `RemoteError` when a side cannot be queried.
    func finding(about subject: Reason, _ condition: JSONValue) async throws(RemoteError) -> Finding? {
        let before = try await there.reader.count(condition)
        let after = try await here.reader.count(condition)
        if case .absentClass(let name)? = after.doubts.first(where: { !before.doubts.contains($0) && $0.isClass }) {
            return .todo(subject, Reason(.classMissing, .text(name), .text(name)))
        }
        if let old = before.innerQuery, MigrationComparison.isShort(after.innerQuery ?? 0, of: old) {
            return .todo(subject, Reason(.innerQueryShort, .count(old), .count(after.innerQuery ?? 0)))
        }
        guard isThorough || before.devices != after.devices else { return nil }
        let isWhole = max(before.devices, after.devices) <= Self.mostIDs
        var causes = Causes()
        let compared = try await compare(condition, isWhole: isWhole, &causes)
        if !isWhole { try await count(condition, before, after, &causes) }
        if reach.isReal { causes[.profile] = try await withoutProfile(condition) }
        guard isThorough || !causes.isEmpty || before.devices != after.devices else { return nil }
        return finding(about: subject, before.devices, after.devices, compared: compared, causes)
    }

    /// Returns the finding about the devices that a campaign's audience lists.
    ///
    /// - Throws: `RemoteError` when a side cannot be queried.
    func finding(about subject: Reason, listedBy audience: Audience) async throws(RemoteError) -> Finding {
        let (field, names) = audience.listed
        let before = try await there.known(ids(there.devices(names, by: field)))
        let after = try await here.known(ids(here.devices(names, by: field)))
        var causes = Causes()
        try await explain(before.subtracting(after).sorted(), [:], isOld: true, &causes)
        try await explain(after.subtracting(before).sorted(), [:], isOld: false, &causes)
        return finding(about: subject, before.count, after.count, compared: before.count, causes)
    }

    private func ids(_ devices: [String: JSONObject]) -> [String] {
        Set(devices.values.compactMap { $0["objectId"]?.string }).sorted()
    }

    /// The finding about so many devices on both sides, of which so many ids were compared.
    private func finding(
        about subject: Reason, _ before: Int, _ after: Int, compared: Int, _ causes: Causes
    ) -> Finding {
        guard !causes.isEmpty || before != after else {
            return .fine(subject, Reason(.audienceAlike, .count(before), .count(compared)))
        }
        let counts = [Reason.Value.count(before), .count(after)]
        guard let why = Reason.joined(causes.reasons) else {
            let unknown = Reason(.becauseUnknown, .count(abs(before - after)))
            return .todo(
                subject, Reason(.says, .reason(Reason(.devicesDiffer, counts[0], counts[1])), .reason(unknown)))
        }
        let message = Reason(.audienceDiffers, counts[0], counts[1], .reason(why))
        return causes.allSatisfy(isAcceptable) ? .fine(subject, message) : .todo(subject, message)
    }

    private func isAcceptable(_ cause: Cause) -> Bool {
        switch cause {
        case .later, .registered, .twin, .stale, .dead, .removed: true
        case .noWay: policy.accept.contains(.androidWithoutWay)
        case .notCopied, .profile, .oldOnly, .newOnly, .unknown: false
        }
    }

    // MARK: Ids

    /// Compares ids, and returns how many.
    private func compare(
        _ condition: JSONValue, isWhole: Bool, _ causes: inout Causes
    ) async throws(RemoteError) -> Int {
        var asked = condition
        // What was written since was not to be copied yet; it is counted.
        if !isWhole, let until = reach.copiedUntil {
            asked = LeanCloudReader.narrowed(condition, by: MigrationSide.written("$lt", until))
        }
        let limit = isWhole ? Self.mostIDs : MigrationSide.largestSample
        let old = try await there.reader.installationIDs(asked, limit: limit)
        let new = try await here.reader.installationIDs(asked, limit: limit)
        let alsoHere = isWhole ? Set(new) : try await here.reached(old, within: condition)
        let alsoThere = isWhole ? Set(old) : try await there.reached(new, within: condition)
        try await explain(old.filter { !alsoHere.contains($0) }, condition, isOld: true, &causes)
        try await explain(new.filter { !alsoThere.contains($0) }, condition, isOld: false, &causes)
        return old.count
    }

    /// Finds out why devices that one side found were not found by the other.
    private func explain(
        _ ids: [String], _ condition: JSONValue, isOld: Bool, _ causes: inout Causes
    ) async throws(RemoteError) {
        guard !ids.isEmpty else { return }
        let before = try await there.devices(ids)
        let after = try await here.devices(ids)
        var strangers: [JSONObject] = []
        var alike: [String] = []
        for id in ids {
            switch (before[id], after[id]) {
            // Gone since it was found.
            case (nil, nil): continue
            case (let old?, nil): strangers.append(old)
            case (nil, let new?):
                causes.add(isLater(new) ? .registered : .removed, id)
            case (let old?, let new?):
                let cause = cause(of: old, new, isOld: isOld)
                if cause == .oldOnly || cause == .newOnly { alike.append(id) } else { causes.add(cause, id) }
            }
        }
        // Copied between the two looks, most of them.
        let caughtUp = try await (isOld ? here : there).reached(alike, within: condition)
        for id in alike where !caughtUp.contains(id) { causes.add(isOld ? .oldOnly : .newOnly, id) }
        let twins = try await twins(of: strangers)
        for device in strangers {
            let id = device["objectId"]?.string ?? ""
            causes.add(twins.contains(id) ? .twin : isLater(device) ? .later : .notCopied, id)
        }
    }

    /// True if a device was written after the copy's last look.
    private func isLater(_ device: JSONObject) -> Bool {
        guard let until = reach.copiedUntil, let time = device["updatedAt"]?.instant else { return false }
        return time > until
    }

    private func cause(of old: JSONObject, _ new: JSONObject, isOld: Bool) -> Cause {
        let (before, after) = (old["updatedAt"]?.instant, new["updatedAt"]?.instant)
        if let before, let after, before > after { return isLater(old) ? .later : .notCopied }
        let (side, missing) = isOld ? (here, new) : (there, old)
        if missing["valid"] == false { return .dead }
        if let time = missing["updatedAt"]?.instant, time < side.now - AudienceCount.threeMonths { return .stale }
        if isOld, !isReached(new) { return .noWay }
        if let before, let after, after > before { return .registered }
        return isOld ? .oldOnly : .newOnly
    }

    private func isReached(_ device: JSONObject) -> Bool {
        guard let ways = reach.ways else { return true }
        if device["deviceType"]?.string == Platform.android.rawValue {
            return ways.contains(device["vendor"]?.string?.lowercased() ?? "") && device["registrationId"] != nil
        }
        return ways.contains("apple") && device["deviceToken"] != nil
    }

    /// Those of devices whose token or installation id a newer device has here.
    private func twins(of devices: [JSONObject]) async throws(RemoteError) -> Set<String> {
        var twins: Set<String> = []
        for key in ["deviceToken", "installationId"] {
            let values = devices.compactMap { $0[key]?.string }
            // The server keeps Apple's tokens in lower case.
            let holders = try await here.devices(Set(values + values.map { $0.lowercased() }).sorted(), by: key)
            for device in devices {
                guard let value = device[key]?.string, holders[value] ?? holders[value.lowercased()] != nil else {
                    continue
                }
                twins.insert(device["objectId"]?.string ?? "")
            }
        }
        return twins
    }

    // MARK: Counts

    /// Explains the rest of a difference by what both sides count.
    private func count(
        _ condition: JSONValue, _ before: AudienceCount, _ after: AudienceCount, _ causes: inout Causes
    ) async throws(RemoteError) {
        if let ways = reach.ways {
            let others = LeanCloudReader.narrowed(condition, by: LeanCloudReader.isNotReached(ways))
            causes[.noWay] = try await there.reader.count(others).devices
        }
        if let until = reach.copiedUntil {
            let later = LeanCloudReader.narrowed(condition, by: MigrationSide.written("$gte", until))
            causes[.later] = try await there.reader.count(later).devices
        }
        causes.explainRest(before, after, keptAside: reach.keptAside)
    }

    /// The devices here whose deviceProfile no usable credential pushes.
    private func withoutProfile(_ condition: JSONValue) async throws(RemoteError) -> Int {
        let others: JSONObject = [
            "deviceProfile": ["$exists": true, "$nin": .array(([""] + profiles.sorted()).map { .string($0) })]
        ]
        return try await here.reader.count(
            LeanCloudReader.narrowed(LeanCloudReader.narrowed(condition, by: LeanCloudReader.isApple), by: others)
        ).devices
    }
}

extension AudienceComparison {
    /// Why a device is in an audience on one side only, or gets nothing on the new one.
    enum Cause: CaseIterable {
        case later, notCopied, registered, twin, stale, dead, noWay, profile, removed, oldOnly, newOnly, unknown
    }

    /// The causes of a difference, with the devices of each and the id of one.
    struct Causes {
        private var devices: [Cause: Int] = [:]
        private var examples: [Cause: String] = [:]

        var isEmpty: Bool { devices.values.allSatisfy { $0 == 0 } }

        subscript(_ cause: Cause) -> Int {
            get { devices[cause] ?? 0 }
            set { devices[cause] = newValue }
        }

        mutating func add(_ cause: Cause, _ id: String) {
            self[cause] += 1
            if examples[cause] == nil { examples[cause] = id }
        }

        /// Explains by what both sides count what is left of a difference, when the sample and counts of some causes are
        /// known.
        mutating func explainRest(_ before: AudienceCount, _ after: AudienceCount, keptAside: Int) {
            func surplus(_ reason: LeftOut) -> Int { (after.leftOut[reason] ?? 0) - (before.leftOut[reason] ?? 0) }
            // More devices here were left out there.
            let rest = before.devices - after.devices - self[.noWay]
            let sign = rest < 0 ? -1 : 1
            self[.stale] = max(self[.stale], sign * surplus(.stale))
            self[.dead] = max(self[.dead], sign * surplus(.invalid))
            self[.twin] = rest > 0 ? max(self[.twin], min(keptAside, rest)) : 0
            // The numbers of the sample stand for what no side counts: what adds devices here explains none that lack.
            let sampled: [Cause] = rest > 0 ? [.notCopied, .oldOnly] : [.registered, .removed, .newOnly]
            let known = self[.later] + self[.stale] + self[.dead] + self[.twin]
            if abs(rest) > known, sampled.allSatisfy({ self[$0] == 0 }) { self[.unknown] = abs(rest) - known }
        }

        func allSatisfy(_ isFine: (Cause) -> Bool) -> Bool { devices.allSatisfy { $0.value == 0 || isFine($0.key) } }

        var reasons: [Reason] {
            Cause.allCases.compactMap { cause in
                let count = self[cause]
                guard count > 0 else { return nil }
                let (number, id) = (Reason.Value.count(count), Reason.Value.text(examples[cause] ?? ""))
                return switch cause {
                case .later: Reason(.becauseLater, number)
                case .notCopied: Reason(.becauseNotCopied, number, id)
                case .registered: Reason(.becauseRegistered, number)
                case .twin: Reason(.becauseTwins, number)
                case .stale: Reason(.becauseStale, number)
                case .dead: Reason(.becauseDead, number)
                case .noWay: Reason(.becauseNoWay, number)
                case .profile: Reason(.becauseProfile, number)
                case .removed: Reason(.becauseRemoved, number)
                case .oldOnly: Reason(.becauseOldOnly, number, id)
                case .newOnly: Reason(.becauseNewOnly, number, id)
                case .unknown: Reason(.becauseUnknown, number)
                }
            }
        }
    }
}

extension AudienceDoubt {
    fileprivate var isClass: Bool {
        if case .absentClass = self { return true }
        return false
    }
}
