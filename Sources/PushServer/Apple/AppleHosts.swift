internal import DeviceRegistry
package import PushModel

/// Where Apple's service is, or what stands in for it.
package struct AppleHosts: Hashable, Sendable {
    /// For apps from the App Store, TestFlight and ad-hoc distribution: `HOST` or `HOST:PORT`.
    package var production = "api.push.apple.com"
    /// For apps that are signed for development.
    package var development = "api.sandbox.push.apple.com"
    /// A PEM file of authorities to trust beside the system's.
    package var caFile: String?

    /// Apple's own. Source: apns.md, A1.
    package init() {}

    /// The host of an environment.
    package func host(_ environment: PushEnvironment) -> String {
        switch environment {
        case .production: production
        case .development: development
        }
    }
}

extension Instant {
    /// The same instant.
    init(_ time: Timestamp) { self.init(milliseconds: time.milliseconds) }
}
