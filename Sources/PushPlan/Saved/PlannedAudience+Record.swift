internal import JSONValue
package import PushModel
package import Records

extension PlannedAudience {
    /// Whom a delivery reaches; what is not known is left out.
    package static let record = Record<PlannedAudience>(
        Member("devices", orNull: .count, "How many devices; null: not counted.") { $0.devices },
        Member("description", .text, "Whom, in words.") { $0.description },
        Member(group: AudienceReview.record) { $0.review },
        make: PlannedAudience.init)
}

extension AudienceReview {
    fileprivate static let record = Record<AudienceReview>(
        Member(optional: "explanation", .record(AudienceExplanation.record, definedAs: "explanation")) {
            $0.explanation
        },
        Member(
            optional: "environments", .counts(of: PushEnvironment.self),
            "Devices in each of Apple's environments.", unless: [:]
        ) { $0.environments },
        Member(optional: "lastDelivery", .record(LastDelivery.record), "The campaign's last delivery.") {
            $0.lastDelivery
        },
        Member(
            optional: "overlaps", .list(of: .record(Overlap.record), "One of them."),
            "Other deliveries of the plan that reach some of the same devices.", unless: []
        ) { $0.overlaps }
    ) { explanation, environments, lastDelivery, overlaps in
        var review = AudienceReview()
        review.explanation = explanation
        review.environments = environments
        review.lastDelivery = lastDelivery
        review.overlaps = overlaps
        return review
    }
}

extension AudienceReview.LastDelivery {
    fileprivate static let record = Record<Self>(
        Member("revision", .integer(minimum: 1), "The campaign's revision then.") { $0.revision },
        Member("at", .time, "When it was sent.") { $0.at },
        Member("devices", .count, "Devices that it was sent to.") { $0.devices },
        make: Self.init)
}

extension AudienceReview.Overlap {
    fileprivate static let record = Record<Self>(
        Member("campaign", .text, "The other campaign.") { $0.campaign },
        Member("devices", .count, "How many devices both reach.") { $0.devices },
        make: Self.init)
}

extension AudienceExplanation {
    package static let record = Record<AudienceExplanation>(
        Member("devices", .count, "Devices that a push would reach.") { $0.devices },
        Member(optional: "platforms", .counts, "Devices by platform.", unless: [:]) { $0.platforms },
        Member(
            optional: "deviceProfiles", .counts, "Devices by deviceProfile; the empty name: none.", unless: [:]
        ) { $0.deviceProfiles },
        Member(
            optional: "timeZones", .counts, "Devices by time zone; the empty name: none is known.", unless: [:]
        ) { $0.timeZones },
        Member(
            optional: "skipped", .counts(of: Skip.self), "Devices that fit the condition and get nothing.",
            unless: [:]
        ) { $0.skipped },
        Member(
            optional: "timeZoneSample", .count, "How many devices the time zones speak of; left out: all."
        ) { $0.timeZoneSample }
    ) { devices, platforms, profiles, zones, skipped, sample in
        AudienceExplanation(
            devices: devices, platforms: platforms, deviceProfiles: profiles, timeZones: zones,
            timeZoneSample: sample, skipped: skipped)
    }
}
