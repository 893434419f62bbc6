internal import Base
package import Push

/// The registered devices by what becomes of them in a push to everybody; each is counted once, as an audience does.
package struct DeviceCensus: Hashable, Sendable {
    /// The Apple devices that a push reaches.
    package var reachable = 0
    /// The Android devices.
    package var android = 0
    /// The Apple devices that were not seen for three months.
    package var stale = 0
    /// The Apple devices whose registration is no longer valid.
    package var dead = 0
    /// The Apple devices without a token, and devices of other platforms.
    package var other = 0

    /// The number of all devices.
    package var all: Int { reachable + android + stale + dead + other }
}

extension Registry {
    /// Counts the devices of the registry by the rule of audiences; reads every row once, so keep the result for a while.
    package func census(at now: Instant) async throws(RegistryError) -> DeviceCensus {
        try await read { db in
            // Which profiles have credentials is no matter of the devices.
            let everybody = DeliveryAudience(
                selection: .condition([:]), routes: [DeliveryRoute(profile: "", topic: "", isDefault: true)])
            let fate = AudienceFates(audience: everybody, dialect: db.dialect).fitting(at: now)
            let sql =
                SQLText(sql: "SELECT ") + fate
                + SQLText(sql: " AS fate, COUNT(*) FROM installation AS t0 GROUP BY 1")
            return try db.rows(sql).reduce(into: DeviceCensus()) { census, row in
                let devices = row.number(1)
                switch AudienceFate(row.integer(0) ?? 0) {
                case .reached, .leftOut(.otherProfile), .leftOut(.otherTopic): census.reachable += devices
                case .leftOut(.android): census.android += devices
                case .leftOut(.stale): census.stale += devices
                case .leftOut(.invalid): census.dead += devices
                case .leftOut: census.other += devices
                }
            }
        }
    }
}
