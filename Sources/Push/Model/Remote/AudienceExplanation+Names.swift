extension AudienceExplanation {
    /// The most names of a kind: 50.
    package static let mostNames = 50

    /// True when a name found in installations may be shown; devices with any other name are counted without it.
    ///
    /// No time zone or profile has a name longer than 64 bytes; 32 or more hexadecimal digits may be a device token.
    package static func isName(_ text: String) -> Bool {
        let length = text.utf8.count
        guard length <= 64 else { return false }
        return length < 32 || !text.utf8.allSatisfy(Self.isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The largest counts by name, as many as an explanation may hold.
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

    /// The explanation with the time zones that are shown.
    package var shown: AudienceExplanation {
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
