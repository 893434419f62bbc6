package import Base

/// The devices of an audience now: counts only, never a device.
///
/// Names come from installations, which other people's apps write: a remote tells at most ``mostNames`` of a kind, those
/// with the largest counts, besides all time zones that clocks are known of, and none that is long or looks like a device
/// token. The remaining devices have other names; see ``otherTimeZones``.
package struct AudienceCount: Hashable, Sendable {
    /// Devices that a push would reach.
    package var devices: Int
    /// Devices that match and get nothing, by reason.
    package var leftOut: [LeftOut: Int]
    /// The time after which a device that was not seen is ``LeftOut/stale``.
    package var staleAfter = threeMonths
    /// The largest result count of an inner query; nil when there is none.
    package var innerQuery: Int?
    /// The names in the condition that the remote does not have.
    package var doubts: [AudienceDoubt]
    /// The bytes of the largest payload that is larger, with a device's values, than the service takes.
    package var excess = 0

    // MARK: The breakdown, empty when nobody asked

    /// The devices by platform.
    package var platforms: [String: Int]
    /// The devices by the service that brings it to them, ``PushVendor``; empty where that is Apple's alone, or not known.
    package var ways: [String: Int] = [:]
    /// The Android devices without a way, by the vendor whose address they have; the empty name: of no vendor's.
    package var noWay: [String: Int] = [:]
    /// The devices by deviceProfile; the empty name: no profile.
    package var deviceProfiles: [String: Int]
    /// The devices, or those of the sample, by time zone; the empty name: unknown.
    package var timeZones: [String: Int]
    /// The number of devices, the newest, that ``timeZones`` counts; nil: all of them.
    package var timeZoneSample: Int?
    /// The words that its devices get; nil when all get the same.
    package var words: Words?

    /// The time after which LeanCloud pushes to no device that was not seen, and a registry unless it says otherwise.
    package static let threeMonths = Duration.seconds(90 * 86_400)

    package init(
        devices: Int, innerQuery: Int? = nil, doubts: [AudienceDoubt] = [], platforms: [String: Int] = [:],
        deviceProfiles: [String: Int] = [:], timeZones: [String: Int] = [:], timeZoneSample: Int? = nil,
        leftOut: [LeftOut: Int] = [:], words: Words? = nil
    ) {
        self.devices = devices
        self.innerQuery = innerQuery
        self.doubts = doubts
        self.platforms = platforms
        self.deviceProfiles = deviceProfiles
        self.timeZones = timeZones
        self.timeZoneSample = timeZoneSample
        self.leftOut = leftOut
        self.words = words
    }

    /// The words that devices get; never a value of one of them.
    package struct Words: Hashable, Sendable {
        /// The languages of the message, with the devices that get each.
        package var languages: [String: Int]
        /// Devices that get the message itself: they report no language, or one that it does not have.
        package var fallback: Int
        /// The fields in its texts, with the devices that have a value of their own; the others get the default.
        package var values: [String: Int]
        /// The bytes of the largest payload that fits.
        package var largest: Int

        package init(languages: [String: Int] = [:], fallback: Int = 0, values: [String: Int] = [:], largest: Int = 0) {
            self.languages = languages
            self.fallback = fallback
            self.values = values
            self.largest = largest
        }
    }
}

// MARK: - Left out

/// The reason a device that matches the condition gets nothing; the first that applies counts.
package enum LeftOut: String, Hashable, Sendable, CaseIterable {
    /// The device is an Android device, and the remote reaches none.
    case android
    /// The remote does not reach the device's other platform, or the device has no token.
    case otherPlatform = "notApple"
    /// The service or the app has declared the token dead.
    case invalid
    /// The device has not been seen for three months, or for as long as its registry says.
    case stale
    /// The push does not go out by the device's deviceProfile.
    case otherProfile
    /// The push does not go out by the device's topic; plans count it as ``otherProfile``.
    case otherTopic
    /// The payload with the device's values is larger than the service takes.
    case tooLarge
    /// The device is in the share that gets nothing.
    case heldOut
    /// As many deliveries as a rule allows reached the device, or may yet.
    case capped

    /// The name in plans, ledgers and reports; a registry stores the raw value.
    fileprivate var name: String { self == .otherPlatform ? "otherPlatform" : rawValue }
}

extension JSONForm<[LeftOut: Int]> {
    /// Devices by the reason's name in plans, ledgers and reports.
    package static var leftOut: Self {
        let reasons = LeftOut.allCases.filter { $0 != .otherTopic }
        return counts(names: reasons.map(\.name), write: { $0.name }) { name in reasons.first { $0.name == name } }
    }
}

extension LeftOut {
    /// Devices that get nothing, by reason: `20,000 not seen for 90 days`.
    package func reason(_ devices: Int, staleAfter: Duration) -> Reason {
        let count = Reason.Value.count(devices)
        switch self {
        case .android: return Reason(.androidOut, count)
        case .otherPlatform: return Reason(.otherPlatform, count)
        case .invalid: return Reason(devices == 1 ? .deadToken : .deadTokens, count)
        case .stale:
            let (days, rest) = staleAfter.wholeSeconds.quotientAndRemainder(dividingBy: 86_400)
            return rest == 0 && days > 1
                ? Reason(.staleDays, count, .number(Int(days))) : Reason(.stale, count, .duration(staleAfter))
        case .otherProfile, .otherTopic: return Reason(.otherProfile, count)
        case .tooLarge: return Reason(.tooLarge, count)
        case .heldOut: return Reason(.heldOut, count)
        case .capped: return Reason(.capped, count)
        }
    }
}

