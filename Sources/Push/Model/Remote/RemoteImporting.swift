package import Base

/// The queries of `bugle import` and `bugle migrate` in addition to those of planning: they do not change anything
/// either.
package protocol RemoteImporting: RemoteReading {
    /// The ids of at most `limit` installations (1 to 1,000) that match a condition and would get a push now, the most
    /// recently seen first.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or the list has an unexpected shape.
    func installationIDs(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [String]

    /// The ways in which a bugle-server reaches real devices.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or is not a bugle-server.
    func serverReach() async throws(RemoteError) -> ServerReach

    /// All scheduled pushes on the remote, with their content.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or the list has an unexpected shape.
    func keptPushes() async throws(RemoteError) -> [KeptPush]

    /// Counts the channels and profiles of all installations, in bounded memory; `progress` is called after each page
    /// with the number of installations read.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func surveyInstallations(
        progress: @Sendable (Int) -> Void
    ) async throws(RemoteError) -> InstallationSurvey
}

/// The ways in which a bugle-server reaches real devices.
package struct ServerReach: Hashable, Sendable {
    /// True when pushes leave the server at all; otherwise every device is simulated.
    package var isReal: Bool
    /// The DeviceProfiles whose credential is present and has not expired.
    package var deviceProfiles: Set<String>

    package init(isReal: Bool, deviceProfiles: Set<String>) {
        self.isReal = isReal
        self.deviceProfiles = deviceProfiles
    }
}

/// A scheduled push in the remote's own format.
package struct KeptPush: Sendable {
    /// The push's id and time.
    package let push: ScheduledPush
    /// The push's entry in the list; always an object.
    package let message: JSONValue

    package init(push: ScheduledPush, message: JSONValue) {
        self.push = push
        self.message = message
    }
}

/// The channels and profiles found in installations.
package struct InstallationSurvey: Hashable, Sendable {
    /// The counts for the installations of one profile.
    package struct Profile: Hashable, Sendable {
        /// The number of Apple devices with the profile.
        package var appleDevices = 0
        /// The number of other devices with the profile.
        package var otherDevices = 0
        /// The topics that Apple devices name, with the number of devices.
        package var topics: [String: Int] = [:]
        /// The team ids that Apple devices name, with the number of devices.
        package var teams: [String: Int] = [:]

        /// Starts with no devices.
        package init() {}
    }

    /// The most channel names counted separately: instant messaging creates one channel per user.
    package static let mostChannels = 50_000
    /// The most topics, teams and profiles counted separately.
    package static let mostValues = 1000

    /// The number of installations read.
    package private(set) var count = 0
    /// Channels, with the number of their subscribers.
    package private(set) var channels: [String: Int] = [:]
    /// The profiles by name; installations without one are under the empty name.
    package private(set) var profiles: [String: Profile] = [:]
    /// Channels with this many subscribers or fewer were left out to bound the memory, and other counts may be too low
    /// by as much; 0: none were left out.
    package private(set) var threshold = 0

    /// Starts with no installations.
    package init() {}

    /// Adds an installation; malformed values count as missing.
    package mutating func add(_ installation: JSONObject) {
        count += 1
        for name in Set((installation["channels"]?.array ?? []).compactMap(\.string)) where Self.isName(name) {
            channels[name, default: 0] += 1
        }
        while channels.count > Self.mostChannels { forgetRarestChannels() }
        let name = installation["deviceProfile"]?.string.flatMap { Self.isName($0) ? $0 : nil } ?? ""
        guard profiles[name] != nil || profiles.count < Self.mostValues else { return }
        var profile = profiles[name] ?? Profile()
        if installation["deviceType"]?.string == "android" {
            profile.otherDevices += 1
        } else {
            profile.appleDevices += 1
            Self.note(installation["apnsTopic"], in: &profile.topics)
            Self.note(installation["apnsTeamId"], in: &profile.teams)
        }
        profiles[name] = profile
    }

    /// Other clients write installations too: text far longer than any name is ignored.
    private static func isName(_ text: String) -> Bool { (1...512).contains(text.utf8.count) }

    private mutating func forgetRarestChannels() {
        threshold += 1
        let threshold = threshold
        channels = channels.filter { $0.value > threshold }
    }

    private static func note(_ value: JSONValue?, in counts: inout [String: Int]) {
        guard let text = value?.string, isName(text), counts[text] != nil || counts.count < mostValues else { return }
        counts[text, default: 0] += 1
    }
}
