package import Delivery
package import Base
internal import DeviceRegistry
package import Push

/// The service that sends pushes to Apple: the profiles of a workspace, and senders made from their credentials.
package struct AppleService: Sendable {
    /// The profiles to push with. One without ``DeviceProfile/facts`` has no credential here and cannot push.
    package var profiles: [DeviceProfile]
    /// The provider of each profile's sender; its creator closes it after the server has stopped.
    package var senders: any SenderProviding
    /// Closes the senders once another service has taken over and no push uses them; does nothing by default.
    package var close: @Sendable () async -> Void

    /// The app on the console's phones; nil for the app's id.
    package var app: ShownApp?

    /// The most devices a push by a development profile may reach; default 20,000.
    ///
    /// Source: docs/background/leancloud/push.md#limits.
    package var mostDevelopmentDevices = Registry.mostDevelopmentDevices

    /// The settings of a delivery run; waits are unlimited because a run holds no lock that others need. A run that does
    /// not reach Apple ends soon, so that its push's record says so.
    package var settings = DeliverySettings(retries: 1, longestWait: nil)
    /// The time a push waits when Apple cannot be reached.
    package var retryPause = Backoff(first: .seconds(2), longest: .seconds(480))

    /// The time after a push's last response during which it may still continue; that of its record.
    ///
    /// Source: docs/background/leancloud/records.md#records.
    static let window = Duration.seconds(7 * 86_400)

    /// Creates a service.
    package init(
        profiles: [DeviceProfile], senders: any SenderProviding, app: ShownApp? = nil,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.profiles = profiles
        self.senders = senders
        self.app = app
        self.close = close
    }

    /// True if a profile can push at a time: its credential is available and has not expired.
    func isUsable(_ profile: DeviceProfile, at now: Instant) -> Bool {
        guard let facts = profile.facts else { return false }
        return facts.expiresAt.map { $0 > now } ?? true
    }
}
