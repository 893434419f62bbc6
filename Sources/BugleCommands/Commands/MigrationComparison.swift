internal import Base
internal import LeanCloud
internal import Push

/// Compares the data of the old service with that of the new server.
struct MigrationComparison: Sendable {
    typealias Finding = HealthCheck.Finding

    let there: MigrationSide
    let here: MigrationSide

    /// The largest part that may be missing: of several registrations with one token, only one is kept.
    private static let tolerance = 0.05
    /// The number that may be missing in any case.
    private static let few = 2

    /// Returns the findings of all comparisons. The audiences of `desired` are compared too; it is nil when devices
    /// register with the new server already, so that counts differ.
    func findings(for desired: Workspace?) async -> [Finding] {
        var findings = [counted(Reason(.devices), there.audience.devices, here.audience.devices, .getPushes)]
        do throws(RemoteError) {
            findings.append(try await sample())
            if let desired {
                findings.append(counted(Reason(.registrations), there[.day], here[.day], .seen))
                findings += try await audiences(of: desired)
            }
        } catch {
            findings.append(.error(Reason(.comparison), .verbatim(error.description), .of(error)))
        }
        return findings + [ledger, resources]
    }

    /// True if too few of the expected objects were found.
    private static func isShort(_ found: Int, of expected: Int) -> Bool {
        let gap = expected - found
        return gap > max(few, Int(Double(expected) * tolerance)) || found == 0 && expected > 0
    }

    private func counted(_ subject: Reason, _ there: Int, _ here: Int, _ words: Reason.Move) -> Finding {
        let counts = Reason(words, .count(there), .count(here))
        guard Self.isShort(here, of: there) else {
            return .fine(subject, there > here ? Reason(.says, .reason(counts), .reason(Reason(.countOnce))) : counts)
        }
        return .todo(subject, Self.pulling(counts))
    }

    /// What is short, and the remedy.
    private static func pulling(_ what: Reason) -> Reason {
        Reason(.says, .reason(what), .reason(Reason(.pull)))
    }

    /// Compares a sample by id: equal counts may be of different devices.
    private func sample() async throws(RemoteError) -> Finding {
        let ids = try await there.sample()
        let known = try await here.known(ids)
        let (found, all) = (Reason.Value.count(known.count), Reason.Value.count(ids.count))
        guard Self.isShort(known.count, of: ids.count) else {
            return .fine(Reason(.sample), Reason(.sampleFound, found, all))
        }
        return .todo(Reason(.sample), Reason(.sampleMissing, found, all))
    }

    /// Compares the counts of audiences on both sides; the classes that their conditions query must have been copied
    /// too.
    private func audiences(of desired: Workspace) async throws(RemoteError) -> [Finding] {
        let segments = desired.segments.map { (Reason(.segmentNamed, .text($0.name)), $0.condition) }
        let campaigns = desired.campaigns.compactMap { campaign in
            campaign.audience.condition.map { (Reason(.campaignNamed, .text(campaign.name)), $0) }
        }
        let channels = desired.channels.map {
            (Reason(.channelNamed, .text($0.name)), ["channels": .string($0.name)] as JSONValue)
        }
        let all = Dictionary(segments + campaigns + channels) { first, _ in first }
        var findings: [Finding] = []
        for (subject, condition) in all.sorted(by: { $0.key < $1.key }).prefix(Self.mostAudiences) {
            let asked: JSONValue = ["$and": [MigrationSide.apple, condition]]
            let before = try await there.reader.count(asked)
            let after = try await here.reader.count(asked)
            if case .absentClass(let name)? = after.doubts.first(where: { !before.doubts.contains($0) && $0.isClass }) {
                findings.append(
                    .todo(
                        subject,
                        Reason(.classMissing, .text(name), .text(name))))
            } else if let old = before.innerQuery, Self.isShort(after.innerQuery ?? 0, of: old) {
                findings.append(
                    .todo(
                        subject,
                        Reason(.innerQueryShort, .count(old), .count(after.innerQuery ?? 0))))
            } else if Self.isShort(after.devices, of: before.devices) || Self.isShort(before.devices, of: after.devices)
            {
                findings.append(
                    .todo(
                        subject,
                        Self.pulling(Reason(.devicesDiffer, .count(before.devices), .count(after.devices)))))
            }
        }
        let looked = min(all.count, Self.mostAudiences)
        if findings.isEmpty, looked > 0 {
            findings.append(
                .fine(Reason(.audiences), Reason(.reachAlike, .count(looked), .count(all.count))))
        }
        return findings
    }

