package import JSONValue

/// What `bugle import` and `bugle migrate` may ask of a remote beside what planning asks: nothing here changes anything
/// either.
package protocol RemoteImporting: RemoteReading {
    /// The ids of installations that fit a condition and would get a push now, those seen last first.
    ///
    /// - Parameter limit: 1 to 1,000.
    /// - Throws: ``RemoteError`` when the remote cannot be asked, or the list has an unexpected shape.
    func installationIDs(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [String]

    /// What a bugle-server pushes to real devices by.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or is no bugle-server.
    func serverReach() async throws(RemoteError) -> ServerReach

    /// All pushes that the remote keeps for later, with what they say.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked, or the list has an unexpected shape.
    func keptPushes() async throws(RemoteError) -> [KeptPush]

    /// What all installations say of channels and profiles, read in bounded memory.
    ///
    /// - Parameter progress: told how many installations were read, after each page.
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func surveyInstallations(
        progress: @Sendable (Int) -> Void
    ) async throws(RemoteError) -> InstallationSurvey
}

/// What a bugle-server pushes to real devices by.
package struct ServerReach: Hashable, Sendable {
    /// Whether pushes leave the server at all; else every device is simulated.
    package var isReal: Bool
    /// The DeviceProfiles whose credential is there and has not expired.
    package var deviceProfiles: Set<String>

    /// Joins the two.
    package init(isReal: Bool, deviceProfiles: Set<String>) {
        self.isReal = isReal
        self.deviceProfiles = deviceProfiles
    }
}

/// A push that the remote keeps for later, as the remote spells it.
package struct KeptPush: Sendable {
    /// Which push, and when.
    package let push: ScheduledPush
    /// Everything the list says of it; always an object.
    package let message: JSONValue

    /// Joins the two.
    package init(push: ScheduledPush, message: JSONValue) {
        self.push = push
        self.message = message
    }
}

/// What installations say of channels and profiles.
package struct InstallationSurvey: Hashable, Sendable {
    /// What the installations of one profile say.
    package struct Profile: Hashable, Sendable {
        /// Apple devices that bear it.
        package var appleDevices = 0
        /// Other devices that bear it.
        package var otherDevices = 0
        /// The topics that Apple devices name, with their number.
        package var topics: [String: Int] = [:]
        /// The team ids that Apple devices name, with their number.
        package var teams: [String: Int] = [:]

        /// Nobody bears it.
        package init() {}
    }

    /// Names that are told apart: instant messaging makes one channel a user.
    package static let mostChannels = 50_000
    /// Topics, teams and profiles that are told apart.
    package static let mostValues = 1000

    /// How many installations were read.
    package private(set) var count = 0
    /// Channels, with the number of their subscribers.
    package private(set) var channels: [String: Int] = [:]
    /// Profiles by name; installations that name none are under the empty name.
    package private(set) var profiles: [String: Profile] = [:]
    /// Channels of so many subscribers or fewer were left out to bound the memory, and other counts may be too low by
    /// as much; 0: none were.
    package private(set) var threshold = 0

    /// Nothing was read.
    package init() {}

    /// Adds an installation; whatever is not as it should be counts as not there.
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

    /// Other clients write installations: what is far longer than any name is none.
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
