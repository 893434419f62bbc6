package import PushModel

/// Where Apple's services are, or what stands in for them.
///
/// Source: <doc:AppleService#Endpoints>. Broadcasts go to the ordinary host unless another is given: Apple's pages
/// disagree.
package struct APNsEndpoints: Hashable, Sendable {
    private let hosts: [String: String]

    /// Apple's own addresses, with those of a remote's `hosts` over them: `production`, `development`, `broadcast`,
    /// `channels`; each an address, or a host with or without a port.
    package init(hosts: [String: String] = [:]) {
        self.hosts = hosts.mapValues(Self.address)
    }

    /// Pushes to devices: `POST /3/device/TOKEN`.
    package func devices(_ environment: PushEnvironment) -> String {
        switch environment {
        case .production: hosts["production"] ?? "https://api.push.apple.com"
        case .development: hosts["development"] ?? "https://api.sandbox.push.apple.com"
        }
    }

    /// Host and perhaps port of where a notification goes, which is always https.
    package func authority(of destination: Destination, _ environment: PushEnvironment) -> String {
        let address =
            switch destination {
            case .devices: devices(environment)
            case .broadcastChannels: broadcasts(environment)
            }
        return address.split(separator: "://", maxSplits: 1).last.map(String.init) ?? ""
    }

    /// Broadcasts: `POST /4/broadcasts/apps/TOPIC`.
    package func broadcasts(_ environment: PushEnvironment) -> String {
        hosts["broadcast"] ?? devices(environment)
    }

    /// The management of channels: `/1/apps/TOPIC/channels`.
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
