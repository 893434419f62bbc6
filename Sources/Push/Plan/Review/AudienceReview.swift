package import Base

/// Details about an audience for reviewers, besides its size; nil or empty when not queried.
package struct AudienceReview: Hashable, Sendable {
    /// The breakdown of the audience.
    package var explanation: AudienceCount?
    /// The devices that it would have without the remote's fence; nil without one, or when not counted.
    package var unfenced: Int?
    /// The number of its devices in each of Apple's environments, by the profiles that push to them.
    package var environments: [PushEnvironment: Int] = [:]
    /// The campaign's last delivery, of another revision or generation.
    package var lastDelivery: LastDelivery?
    /// Other deliveries of the plan to some of the same devices, the most devices first.
    package var overlaps: [Overlap] = []

    /// The parts of the delivery, in the order in which they open; empty when it is undivided.
    package var parts: [Part] = []

    /// One part of a delivery.
    package struct Part: Hashable, Sendable {
        /// The share after a stage, such as `10%`, the zones of a wave, such as `UTC+09:00`, or a variant.
        package var label: Reason
        /// The time at which it opens; nil for a stage, which opens by the verdict on the one before.
        package var opensAt: OffsetInstant?
        package var devices: Int
    }

    /// A past delivery.
    package struct LastDelivery: Hashable, Sendable {
        /// The campaign's revision at the time.
        package var revision: Int
        /// The time of sending.
        package var at: Instant
        /// The number of devices that it was sent to.
        package var devices: Int
    }

    /// The devices that two deliveries of a plan share.
    package struct Overlap: Hashable, Sendable {
        /// The other campaign.
        package var campaign: String
        package var devices: Int
    }
}

// MARK: - Waves

extension AudienceReview.Part {
    /// The waves of a local time, in the order in which they open, as far as the zones of an audience are known.
    static func waves(_ schedule: LocalSchedule, _ explanation: AudienceCount) -> [AudienceReview.Part] {
        // A sample tells shares, not numbers.
        guard explanation.timeZoneSample == nil else { return [] }
        var devices: [Instant: Int] = [:]
        for (zone, count) in explanation.timeZones {
            devices[schedule.wave(in: zone) ?? schedule.fallback, default: 0] += count
        }
        // Zones that are not named are unknown ones.
        if explanation.otherTimeZones > 0 { devices[schedule.fallback, default: 0] += explanation.otherTimeZones }
        return devices.sorted { $0.key < $1.key }.map { wave, count in
            let opensAt = schedule.reading(of: wave)
            return AudienceReview.Part(
                label: .verbatim(LocalSchedule.label(ofOffset: opensAt.offset)), opensAt: opensAt, devices: count)
        }
    }
}

// MARK: - Record

extension PlannedAudience {
    /// The record of an audience; unknown members are omitted.
    package static let record = Record<PlannedAudience>(
        PlannedAudience(devices: nil, .verbatim("")),
        [
            Field(
                "devices", orNull: .count, "The number of devices; null: not counted.", { $0.devices },
                { $0.devices = $1 }),
            Field(
                optional: "leftOut", .leftOut,
                "Devices that match and get nothing, by reason.", unless: [:], { $0.leftOut }, { $0.leftOut = $1 }),
            Field(
                optional: "staleAfter", .duration,
                "The seconds after which a device that was not seen is stale; left out: 90 days.",
                unless: AudienceCount.threeMonths, { $0.staleAfter }, { $0.staleAfter = $1 }),
            .reason("description", "The audience, in words.", { $0.description }, { $0.description = $1 }),
            .reason(
                "fence", orNull: "The remote's fence, in words; left out: it has none.", isOptional: true,
                { $0.fence }, { $0.fence = $1 }),
            Field(group: AudienceReview.record, { $0.review }, { $0.review = $1 }),
        ])
}

