package import APNsDelivery
package import Basics
internal import DeviceRegistry
package import PushModel

/// What pushes go to Apple with: the profiles of a workspace, and the senders that their credentials make.
package struct AppleService: Sendable {
    /// The profiles that push. One without ``DeviceProfile/facts`` has no credential here and pushes nothing.
    package var profiles: [DeviceProfile]
    /// Gives each profile's sender; whoever made it closes it when the server has stopped.
    package var senders: any SenderProviding

    /// How many devices a push by a development profile may reach; default 20,000.
    ///
    /// Source: <doc:/PushModel/LeanCloudPush#Limits>.
    package var mostDevelopmentDevices = Registry.mostDevelopmentDevices

    /// How patient one run of a delivery is; it holds no lock that others wait for.
    package var settings = DeliverySettings(longestWait: nil)
    /// How long a push waits when Apple cannot be reached.
    package var retryPause = Backoff(first: .seconds(15), longest: .seconds(480))

    /// How long after its last answer a push may still go on; that of its record.
    ///
    /// Source: <doc:/PushModel/LeanCloudRecords#Records>.
    static let window = Duration.seconds(7 * 86_400)

    /// Joins the two.
    package init(profiles: [DeviceProfile], senders: any SenderProviding) {
        self.profiles = profiles
        self.senders = senders
    }

    /// Whether a profile can push at an instant: its credential is here and has not expired.
    func isUsable(_ profile: DeviceProfile, at now: Instant) -> Bool {
        guard let facts = profile.facts else { return false }
        return facts.expiresAt.map { $0 > now } ?? true
    }
}
