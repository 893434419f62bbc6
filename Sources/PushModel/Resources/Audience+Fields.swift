internal import JSONValue

extension Audience {
    package static let fields = FieldTable(
        "Campaign.audience", "Whom it reaches; every field narrows, and several must all hold",
        "推送给谁；每个字段都会缩小范围，写多个则须同时满足", blank: Audience(), rules: rules,
        [
            FieldRow(
                "everyone", .flag(.onlyTrue), "Everyone; beside it only platforms and deviceProfile may stand",
                "全部设备；只能与 platforms 和 deviceProfile 同时写", unless: false, { $0.everyone }, { $0.everyone = $1 }),
            FieldRow(
                "channels", .list(.list(of: .name(.channel))), "Devices subscribed to any of them", "订阅了其中任意一个频道的设备",
                unless: [], { $0.channels }, { $0.channels = $1 }),
            FieldRow(
                "segments", .list(.list(of: .name(.resource))), "Devices in all of them", "同时属于这些分群的设备", unless: [],
                { $0.segments }, { $0.segments = $1 }),
            FieldRow(
                "where", .condition, "Devices that meet a condition", "满足查询条件的设备", { $0.condition },
                { $0.condition = $1 }),
            FieldRow(
                "platforms", .choices(Platform.self), "Devices of these platforms", "这些平台的设备", unless: [],
                { $0.platforms }, { $0.platforms = $1 }),
            FieldRow(
                "deviceProfile", .name(.deviceProfile), "Devices that bear this declared profile",
                "deviceProfile 为这一项的设备，须已声明", { $0.deviceProfile }, { $0.deviceProfile = $1 }),
            FieldRow(
                "devices", .list(.list(of: .text, ListRule(maximum: 500))),
                "These devices: tokens in hexadecimal (ios) or installation ids (android); needs one platform",
                "指定的设备：iOS 写十六进制的 device token，Android 写 installationId；须写明一个平台", unless: [],
                { $0.devices }, { $0.devices = $1 }),
        ])

    /// The fields that `everyone` and `devices` exclude.
    package static let narrowing = ["everyone", "channels", "segments", "where", "devices"]

    /// What an audience's fields mean for each other.
    private static var rules: [FieldRule] {
        let others = { (leader: String) in narrowing.filter { $0 != leader } }
        return [
            .notEmpty,
            .when(.has(["everyone"]), .lacks(others("everyone"))),
            .when(.has(["devices"]), .allOf([.lacks(others("devices")), .count(["platforms"], 1...1)])),
            // Tokens are those of Apple's devices.
            .when(
                .equals(["platforms"], .array([.string(Platform.ios.rawValue)])),
                .elements(["devices"], pattern: "^([0-9A-Fa-f]{2}){1,100}$")),
            .when(
                .count(["platforms"], Platform.allCases.count...Int.max),
                .hasAny(["everyone", "channels", "segments", "where", "deviceProfile", "devices"])),
        ]
    }
}