extension AudienceReview {
    fileprivate static let record = Record<AudienceReview>(
        AudienceReview(),
        [
            Field(
                optional: "explanation", .record(AudienceCount.record, definedAs: "explanation"),
                "", { $0.explanation }, { $0.explanation = $1 }),
            Field(
                optional: "unfenced", .count, "The devices that it would have without the remote's fence.",
                { $0.unfenced }, { $0.unfenced = $1 }),
            Field(
                optional: "environments", .counts(of: PushEnvironment.self),
                "Devices in each of Apple's environments.", unless: [:], { $0.environments }, { $0.environments = $1 }),
            Field(
                optional: "lastDelivery", .record(LastDelivery.record), "The campaign's last delivery.",
                { $0.lastDelivery }, { $0.lastDelivery = $1 }),
            Field(
                optional: "overlaps", .list(of: .record(Overlap.record), "One of them."),
                "Other deliveries of the plan that reach some of the same devices.", unless: [], { $0.overlaps },
                { $0.overlaps = $1 }),
            Field(
                optional: "parts", .list(of: .record(Part.record), "One of them."),
                "The parts of the delivery, in the order in which they open.", unless: [], { $0.parts },
                { $0.parts = $1 }),
        ])
}

extension AudienceReview.Part {
    fileprivate static let record = Record<Self>(
        Self(label: .verbatim(""), devices: 0),
        [
            .reason(
                "label", "The share after the stage, the zones of the wave, or the variant.", { $0.label },
                { $0.label = $1 }),
            Field(optional: "at", .time, "The time at which a wave opens.", { $0.opensAt }, { $0.opensAt = $1 }),
            Field("devices", .count, "The expected number of devices.", { $0.devices }, { $0.devices = $1 }),
        ])
}

extension AudienceReview.LastDelivery {
    fileprivate static let record = Record<Self>(
        Self(revision: 0, at: .distantPast, devices: 0),
        [
            Field(
                "revision", .integer(minimum: 1), "The campaign's revision then.", { $0.revision }, { $0.revision = $1 }
            ),
            Field("at", .time, "The time of sending.", { $0.at }, { $0.at = $1 }),
            Field("devices", .count, "Devices it was sent to.", { $0.devices }, { $0.devices = $1 }),
        ])
}

extension AudienceReview.Overlap {
    fileprivate static let record = Record<Self>(
        Self(campaign: "", devices: 0),
        [
            Field("campaign", .text, "The other campaign.", { $0.campaign }, { $0.campaign = $1 }),
            Field("devices", .count, "The number of devices that both reach.", { $0.devices }, { $0.devices = $1 }),
        ])
}

extension AudienceCount {
    package static let record = Record<AudienceCount>(
        AudienceCount(devices: 0),
        [
            Field("devices", .count, "Devices that a push would reach.", { $0.devices }, { $0.devices = $1 }),
            Field(
                optional: "platforms", .counts, "Devices by platform.", unless: [:], { $0.platforms },
                { $0.platforms = $1 }),
            Field(
                optional: "ways", .counts,
                "Devices by the service that brings it to them; left out: Apple's alone, or not known.", unless: [:],
                { $0.ways }, { $0.ways = $1 }),
            Field(
                optional: "noWay", .counts,
                "Android devices without a way here, by the vendor that no profile serves; the empty name: of no vendor's.",
                unless: [:], { $0.noWay }, { $0.noWay = $1 }),
            Field(
                optional: "deviceProfiles", .counts, "Devices by deviceProfile; the empty name: none.", unless: [:],
                { $0.deviceProfiles }, { $0.deviceProfiles = $1 }),
            Field(
                optional: "timeZones", .counts, "Devices by time zone; the empty name: none is known.", unless: [:],
                { $0.timeZones }, { $0.timeZones = $1 }),
            Field(
                optional: "skipped", .leftOut, "Devices that match the condition and get nothing.",
                unless: [:], { $0.leftOut }, { $0.leftOut = $1 }),
            Field(
                optional: "timeZoneSample", .count, "The number of devices that the time zones cover; left out: all.",
                { $0.timeZoneSample }, { $0.timeZoneSample = $1 }),
            Field(
                optional: "words", .record(AudienceCount.Words.record),
                "The words that devices get; left out: all the same.",
                { $0.words }, { $0.words = $1 }),
        ])
}

extension AudienceCount.Words {
    fileprivate static let record = Record<AudienceCount.Words>(
        AudienceCount.Words(),
        [
            Field(
                optional: "languages", .counts, "Devices by the language that they get.", unless: [:], { $0.languages },
                { $0.languages = $1 }),
            Field(
                "fallback", .count, "Devices that get the message itself, in none of its languages.", { $0.fallback },
                { $0.fallback = $1 }),
            Field(
                optional: "values", .counts, "Devices with a value of their own, by the field in the texts.",
                unless: [:],
                { $0.values }, { $0.values = $1 }),
            Field("largest", .count, "The bytes of the largest payload.", { $0.largest }, { $0.largest = $1 }),
        ])
}
