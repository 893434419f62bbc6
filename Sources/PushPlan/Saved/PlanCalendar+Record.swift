internal import JSONValue
internal import PushModel
package import Records

extension PlanCalendar {
    /// The member `calendar` of a plan file.
    package static let record = Record<PlanCalendar>(
        Member("quietHours", orNull: .record(QuietHours.record), "Hours in which no send starts.") { $0.quietHours },
        Member("minimumGap", .duration, "How far apart two deliveries to the same devices should be.") {
            $0.minimumGap
        },
        Member("entries", .list(of: .record(Entry.record, definedAs: "calendarEntry"), minimum: 1), "By time.") {
            $0.entries
        },
        Member(
            "collisions", .list(of: .record(Collision.record, definedAs: "collision")), "Deliveries that are nearer."
        ) { $0.collisions },
        Member("otherCollisions", .count, "How many more of those there are.") { $0.otherCollisions }
    ) { quietHours, minimumGap, entries, collisions, others in
        PlanCalendar(
            entries: entries, collisions: collisions, otherCollisions: others, quietHours: quietHours,
            minimumGap: minimumGap)
    }
}

extension QuietHours {
    fileprivate static let record = Record<QuietHours>(
        Member("from", .timeOfDay, "When they begin.") { $0.from },
        Member("to", .timeOfDay, "When they end.") { $0.to },
        Member("timeZone", .text, "Whose clock it is.") { $0.timeZone }
    ) { from, to, zone throws(RecordError) in
        guard let hours = QuietHours(from: from, to: to, timeZone: zone) else {
            throw RecordError(.unknown(zone)).under("timeZone")
        }
        return hours
    }
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
        Member("campaign", orNull: .text, "The campaign; null: a push that is not in the ledger.") { $0.campaign },
        Member(
            "action", orNull: .choice(Action.self),
            "What the plan does; null: it is pending on the remote, and the plan leaves it."
        ) { $0.action },
        Member("at", .time, "When it is sent.") { $0.at },
        Member("latestStart", orNull: .time, "Until when it may still start.") { $0.latestStart },
        Member("expiresAt", orNull: .time, "When it stops being worth delivering.") { $0.expiresAt },
        Member("blocked", .flag, "Whether rules hold it back.") { $0.isBlocked },
        Member(
            "localTimes", .list(of: .record(PlanCalendar.LocalTime.record, definedAs: "localTime")),
            "In the largest time zones of its audience, and in that of the quiet hours."
        ) { $0.localTimes },
        make: Self.init)
}

extension PlanCalendar.LocalTime {
    package static let record = Record<Self>(
        Member("timeZone", .text, "The IANA name.") { $0.timeZone },
        Member(
            "devices", orNull: .count, "Devices of the audience that are there; null: the zone of the quiet hours."
        ) { $0.devices },
        Member("at", .time, "The time there.") { $0.at },
        Member("remark", orNull: .text, "What is odd about it.") { $0.remark },
        make: Self.init)
}

extension PlanCalendar.Collision {
    package static let record = Record<Self>(
        Member("first", .text, "The earlier campaign; empty: a push that is not in the ledger.") { $0.first },
        Member("second", .text, "The later one.") { $0.second },
        Member("apart", .duration, "How far apart they are.") { $0.apart },
        Member("devices", orNull: .count, "Devices that get both; null: not counted.") { $0.devices },
        make: Self.init)
}

extension PlannedCertificate {
    /// An element of the member `certificates` of a plan file.
    package static let record = Record<PlannedCertificate>(
        Member("name", .text, "The DeviceProfile.") { $0.name },
        Member("environment", .choice(PushEnvironment.self), "Apple's environment.") { $0.environment },
        Member("topic", .text, "The bundle id that it pushes to.") { $0.topic },
        Member("topics", .list(of: .text, "A topic."), "The topics that the certificate names.") { $0.topics },
        Member("keyId", orNull: .text, "The key's id; null: a certificate.") { $0.keyId },
        Member(
            "fingerprint", orNull: .text(pattern: "^[0-9a-f]+$"), "SHA-256 in hexadecimal; null: it could not be read."
        ) { $0.fingerprint },
        Member("expiresAt", orNull: .time, "When a certificate ends.") { $0.expiresAt },
        Member("daysLeft", orNull: .integer(minimum: nil), "Whole days to then; negative: it has ended.") {
            $0.daysLeft
        },
        Member("campaigns", .list(of: .text, "A campaign."), "The campaigns of the plan that it pushes.") {
            $0.campaigns
        },
        make: PlannedCertificate.init)
}
