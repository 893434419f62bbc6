internal import Diagnostics
internal import LocatedYAML
internal import PushModel

extension DocumentReader {
    func audience(_ map: MapReader<AudienceField>) -> Audience {
        var audience = Audience(
            everyone: map.flag(.everyone) ?? false, channels: map.strings(.channels) ?? [],
            segments: map.strings(.segments) ?? [],
            condition: map[.where].flatMap { ConditionReader(context: context).condition($0, map.label(.where)) },
            platforms: (map.strings(.platforms) ?? []).compactMap(Platform.init),
            deviceProfile: map.string(.deviceProfile))
        if let nodes = map.elements(.devices) { audience.devices = devices(nodes, audience.platforms, map) }
        checkCombination(map)
        checkPlatforms(audience, map)
        return audience
    }

    /// Whether the fields go together, and narrow at all.
    private func checkCombination(_ map: MapReader<AudienceField>) {
        if map.node.count == 0 {
            context.report(
                .missingKey, "'audience' is empty", at: map.holder, help: "say everyone: true if it is meant so")
        }
        guard map.has(.devices) || map.has(.everyone) else { return }
        let others = AudienceField.allCases.filter { map.has($0) && !$0.standsBesideAll }
        for leader in [AudienceField.devices, .everyone] where map.has(leader) {
            for field in others where field != leader && !(leader == .everyone && field == .devices) {
                let pair = "'\(map.label(leader).name)' and '\(map.label(field).name)'"
                map.report(.conflictingKeys, "\(pair) exclude each other", atKeyOf: field)
            }
        }
    }

    private func checkPlatforms(_ audience: Audience, _ map: MapReader<AudienceField>) {
        if map.has(.devices), audience.platforms.count != 1 {
            map.report(
                .conflictingKeys, "'devices' needs exactly one platform", atKeyOf: .devices,
                help: "add platforms: [ios] or platforms: [android]")
        }
        guard audience.platforms.count == Platform.allCases.count else { return }
        if AudienceField.allCases.allSatisfy({ $0 == .platforms || !map.has($0) }) {
            map.report(
                .conflictingKeys, "'platforms' names all platforms and narrows nothing", atKeyOf: .platforms,
                help: "say everyone: true if it is meant so")
        }
    }

    /// The devices, each once; tokens are never repeated in a message.
    private func devices(_ nodes: [Node], _ platforms: [Platform], _ map: MapReader<AudienceField>) -> [String] {
        let label = map.label(.devices)
        guard platforms == [.ios] else { return context.uniqueStrings(nodes, .text, label) }
        // An Apple token is a number: its digits mean the same in both cases.
        let devices = context.uniqueStrings(nodes, .text, label) { $0.lowercased() }
        for node in nodes {
            guard let token = node.string, !token.isEmpty, !token.isDeviceToken else { continue }
            context.report(
                .invalidValue, "\(label.element.text) is not a device token: an even number of hexadecimal digits",
                at: node)
        }
        return devices
    }
}

extension String {
    /// Whether Apple could have given it to an app: an even number of hexadecimal digits, 200 at most.
    package var isDeviceToken: Bool {
        !isEmpty && utf8.count.isMultiple(of: 2) && utf8.count <= 200 && utf8.allSatisfy(\.isHexadecimal)
    }
}
