package import PushModel

/// What a reviewer may want to know of an audience besides its size; nil and empty: not asked.
package struct AudienceReview: Hashable, Sendable {
    /// What it is made of.
    package var explanation: AudienceExplanation?
    /// Of its devices, how many are in each of Apple's environments, by the profiles that push to them.
    package var environments: [PushEnvironment: Int] = [:]
    /// The campaign's last delivery, of another revision or generation.
    package var lastDelivery: LastDelivery?
    /// Other deliveries of the plan that reach some of the same devices, the most devices first.
    package var overlaps: [Overlap] = []

    /// Nothing is known.
    package init() {}

    /// A delivery of the past.
    package struct LastDelivery: Hashable, Sendable {
        /// The campaign's revision then.
        package var revision: Int
        /// When it was sent.
        package var at: Instant
        /// Devices that it was sent to.
        package var devices: Int

        /// Joins them.
        package init(revision: Int, at: Instant, devices: Int) {
            self.revision = revision
            self.at = at
            self.devices = devices
        }
    }

    /// Devices that two deliveries of a plan both reach.
    package struct Overlap: Hashable, Sendable {
        /// The other campaign.
        package var campaign: String
        /// How many devices.
        package var devices: Int

        /// Joins the two.
        package init(campaign: String, devices: Int) {
            self.campaign = campaign
            self.devices = devices
        }
    }
}
