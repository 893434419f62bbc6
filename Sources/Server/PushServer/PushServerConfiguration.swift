internal import RegistryModel

/// The configuration of a push server.
package struct PushServerConfiguration: Sendable {
    /// The address to listen on; default `127.0.0.1`.
    package var host = "127.0.0.1"
    /// The port; 0, the default, takes a free one.
    package var port = 0
    /// The TLS certificate; without one the server speaks plain HTTP, for use behind a proxy.
    package var certificate: ServerCertificate?
    /// The app's id, which every request carries.
    package var applicationID: String
    /// The key with all rights.
    package var masterKey: ServerKey
    /// The key for clients; without one only the master key is accepted.
    package var applicationKey: ServerKey?
    /// The key with which people may look at the console, but neither send, cancel nor see whole tokens; none by
    /// default.
    package var viewerKey: ServerKey?
    /// The token for reading `/metrics` from anywhere; without one only this machine may read it.
    package var metricsToken: ServerKey?
    /// True to allow injecting faults and advancing the clock over HTTP; default false.
    package var allowsFaults = false
    /// The limit on pushes per minute; default 600. Source: docs/background/leancloud/push.md#limits.
    package var pushesPerMinute = 600
    /// True to allow pushes without the master key; default false, as in LeanCloud's console.
    ///
    /// Source: docs/background/leancloud/transport.md#master-key.
    package var clientsMayPush = false
    /// The limit on scheduled pushes; default 1000. Source: docs/background/leancloud/push.md#limits.
    package var mostScheduledPushes = 1000
    /// The value of `valid` for a new Android device that does not specify it; default true. LeanCloud's are invalid
    /// until they have a connection, which no device of this server has.
    package var androidIsValid = true
    /// The classes that may be written; default all.
    package var mode = ServerMode.classes
    /// True to keep devices not seen for 90 days; default false.
    ///
    /// Source: docs/background/leancloud/devices.md#clean-up.
    package var keepsStaleDevices = false
    /// The service that sends to Apple's devices; without it, the default, they are simulated like all others.
    package var apple: AppleService?
    /// The way devices are reached, as named in responses.
    var devices: String { apple == nil ? "simulated" : "apple" }
    /// The backend for requests that are not push; without it, the default, this server handles them.
    package var upstream: UpstreamSettings?
    /// The limits on the time and memory that clients can use.
    package var limits = ServerLimits()
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted; default none.
    package var trustedProxies = TrustedProxies()
    /// True to log the address of each request; default true.
    package var logsAddresses = true

    /// Creates a configuration with the defaults.
    package init(applicationID: String, masterKey: ServerKey, applicationKey: ServerKey? = nil) {
        self.applicationID = applicationID
        self.masterKey = masterKey
        self.applicationKey = applicationKey
    }
}

/// The purpose of a server.
package enum ServerMode: String, Hashable, Sendable, CaseIterable {
    /// Push only: classes that push does not need cannot be written, so that no app relies on this server to store
    /// them.
    case push
    /// All classes can be written, as in LeanCloud: for tests.
    case classes

    /// True if objects of a class may be written; in push mode, devices and bugle's own classes.
    func writes(_ className: ClassName) -> Bool {
        self == .classes || className.isInstallation || className.isBugles
    }
}

/// A key of the app, redacted whenever it is printed.
package struct ServerKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a key.
    package init(_ text: String) {
        self.text = text
    }

    /// The key itself, for comparison only, never for display.
    var revealed: String { text }

    /// True if the key is long enough not to be guessed.
    package var isLong: Bool { text.utf8.count >= Self.shortest }
    /// The shortest master or viewer key allowed, in characters.
    package static let shortest = 16

    /// True if two keys are equal; such a configuration is refused.
    package func isSame(as other: ServerKey) -> Bool { text == other.text }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
