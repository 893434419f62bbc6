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

    /// Returns the findings of all comparisons of devices, with those of `audiences`, which is nil when devices register
    /// with the new server already, so that counts differ.
    func findings(_ audiences: (() async throws(RemoteError) -> [Finding])?) async -> [Finding] {
        var findings = [counted(Reason(.devices), there.audience.devices, here.audience.devices, .getPushes)]
        do throws(RemoteError) {
            findings.append(try await sample())
            if let audiences {
                findings.append(counted(Reason(.registrations), there.seen.day, here.seen.day, .seen))
                findings += try await audiences()
            }
        } catch {
            findings.append(.error(Reason(.comparison), .verbatim(error.description), .of(error)))
        }
        return findings + [resources]
    }

    /// True if too few of the expected objects were found.
    static func isShort(_ found: Int, of expected: Int) -> Bool {
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
    static func pulling(_ what: Reason) -> Reason {
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

    /// The finding about deliveries that the new server does not know, or knows from before they were sent or given up.
    func ledger(copiedBy names: (from: String, to: String)) -> Finding {
        let known = here.ledger.strongest
        let pending = Set(there.scheduled.compactMap(\.notificationID))
        let lost = there.ledger.filter { entry in
            guard let copy = known[entry.delivery] else { return true }
            guard !copy.mayHaveBeenDelivered else { return false }
            return entry.isDelivered(at: there.now, pending: pending) || entry.isMissedForGood && !copy.isMissedForGood
        }
        guard let first = lost.first else {
            if let first = outdated.first {
                let (count, title) = (Reason.Value.count(outdated.count), Reason.Value.text(first.title))
                return .todo(Reason(.ledger), Self.pulling(Reason(.deliveriesOutdated, count, title)))
            }
            guard here.isLedgerKnown else {
                return .todo(Reason(.ledger), Reason(.ledgerNew, .text(names.from), .text(names.to)))
            }
            return .fine(Reason(.ledger), Reason(.allDeliveriesThere, .count(there.ledger.count)))
        }
        return .todo(
            Reason(.ledger),
            Self.pulling(
                Reason(.deliveriesMissing, .count(lost.count), .text("\(first.campaign)@\(first.revision)"))))
    }

    /// The deliveries that were cancelled since they were copied: to the new server they wait at the old service, and
    /// were sent once their time has passed. What it has scheduled itself was intended later, or is in its list.
    private var outdated: [LedgerEntry] {
        let known = here.ledger.strongest
        let own = Set(here.scheduled.compactMap(\.notificationID))
        return there.ledger.strongest.values.filter { entry in
            guard !entry.mayHaveBeenDelivered, let copy = known[entry.delivery], copy.state == .scheduled else {
                return false
            }
            return copy.intendedAt <= entry.intendedAt && !own.contains(copy.notificationID.text)
                && copy.windowStart + copy.window > there.now
        }.sorted { $0.title < $1.title }
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

// MARK: - Side

/// The data of one of the two services.
struct MigrationSide: Sendable {
    let reader: any RemoteImporting
    /// What plans are made from.
    let state: RemoteState
    /// The Apple devices that get pushes: those that both services count alike.
    let audience: AudienceCount
    /// The number of them seen within the last day, and within the last 30.
    let seen: (day: Int, month: Int)
    /// The deliveries, past and pending.
    var ledger: [LedgerEntry] { state.ledger }
    /// True if it is known what was delivered, be it nothing: without that every campaign is blocked.
    var isLedgerKnown: Bool { state.ledgerStarted || !ledger.isEmpty }
    var resources: [ResourceRecord] { state.resources }
    var scheduled: [ScheduledPush] { state.scheduled }
    var lock: LockRecord? { state.lock }
    var now: Instant { state.now }

    /// A condition for devices that Apple delivers to.
    static let apple = JSONValue.object(LeanCloudReader.isApple)

    /// Reads everything; every request is read-only.
    ///
    /// - Throws: `RemoteError` when a request fails.
    init(_ reader: any RemoteImporting) async throws(RemoteError) {
        self.reader = reader
        let now = try await reader.now()
        audience = try await reader.explain(Self.apple, deviceProfiles: [])
        let day = try await reader.count(Self.apple(seen: "$gte", now - .seconds(86_400))).devices
        let month = try await reader.count(Self.apple(seen: "$gte", now - .seconds(30 * 86_400))).devices
        seen = (day, month)
        // Not with the orders themselves: what one for all keeps from starting, the new server would start.
        let ledger = try await reader.stoppedLedger().entries
        var state = RemoteState(
            now: now, ledger: ledger, ledgerStarted: try await reader.isLedgerStarted(),
            resources: try await reader.resources(), scheduled: try await reader.scheduledPushes(),
            lock: try await reader.lock())
        state.isBugleServer = reader.isBugleServer
        self.state = state
    }

    /// Returns a sample of the devices that get pushes; all of them when they are few.
    ///
    /// Devices that register while a large registry is copied would always look new: in a large registry those seen
    /// within the last day are left out.
    func sample() async throws(RemoteError) -> [String] {
        let condition =
            audience.devices > Self.largestSample ? Self.apple(seen: "$lt", now - .seconds(86_400)) : Self.apple
        return try await reader.installationIDs(condition, limit: Self.largestSample)
    }

    /// Returns which of the given devices would get a push here.
    func known(_ ids: [String]) async throws(RemoteError) -> Set<String> { try await reached(ids, within: [:]) }

    /// Returns which of the given devices match a condition and would get a push here.
    func reached(_ ids: [String], within condition: JSONValue) async throws(RemoteError) -> Set<String> {
        var reached: Set<String> = []
        for part in Self.parts(of: ids) {
            reached.formUnion(
                try await reader.installationIDs(
                    LeanCloudReader.narrowed(condition, by: Self.among(part)), limit: Self.idsAtOnce))
        }
        return reached
    }

    /// Returns those of the given devices that are registered here at all, by id.
    func devices(_ ids: [String], by key: String = "objectId") async throws(RemoteError) -> [String: JSONObject] {
        var devices: [String: JSONObject] = [:]
        // Tokens are longer than ids.
        for part in Self.parts(of: ids, at: key == "objectId" ? Self.idsAtOnce : Self.idsAtOnce / 2) {
            for device in try await reader.installations(.object(Self.among(part, key)), limit: 1000) {
                if let id = device[key]?.string { devices[id] = device }
            }
        }
        return devices
    }

    /// The condition for devices written on one side of a time.
    static func written(_ comparison: String, _ time: Instant) -> JSONObject {
        ["updatedAt": [comparison: ["__type": "Date", "iso": .string(time.isoText)]]]
    }

    private static func among(_ ids: ArraySlice<String>, _ key: String = "objectId") -> JSONObject {
        [key: ["$in": .array(ids.map { .string($0) })]]
    }

    /// The condition is part of the URL, whose length proxies limit.
    private static func parts(of ids: [String], at once: Int = idsAtOnce) -> [ArraySlice<String>] {
        stride(from: 0, to: ids.count, by: once).map { ids[$0..<min($0 + once, ids.count)] }
    }

    static let largestSample = 500
    private static let idsAtOnce = 100

    private static func apple(seen comparison: String, _ time: Instant) -> JSONValue {
        LeanCloudReader.narrowed(apple, by: written(comparison, time))
    }
}