    private static let mostAudiences = 100

    private var ledger: Finding {
        let known = Set(here.ledger.map(\.delivery))
        let lost = there.ledger.filter { !known.contains($0.delivery) }
        guard let first = lost.first else {
            return .fine(Reason(.ledger), Reason(.allDeliveriesThere, .count(there.ledger.count)))
        }
        return .todo(
            Reason(.ledger),
            Self.pulling(
                Reason(.deliveriesMissing, .count(lost.count), .text("\(first.campaign)@\(first.revision)"))))
    }

    private var resources: Finding {
        let names = Set(here.resources.map { "\($0.kind.rawValue) \($0.name)" })
        let gone = there.resources.filter { !names.contains("\($0.kind.rawValue) \($0.name)") }
        guard let first = gone.first else {
            return .fine(Reason(.resources), Reason(.allResourcesThere, .count(there.resources.count)))
        }
        return .todo(
            Reason(.resources),
            Self.pulling(
                Reason(.resourcesMissing, .count(gone.count), .text("\(first.kind.rawValue) \(first.name)"))))
    }
}

extension AudienceDoubt {
    fileprivate var isClass: Bool {
        if case .absentClass = self { return true }
        return false
    }
}

/// The data of one of the two services.
struct MigrationSide: Sendable {
    /// The time since a device was last seen.
    enum Window: Int, Sendable, CaseIterable {
        case day = 1
        case month = 30
    }

    let reader: any RemoteImporting
    let now: Instant
    /// The Apple devices that get pushes: those that both services count alike.
    let audience: AudienceCount
    /// The number of them seen within each window.
    let seen: [Window: Int]
    /// The deliveries, past and pending.
    let ledger: [LedgerEntry]
    let resources: [ResourceRecord]
    let scheduled: [ScheduledPush]
    let lock: LockRecord?

    /// A condition for devices that Apple delivers to.
    static let apple = JSONValue.object(LeanCloudReader.isApple)
    /// A condition for devices of other vendors.
    static let others: JSONValue = ["deviceType": ["$nin": LeanCloudReader.appleTypes]]

    /// Reads everything; every request is read-only.
    ///
    /// - Throws: `RemoteError` when a request fails.
    init(_ reader: any RemoteImporting) async throws(RemoteError) {
        self.reader = reader
        now = try await reader.now()
        audience = try await reader.explain(Self.apple, deviceProfiles: [])
        var seen: [Window: Int] = [:]
        for window in Window.allCases {
            let since = now - .seconds(window.rawValue * 86_400)
            seen[window] = try await reader.count(Self.apple(seen: "$gte", since)).devices
        }
        self.seen = seen
        ledger = try await reader.ledger()
        resources = try await reader.resources()
        scheduled = try await reader.scheduledPushes()
        lock = try await reader.lock()
    }

    /// The number of devices seen within a window.
    subscript(_ window: Window) -> Int { seen[window] ?? 0 }

    /// Returns a sample of the devices that get pushes; all of them when they are few.
    ///
    /// Devices that register while a large registry is copied would always look new: in a large registry those seen
    /// within the last day are left out.
    func sample() async throws(RemoteError) -> [String] {
        let condition =
            audience.devices > Self.largestSample ? Self.apple(seen: "$lt", now - .seconds(86_400)) : Self.apple
        return try await reader.installationIDs(condition, limit: Self.largestSample)
    }

    /// Returns which of the given devices exist here.
    func known(_ ids: [String]) async throws(RemoteError) -> Set<String> {
        var known: Set<String> = []
        // The condition is part of the URL, whose length proxies limit.
        for start in stride(from: 0, to: ids.count, by: Self.idsAtOnce) {
            let part = ids[start..<min(start + Self.idsAtOnce, ids.count)].map { JSONValue.string($0) }
            known.formUnion(
                try await reader.installationIDs(["objectId": ["$in": .array(part)]], limit: Self.idsAtOnce))
        }
        return known
    }

    private static let largestSample = 500
    private static let idsAtOnce = 100

    private static func apple(seen comparison: String, _ time: Instant) -> JSONValue {
        ["$and": [apple, ["updatedAt": [comparison: ["__type": "Date", "iso": .string(time.isoText)]]]]]
    }
}
