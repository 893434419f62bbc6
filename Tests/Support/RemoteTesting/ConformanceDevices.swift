package import Base
internal import Push

/// The devices that every remote must explain alike: iPhones, whose profiles `main` (the default) and `driver` push.
package struct ConformanceDevices: Sendable {
    /// Registers a device that was last seen so long ago.
    let register: @Sendable (JSONValue, Duration) async throws -> Void
    /// The audience with this condition as the remote's encoder writes it.
    let audience: @Sendable (JSONValue) -> JSONValue

    /// - Parameters:
    ///   - register: registers a device that was last seen so long ago.
    ///   - audience: the audience with this condition, as the remote's encoder names it.
    package init(
        register: @escaping @Sendable (JSONValue, Duration) async throws -> Void,
        audience: @escaping @Sendable (JSONValue) -> JSONValue
    ) {
        self.register = register
        self.audience = audience
    }

    /// A name that no line of a report should hold.
    private static let longName = String(repeating: "Z", count: 1000)
    private static let hostileName = "\u{1B}[31m\u{202E}::error::\n\"<b>"

    /// Members, and when the device was last seen.
    static let all: [(JSONValue, Duration)] = {
        let months = Duration.seconds(100 * 86_400)
        let members: [(JSONObject, Duration)] = [
            (["deviceProfile": "main", "timeZone": "Asia/Shanghai"], .zero),
            (["deviceProfile": "main", "timeZone": "Asia/Shanghai"], .seconds(89 * 86_400)),
            (["deviceProfile": "driver", "timeZone": "Europe/Berlin"], .zero),
            (["timeZone": ""], .zero), ([:], .zero),
            // No explanation tells these three.
            (["timeZone": .string(longName)], .zero),
            (["timeZone": .string(String(repeating: "ab12", count: 16))], .zero),
            (["timeZone": .string(String(repeating: "\u{1}", count: 65))], .zero),
            (["timeZone": .string(hostileName)], .zero),
            (["timeZone": "Asia/Shanghai", "note": ["timeZone": "Europe/Paris"]], .zero),
            (["valid": false, "timeZone": "Asia/Shanghai"], .zero), (["valid": false], months),
            ([:], months), (["deviceProfile": "driver"], months), (["deviceProfile": "main"], .seconds(91 * 86_400)),
        ]
        var devices: [(JSONValue, Duration)] = members.enumerated().map { index, device in
            let own: JSONObject = [
                "deviceType": "ios", "deviceToken": .string(token(index)), "channels": ["news"], "valid": true,
            ]
            return (.object(own.merging(device.0) { $1 }), device.1)
        }
        devices.append((["deviceType": "ios", "deviceToken": .string(token(99)), "valid": true], .zero))
        return devices
    }()

    private static func token(_ index: Int) -> String { String(repeating: "0", count: 60) + String(1000 + index) }

    /// The devices that each of some conditions reaches.
    static let explanations: [(JSONValue, AudienceCount)] = [
        (
            ["channels": "news"],
            AudienceCount(
                devices: 10, platforms: ["ios": 10], deviceProfiles: ["main": 2, "driver": 1, "": 7],
                timeZones: ["Asia/Shanghai": 3, "Europe/Berlin": 1, "": 2, hostileName: 1],
                leftOut: [.invalid: 2, .stale: 3])
        ),
        (
            ["channels": "news", "deviceProfile": "driver"],
            AudienceCount(
                devices: 1, platforms: ["ios": 1], deviceProfiles: ["driver": 1], timeZones: ["Europe/Berlin": 1],
                leftOut: [.stale: 1])
        ),
        (["channels": "news", "valid": false], AudienceCount(devices: 0, leftOut: [.invalid: 2])),
        (["channels": "nobody"], AudienceCount(devices: 0)),
    ]
}
