internal import JSONValue
internal import LeanCloudRemote
internal import PushModel

/// What one of the two services holds.
struct MigrationSide: Sendable {
    /// How long ago a device was seen last.
    enum Window: Int, Sendable, CaseIterable {
        case day = 1
        case month = 30

        /// For people.
        var text: String { self == .day ? "the last day" : "the last 30 days" }
    }

    let reader: any RemoteImporting
    let now: Instant
    /// Apple's devices that get pushes: those that both services count alike.
    let audience: AudienceExplanation
    /// How many of them were seen within each.
    let seen: [Window: Int]
    /// What was delivered, or is about to be.
    let ledger: [LedgerEntry]
    let resources: [ResourceRecord]
    let scheduled: [ScheduledPush]
    let lock: LockRecord?

    /// What holds of the devices that Apple delivers to.
    static let apple = JSONValue.object(LeanCloudReader.isApple)
    /// What holds of those of other makers.
    static let others: JSONValue = ["deviceType": ["$nin": LeanCloudReader.appleTypes]]

    /// Asks for everything; nothing here changes anything.
    ///
    /// - Throws: `RemoteError` when the service cannot be asked.
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

    /// How many devices were seen within a window.
    subscript(_ window: Window) -> Int { seen[window] ?? 0 }

    /// Some of the devices that get pushes, and all of them where there are few.
    ///
    /// Who registers while a large registry is copied is new in every sample: of many, those that were seen within the
    /// last day are left out.
    func sample() async throws(RemoteError) -> [String] {
        let condition =
            audience.devices > Self.largestSample ? Self.apple(seen: "$lt", now - .seconds(86_400)) : Self.apple
        return try await reader.installationIDs(condition, limit: Self.largestSample)
    }

    /// Which of these devices are here.
    func known(_ ids: [String]) async throws(RemoteError) -> Set<String> {
        var known: Set<String> = []
        // A condition stands in the address, whose length proxies bound.
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
