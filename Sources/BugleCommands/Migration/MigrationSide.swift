internal import Base
internal import LeanCloud
internal import Push

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
    let audience: AudienceExplanation
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
