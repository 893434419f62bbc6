package import Push

/// The addresses of Apple's services, or of servers that replace them.
///
/// Source: docs/background/apple/service.md#endpoints. Broadcasts go to the ordinary host unless another is given:
/// Apple's pages disagree.
package struct APNsEndpoints: Hashable, Sendable {
    private let hosts: [String: String]

    /// Apple's own addresses, overridden by a remote's `hosts`: `production`, `development`, `broadcast`, `channels`;
    /// each an address, or a host with an optional port.
    package init(hosts: [String: String] = [:]) {
        self.hosts = hosts.mapValues(Self.address)
    }

    /// The base address for pushes to devices: `POST /3/device/TOKEN`.
    package func devices(_ environment: PushEnvironment) -> String {
        switch environment {
        case .production: hosts["production"] ?? "https://api.push.apple.com"
        case .development: hosts["development"] ?? "https://api.sandbox.push.apple.com"
        }
    }

    /// The host, with its port if one is given, that a notification is sent to; always https.
    package func authority(of destination: Destination, _ environment: PushEnvironment) -> String {
        let address =
            switch destination {
            case .devices: devices(environment)
            case .broadcastChannels: broadcasts(environment)
            }
        return address.split(separator: "://", maxSplits: 1).last.map(String.init) ?? ""
    }

    /// The base address for broadcasts: `POST /4/broadcasts/apps/TOPIC`.
    package func broadcasts(_ environment: PushEnvironment) -> String {
        hosts["broadcast"] ?? devices(environment)
    }

    /// The base address for channel management: `/1/apps/TOPIC/channels`.
    package func channels(_ environment: PushEnvironment) -> String {
        if let host = hosts["channels"] { return host }
        return switch environment {
        case .production: "https://api-manage-broadcast.push.apple.com:2196"
        case .development: "https://api-manage-broadcast.sandbox.push.apple.com:2195"
        }
    }

    private static func address(_ text: String) -> String {
        var address = text.contains("://") ? text : "https://" + text
        while address.hasSuffix("/") { address.removeLast() }
        return address
    }
}
