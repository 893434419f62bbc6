/// A breakdown of an audience as it is now: counts only, never a device.
///
/// Names come from installations, which other people's apps write: at most ``mostNames`` of a kind, those with the
/// largest counts, besides all time zones that clocks are known of, and none that is long or looks like a device token. The
/// remaining devices have other names; see ``otherTimeZones``.
package struct AudienceExplanation: Hashable, Sendable {
    /// Devices that a push would reach.
    package var devices: Int
    /// The devices by platform.
    package var platforms: [String: Int]
    /// The devices by deviceProfile; the empty name: no profile.
    package var deviceProfiles: [String: Int]
    /// The devices, or those of the sample, by time zone; the empty name: unknown.
    package var timeZones: [String: Int]
    /// The number of devices, the newest, that ``timeZones`` counts; nil: all of them.
    package var timeZoneSample: Int?
    /// Devices that match the condition but get nothing.
    package var skipped: [Skip: Int]
    /// The words that its devices get; nil when all get the same.
    package var words: AudienceWording?

    /// The reason a device that matches the condition gets nothing; the first that applies counts.
    package enum Skip: String, Hashable, Sendable, CaseIterable {
        /// The device is an Android device, and the remote reaches none.
        case android
        /// The remote does not reach the device's other platform, or the device has no token.
        case otherPlatform
        /// The service or the app has declared the token dead.
        case invalid
        /// The device has not been seen for three months, or for as long as its registry says.
        case stale
        /// The push does not go out by the device's deviceProfile or topic.
        case otherProfile
        /// The payload with the device's values is larger than the service takes.
        case tooLarge
        /// The device is in the share that gets nothing.
        case heldOut
        /// As many deliveries as a rule allows reached the device, or may yet.
        case capped
    }

    package init(
        devices: Int, platforms: [String: Int] = [:], deviceProfiles: [String: Int] = [:],
        timeZones: [String: Int] = [:], timeZoneSample: Int? = nil, skipped: [Skip: Int] = [:]
    ) {
        self.devices = devices
        self.platforms = platforms
        self.deviceProfiles = deviceProfiles
        self.timeZones = timeZones
        self.timeZoneSample = timeZoneSample
        self.skipped = skipped
    }
}
