/// Details about an audience for reviewers, besides its size; nil or empty when not queried.
package struct AudienceReview: Hashable, Sendable {
    /// The breakdown of the audience.
    package var explanation: AudienceExplanation?
    /// The number of its devices in each of Apple's environments, by the profiles that push to them.
    package var environments: [PushEnvironment: Int] = [:]
    /// The campaign's last delivery, of another revision or generation.
    package var lastDelivery: LastDelivery?
    /// Other deliveries of the plan to some of the same devices, the most devices first.
    package var overlaps: [Overlap] = []

    /// The parts of the delivery, in the order in which they open; empty when it is undivided.
    package var parts: [Part] = []

    /// Creates a review without any details.
    package init() {}

    /// One part of a delivery.
    package struct Part: Hashable, Sendable {
        /// The share after a stage, such as `10%`, the zones of a wave, such as `UTC+09:00`, or a variant.
        package var label: Reason
        /// The time at which it opens; nil for a stage, which opens by the verdict on the one before.
        package var opensAt: OffsetInstant?
        /// The expected number of devices.
        package var devices: Int

        package init(label: Reason, opensAt: OffsetInstant? = nil, devices: Int) {
            self.label = label
            self.opensAt = opensAt
            self.devices = devices
        }
    }

    /// A past delivery.
    package struct LastDelivery: Hashable, Sendable {
        /// The campaign's revision at the time.
        package var revision: Int
        /// The time of sending.
        package var at: Instant
        /// The number of devices that it was sent to.
        package var devices: Int

        package init(revision: Int, at: Instant, devices: Int) {
            self.revision = revision
            self.at = at
            self.devices = devices
        }
    }

    /// The devices that two deliveries of a plan share.
    package struct Overlap: Hashable, Sendable {
        /// The other campaign.
        package var campaign: String
        /// The number of devices.
        package var devices: Int

        package init(campaign: String, devices: Int) {
            self.campaign = campaign
            self.devices = devices
        }
    }
}
