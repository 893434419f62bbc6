internal import DeliveryJournal
package import PushModel
package import RegistryModel

/// The registered devices by what becomes of them in a push to everybody; each is counted once, as an audience does.
package struct DeviceCensus: Hashable, Sendable {
    /// The Apple devices that a push reaches.
    package var reachable = 0
    /// The Android devices.
    package var android = 0
    /// The Apple devices that were not seen for ``InstallationRules/freshnessInDays``.
    package var stale = 0
    /// The Apple devices whose registration is no longer valid.
    package var dead = 0
    /// The Apple devices without a token, and devices of other platforms.
    package var other = 0

    /// The number of all devices.
    package var all: Int { reachable + android + stale + dead + other }
}

extension Registry {
    /// Counts the devices of the registry; reads an index from end to end, so the result is worth keeping for a while.
    package func census(at now: Instant) async throws(RegistryError) -> DeviceCensus {
        let start = now.advanced(byDays: -InstallationRules.freshnessInDays)
        return try await read { db in
            var census = DeviceCensus()
            for (part, sign) in [(CensusPart.all, 1), (.tokenless, -1)] {
                for row in try db.rows(Self.censusStatement(of: part, db.dialect), [start]) {
                    let (devices, stale) = (sign * row.number(2), sign * row.number(3))
                    let type = row.text(0) ?? ""
                    if InstallationRules.applePlatforms.contains(type) {
                        let isValid = row.number(1) == 1
                        census.dead += isValid ? 0 : devices
                        census.stale += isValid ? stale : 0
                        census.reachable += isValid ? devices - stale : 0
                        if part == .tokenless { census.other -= devices }
                    } else if type == "android" {
                        census.android += devices
                    } else {
                        census.other += devices
                    }
                }
            }
            return census
        }
    }

    /// The devices that a statement of the census counts.
    enum CensusPart {
        case all
        /// Apple's without a token, which are counted with those that have one at first.
        case tokenless
    }

    /// The statement that counts devices by type and validity, and those of them that were not seen since a time.
    static func censusStatement(of part: CensusPart, _ dialect: Dialect) -> String {
        let apple = "deviceType IN (\(InstallationRules.appleList))"
        let condition =
            switch (part, dialect) {
            case (.all, _): ""
            // The index of tokens has them, and that of types must not lead.
            case (.tokenless, .sqlite): " WHERE deviceToken IS NULL AND +\(apple)"
            case (.tokenless, .postgres): " WHERE token !~ '^([0-9a-f][0-9a-f])+$' AND \(apple)"
            }
        return """
            SELECT deviceType, CASE WHEN NOT valid THEN 0 ELSE 1 END, COUNT(*),
              SUM(CASE WHEN updatedAt < ? THEN 1 ELSE 0 END)
            FROM installation\(condition) GROUP BY deviceType, valid
            """
    }
}
