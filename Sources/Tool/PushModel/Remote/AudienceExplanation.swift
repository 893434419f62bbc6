/// What an audience is made of now; counts only, never a device.
///
/// Names are those of installations, which other people's apps write: at most ``mostNames`` of a kind, the largest, and
/// none that is long or looks like a device token. What the numbers leave over is of other names; see
/// ``otherTimeZones``.
package struct AudienceExplanation: Hashable, Sendable {
    /// Devices that a push would reach.
    package var devices: Int
    /// Of those, how many each platform has.
    package var platforms: [String: Int]
    /// Of those, how many bear each deviceProfile; the empty name: none.
    package var deviceProfiles: [String: Int]
    /// Of those, or of the sample, how many are in each time zone; the empty name: none is known.
    package var timeZones: [String: Int]
    /// How many devices ``timeZones`` speaks of, the newest; nil: all of them.
    package var timeZoneSample: Int?
    /// Devices that fit the condition and get nothing.
    package var skipped: [Skip: Int]

    /// Why a device that fits the condition gets nothing; of several reasons the first counts.
    package enum Skip: String, Hashable, Sendable, CaseIterable {
        /// The remote does not reach its platform, or it has no token.
        case otherPlatform
        /// The service or the app has declared its token dead.
        case invalid
        /// It was not seen for three months.
        case stale
        /// Its deviceProfile, or topic, is none that this push goes out by.
        case otherProfile
    }

    /// Joins them.
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