extension [LeftOut: Int] {
    /// The reasons that plans know, without those that no device has.
    package var planned: Self {
        reduce(into: [:]) { $0[$1.key == .otherTopic ? .otherProfile : $1.key, default: 0] += $1.value }
            .filter { $0.value > 0 }
    }

    /// The reasons for which devices are left out with their numbers, the largest first.
    package var byNumber: [(reason: LeftOut, devices: Int)] {
        LeftOut.allCases.compactMap { reason in
            self[reason].flatMap { $0 > 0 ? (reason, $0) : nil }
        }
        .sorted { $0.devices > $1.devices }
    }
}

// MARK: - Names

extension AudienceCount {
    /// The most names of a kind: 50.
    package static let mostNames = 50

    /// True when a name found in installations may be shown; devices with any other name are counted without it.
    ///
    /// No time zone or profile has a name longer than 64 bytes; 32 or more hexadecimal digits may be a device token.
    package static func isName(_ text: String) -> Bool {
        let length = text.utf8.count
        guard length <= 64 else { return false }
        return length < 32 || !text.utf8.allSatisfy(\.isHexadecimal)
    }

    /// The largest counts by name, as many as are told.
    package static func largest(_ counts: [String: Int]) -> [String: Int] {
        let named = counts.filter { $0.value > 0 && isName($0.key) }
        guard named.count > mostNames else { return named }
        let order = named.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Dictionary(uniqueKeysWithValues: order.prefix(mostNames).map { ($0.key, $0.value) })
    }

    /// The counts of all zones that clocks are known of, since waves are made of them, and the largest others.
    package static func zones(_ counts: [String: Int]) -> [String: Int] {
        let known = counts.filter { $0.value > 0 && isName($0.key) && ZoneClock($0.key) != nil }
        return largest(counts).merging(known) { first, _ in first }
    }

    /// The same with the time zones that are shown.
    package var shown: AudienceCount {
        var shown = self
        shown.timeZones = Self.largest(timeZones)
        return shown
    }

    /// Devices of platforms that ``platforms`` does not name.
    package var otherPlatforms: Int { rest(of: devices, without: platforms) }

    /// Devices of profiles that ``deviceProfiles`` does not name.
    package var otherDeviceProfiles: Int { rest(of: devices, without: deviceProfiles) }

    /// Devices, of the sample or of all, in time zones that ``timeZones`` does not name.
    package var otherTimeZones: Int { rest(of: timeZoneSample ?? devices, without: timeZones) }

    private func rest(of whole: Int, without named: [String: Int]) -> Int {
        max(0, whole - named.values.reduce(0, +))
    }
}

/// The names in a condition on installations that may not exist: fields, and the classes of inner queries.
package struct ConditionNames: Hashable, Sendable {
    /// The installation fields that the condition tests, each once, in order, without those that every service has.
    package private(set) var fields: [String] = []
    /// The fields whose test a device without the field may pass: a typo in one lets devices in.
    package private(set) var permissive: Set<String> = []
    /// The classes of inner queries, each once, in order.
    package private(set) var classes: [String] = []

    /// The built-in fields of installations. Source: docs/background/leancloud/devices.md#fields.
    package static let common: Set<String> = [
        "ACL", "apnsTeamId", "apnsTopic", "badge", "channels", "createdAt", "deviceProfile", "deviceToken",
        "deviceType", "installationId", "objectId", "registrationId", "timeZone", "updatedAt", "valid", "vendor",
    ]

    /// Collects the names in a condition.
    package init(_ condition: JSONValue) {
        collectFields(condition, isOptional: false)
        collectClasses(condition)
    }

    private mutating func collectFields(_ condition: JSONValue, isOptional: Bool) {
        for part in condition.array ?? [] { collectFields(part, isOptional: isOptional) }
        // Sorted, so that the same condition always gives the same questions in the same order.
        for (key, value) in (condition.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard !key.hasPrefix("$") else {
                if key == "$and" || key == "$or" { collectFields(value, isOptional: isOptional || key == "$or") }
                continue
            }
            let field = String(key.prefix { $0 != "." })
            guard !Self.common.contains(field) else { continue }
            if !fields.contains(field) { fields.append(field) }
            if isOptional || Self.letsAbsentIn(value) { permissive.insert(field) }
        }
    }

    private static func letsAbsentIn(_ test: JSONValue) -> Bool {
        (test.object ?? [:]).contains { operation, argument in
            ["$ne", "$nin", "$notInQuery", "$dontSelect"].contains(operation)
                || operation == "$exists" && argument == false
        }
    }

    private mutating func collectClasses(_ value: JSONValue) {
        for element in value.array ?? [] { collectClasses(element) }
        for (key, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let name: String? =
                switch key {
                // The short form, without `where` and `className`, leads to the class of each pointer.
                case "$inQuery", "$notInQuery": member["className"]?.string
                case "$select", "$dontSelect": member["query"]?["className"]?.string
                default: nil
                }
            if let name, !classes.contains(name) { classes.append(name) }
            collectClasses(member)
        }
    }
}

/// A name in an audience's condition that the remote does not have, so the condition may not mean what it says.
package enum AudienceDoubt: Hashable, Sendable {
    case absentClass(String)
    /// A field that no installation has, and an existing field that may have been meant.
    case absentField(String, nearest: String?)
    /// It is forgotten who was reached up to this time, although a rule looks back further: everybody is left out.
    case forgotten(Instant)
}
