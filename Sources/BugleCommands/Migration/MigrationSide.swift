internal import JSONValue
internal import PushModel
internal import PushRemote

/// What one of the two services holds.
struct MigrationSide: Sendable {
    /// How long ago a device was seen last.
    enum Window: Int, Sendable, CaseIterable {
        case day = 1
        case month = 30

        /// For people.
        var text: String { self == .day ? "the last day" : "the last 30 days" }
    }

    let reader: any RemoteReading
    let now: Instant
    /// Every device, taken apart.
    let audience: AudienceExplanation
    /// How many devices were seen within each.
    let seen: [Window: Int]
    /// What was delivered, or is about to be.
    let ledger: [LedgerEntry]
    let resources: [ResourceRecord]
    let scheduled: [ScheduledPush]
    let lock: LockRecord?

    /// Asks for everything; nothing here changes anything.
    ///
    /// - Throws: `RemoteError` when the service cannot be asked.
    init(_ reader: any RemoteReading) async throws(RemoteError) {
        self.reader = reader
        now = try await reader.now()
        audience = try await reader.explain([:], deviceProfiles: [])
        var seen: [Window: Int] = [:]
        for window in Window.allCases {
            let since = (now - .seconds(window.rawValue * 86_400)).textWithMilliseconds
            let condition: JSONValue = ["updatedAt": ["$gte": ["__type": "Date", "iso": .string(since)]]]
            seen[window] = try await reader.count(condition).devices
        }
        self.seen = seen
        ledger = try await reader.ledger()
        resources = try await reader.resources()
        scheduled = try await reader.scheduledPushes()
        lock = try await reader.lock()
    }

    /// How many devices were seen within a window.
    subscript(_ window: Window) -> Int { seen[window] ?? 0 }
}
