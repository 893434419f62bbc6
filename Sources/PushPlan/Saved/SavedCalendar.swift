internal import PushModel

/// A calendar as it stands in a plan file.
struct SavedCalendar: Decodable {
    var quietHours: Quiet?
    var minimumGap: String
    var entries: [Entry]
    var collisions: [Collision]
    var otherCollisions: Int

    struct Quiet: Decodable {
        var from: String
        var to: String
        var timeZone: String
    }

    struct Entry: Decodable {
        var campaign: String?
        var action: String?
        var at: String
        var latestStart: Instant?
        var expiresAt: Instant?
        var blocked: Bool
        var localTimes: [LocalTime]
    }

    struct LocalTime: Decodable {
        var timeZone: String
        var devices: Int?
        var at: String
        var remark: String?
    }

    struct Collision: Decodable {
        var first: String
        var second: String
        var apart: String
        var devices: Int?
    }

    /// The calendar, with every text understood; `path` names it in errors.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`.
    func calendar(_ path: String) throws(SavedPlanError) -> PlanCalendar {
        var calendar = PlanCalendar(
            otherCollisions: try counted(otherCollisions, path + ".otherCollisions"),
            minimumGap: try known(Duration(configurationText: minimumGap), path + ".minimumGap", minimumGap))
        calendar.quietHours = try quietHours?.quietHours(path + ".quietHours")
        calendar.entries.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            calendar.entries.append(try entry.entry("\(path).entries[\(index)]"))
        }
        for (index, collision) in collisions.enumerated() {
            let place = "\(path).collisions[\(index)].apart"
            calendar.collisions.append(
                PlanCalendar.Collision(
                    first: collision.first, second: collision.second,
                    apart: try known(Duration(configurationText: collision.apart), place, collision.apart),
                    devices: collision.devices))
        }
        return calendar
    }
}

extension SavedCalendar.Quiet {
    fileprivate func quietHours(_ path: String) throws(SavedPlanError) -> QuietHours {
        func minutes(_ text: String) -> Int? {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            guard text.utf8.count == 5, parts.count == 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1])
            else { return nil }
            return parts[0] * 60 + parts[1]
        }
        return try known(
            QuietHours(
                from: try known(minutes(from), path + ".from", from), to: try known(minutes(to), path + ".to", to),
                timeZone: timeZone), path + ".timeZone", timeZone)
    }
}

extension SavedCalendar.Entry {
    fileprivate func entry(_ path: String) throws(SavedPlanError) -> PlanCalendar.Entry {
        var planned: Action?
        if let action { planned = try known(Action(rawValue: action), path + ".action", action) }
        var times: [PlanCalendar.LocalTime] = []
        for time in localTimes {
            times.append(
                PlanCalendar.LocalTime(
                    timeZone: time.timeZone, devices: time.devices,
                    at: try known(OffsetInstant(time.at), path + ".localTimes", time.at), remark: time.remark))
        }
        return PlanCalendar.Entry(
            campaign: campaign, action: planned, at: try known(OffsetInstant(at), path + ".at", at),
            latestStart: latestStart, expiresAt: expiresAt, isBlocked: blocked, localTimes: times)
    }
}

/// A certificate as it stands in a plan file.
struct SavedCertificate: Decodable {
    var name: String
    var environment: String
    var topic: String
    var topics: [String]
    var keyId: String?
    var fingerprint: String?
    var expiresAt: Instant?
    var daysLeft: Int?
    var campaigns: [String]

    /// The certificate, with every text understood; `path` names it in errors.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`.
    func certificate(_ path: String) throws(SavedPlanError) -> PlannedCertificate {
        PlannedCertificate(
            name: name,
            environment: try known(PushEnvironment(rawValue: environment), path + ".environment", environment),
            topic: topic, topics: topics, keyId: keyId, fingerprint: fingerprint, expiresAt: expiresAt,
            daysLeft: daysLeft, campaigns: campaigns)
    }
}
