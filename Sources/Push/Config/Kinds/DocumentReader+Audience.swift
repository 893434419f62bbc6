internal import Base
internal import YAML

extension DocumentReader {
    /// Checks the fields of an audience against each other, and drops repeated Apple tokens.
    func check(_ audience: inout Audience, _ document: MapReader) {
        let isPlain = audience.devices.isEmpty && !audience.everyone && audience.platforms.count < 2
        if isPlain, audience != Audience(), !context.faultyMappings.contains(Audience.fields.description.name) {
            return
        }
        guard let map = document.inner("audience") else { return }
        if audience.platforms == [.ios] { checkTokens(&audience.devices, map) }
        checkCombination(map)
        checkPlatforms(audience, map)
    }

    /// Checks that the fields can be combined and narrow the audience at all.
    private func checkCombination(_ map: MapReader) {
        if map.node.count == 0 {
            context.report(
                .missingKey, "'audience' is empty", at: map.holder, help: "set everyone: true if that is intended")
        }
        guard map.has("devices") || map.has("everyone") else { return }
        let others = Audience.narrowing.filter(map.has)
        for leader in ["devices", "everyone"] where map.has(leader) {
            for name in others where name != leader && !(leader == "everyone" && name == "devices") {
                map.report(.conflictingKeys, "'\(leader)' and '\(name)' exclude each other", atKeyOf: name)
            }
        }
    }

    private func checkPlatforms(_ audience: Audience, _ map: MapReader) {
        if map.has("devices"), audience.platforms.count != 1 {
            map.report(
                .conflictingKeys, "'devices' needs exactly one platform", atKeyOf: "devices",
                help: "add platforms: [ios] or platforms: [android]")
        }
        guard audience.platforms.count == Platform.allCases.count else { return }
        if map.map.fields.allSatisfy({ $0.name == "platforms" || !map.has($0.name) }) {
            map.report(
                .conflictingKeys, "'platforms' names all platforms and narrows nothing", atKeyOf: "platforms",
                help: "set everyone: true if that is intended")
        }
    }

    /// Checks Apple's tokens and drops repeats: a token is a number, so case does not matter.
    ///
    /// Messages must not repeat a token.
    private func checkTokens(_ devices: inout [String], _ map: MapReader) {
        guard !devices.isEmpty, let nodes = map["devices"]?.elements else { return }
        let label = Label("devices")
        devices = context.uniqueStrings(Array(nodes), .text, label) { $0.lowercased() }
        for node in nodes {
            guard let token = node.string, !token.isEmpty, !token.isDeviceToken else { continue }
            context.report(
                .invalidValue, "\(label.element.text) is not a device token: an even number of hexadecimal digits",
                at: node)
        }
    }
}

extension String {
    /// True when Apple could have issued this token: an even number of hexadecimal digits, at most 200.
    package var isDeviceToken: Bool {
        !isEmpty && utf8.count.isMultiple(of: 2) && utf8.count <= 200 && utf8.allSatisfy(\.isHexadecimal)
    }
}
