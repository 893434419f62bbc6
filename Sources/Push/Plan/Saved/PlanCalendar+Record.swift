package import Base

extension PlanCalendar {
    /// The record of the member `calendar` of a plan file.
    package static let record = Record<PlanCalendar>(
        PlanCalendar(),
        [
            Field(
                "quietHours", orNull: WrittenQuietHours.form, "Hours in which no send starts.", { $0.quietHours },
                { $0.quietHours = $1 }),
            Field(
                "minimumGap", .duration, "The least time between two deliveries to the same devices.",
                { $0.minimumGap }, { $0.minimumGap = $1 }),
            Field(
                "entries", .list(of: .record(Entry.record, definedAs: "calendarEntry"), minimum: 1),
                "The deliveries, by time.",
                { $0.entries }, { $0.entries = $1 }),
            Field(
                "collisions", .list(of: .record(Collision.record, definedAs: "collision")),
                "Pairs of deliveries that are closer.", { $0.collisions }, { $0.collisions = $1 }),
            Field(
                "otherCollisions", .count, "The number of further ones.", { $0.otherCollisions },
                { $0.otherCollisions = $1 }),
        ])
}

/// Quiet hours as in a plan file; their time zone may be unknown here.
private struct WrittenQuietHours {
    var from: Int
    var to: Int
    var timeZone: String

    static let form = JSONForm<WrittenQuietHours>.record(record).standing(
        for: { (hours: QuietHours) in WrittenQuietHours(from: hours.from, to: hours.to, timeZone: hours.timeZone) }
    ) { written throws(RecordError) in
        guard let hours = QuietHours(from: written.from, to: written.to, timeZone: written.timeZone) else {
            throw RecordError(.unknown(written.timeZone)).under("timeZone")
        }
        return hours
    }

    private static let record = Record<WrittenQuietHours>(
        WrittenQuietHours(from: 0, to: 0, timeZone: ""),
        [
            Field("from", .timeOfDay, "The time of day when they begin.", { $0.from }, { $0.from = $1 }),
            Field("to", .timeOfDay, "The time of day when they end.", { $0.to }, { $0.to = $1 }),
            Field("timeZone", .text, "The time zone.", { $0.timeZone }, { $0.timeZone = $1 }),
        ])
}

extension JSONForm<Int> {
    /// A time of day such as `08:05`, as minutes after midnight.
    fileprivate static var timeOfDay: Self {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-2][0-9]:[0-5][0-9]$") },
            write: { QuietHours.timeOfDay($0) }
        ) { text in
            let parts = text.split(separator: ":").compactMap { Int($0) }
            guard text.utf8.count == 5, parts.count == 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1])
            else { return nil }
            return parts[0] * 60 + parts[1]
        }
    }
}

extension PlanCalendar.Entry {
    package static let record = Record<Self>(
        Self(campaign: nil, action: nil, at: OffsetInstant(.distantPast)),
        [
            Field(
                "campaign", orNull: .text, "The campaign; null: a push that is not in the ledger.", { $0.campaign },
                { $0.campaign = $1 }),
            Field(
                optional: "part", .text,
                "The wave of a campaign that is sent by the devices' own clocks, or the share after a stage of a rollout.",
                { $0.part }, { $0.part = $1 }),
            Field(
                "action", orNull: .choice(Action.self),
                "The plan's action; null: it is pending on the remote, and the plan leaves it.", { $0.action },
                { $0.action = $1 }),
            Field(
                "at", .time, "The time of sending; if it is an estimate, the earliest one.", { $0.at }, { $0.at = $1 }),
            Field(
                optional: "estimate", .flag,
                "True for a later stage of a rollout, which opens after the bake of the one before, by its verdict.",
                unless: false, { $0.isEstimate }, { $0.isEstimate = $1 }),
            Field(
                "latestStart", orNull: .time, "The time until which it may still start.", { $0.latestStart },
                { $0.latestStart = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field("blocked", .flag, "True when rules block it.", { $0.isBlocked }, { $0.isBlocked = $1 }),
            Field(
                "localTimes", .list(of: .record(PlanCalendar.LocalTime.record, definedAs: "localTime")),
                "In the largest time zones of its audience, and in that of the quiet hours.", { $0.localTimes },
                { $0.localTimes = $1 }),
        ])
}

extension PlanCalendar.LocalTime {
    package static let record = Record<Self>(
        Self(timeZone: "", devices: nil, at: OffsetInstant(.distantPast)),
        [
            Field("timeZone", .text, "The IANA name.", { $0.timeZone }, { $0.timeZone = $1 }),
            Field(
                "devices", orNull: .count, "Devices of the audience in this zone; null: the zone of the quiet hours.",
                { $0.devices }, { $0.devices = $1 }),
            Field("at", .time, "The time there.", { $0.at }, { $0.at = $1 }),
            .reason("remark", orNull: "A remark about this time.", { $0.remark }, { $0.remark = $1 }),
        ])
}

extension PlanCalendar.Collision {
    package static let record = Record<Self>(
        Self(first: "", second: "", apart: .zero, devices: nil),
        [
            Field(
                "first", .text, "The earlier campaign; empty: a push that is not in the ledger.", { $0.first },
                { $0.first = $1 }),
            Field("second", .text, "The later one.", { $0.second }, { $0.second = $1 }),
            Field("apart", .duration, "The time between them.", { $0.apart }, { $0.apart = $1 }),
            Field(
                "devices", orNull: .count, "Devices that get both; null: not counted.", { $0.devices },
                { $0.devices = $1 }),
        ])
}

extension PlannedCertificate {
    /// The record of an element of the member `certificates` of a plan file.
    package static let record = Record<PlannedCertificate>(
        PlannedCertificate(name: "", environment: .production, topic: ""),
        [
            Field("name", .text, "The DeviceProfile.", { $0.name }, { $0.name = $1 }),
            Field(
                "environment", .choice(PushEnvironment.self), "Apple's environment.", { $0.environment },
                { $0.environment = $1 }),
            Field("topic", .text, "The bundle id that it pushes to.", { $0.topic }, { $0.topic = $1 }),
            Field(
                "topics", .list(of: .text, "A topic."), "The topics that the certificate names.", { $0.topics },
                { $0.topics = $1 }),
            Field("keyId", orNull: .text, "The key's id; null: a certificate.", { $0.keyId }, { $0.keyId = $1 }),
            Field(
                "fingerprint", orNull: .text(pattern: "^[0-9a-f]+$"),
                "SHA-256 in hexadecimal; null: it could not be read.", { $0.fingerprint }, { $0.fingerprint = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time when a certificate expires.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field(
                "daysLeft", orNull: .integer(minimum: nil), "Whole days until then; negative: it has expired.",
                { $0.daysLeft }, { $0.daysLeft = $1 }),
            Field(
                "campaigns", .list(of: .text, "A campaign."), "The campaigns of the plan that it pushes.",
                { $0.campaigns }, { $0.campaigns = $1 }),
        ])
}
