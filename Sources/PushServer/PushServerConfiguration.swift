internal import DeviceRegistry

/// How a push server runs.
package struct PushServerConfiguration: Sendable {
    /// The address to listen on; default `127.0.0.1`.
    package var host = "127.0.0.1"
    /// The port; 0, the default, takes a free one.
    package var port = 0
    /// The certificate that it shows; without one it speaks plain HTTP, as behind a proxy.
    package var certificate: ServerCertificate?
    /// The app's id, which every request names.
    package var applicationID: String
    /// The key that may do everything.
    package var masterKey: ServerKey
    /// The key that clients have; without one only the master key is accepted.
    package var applicationKey: ServerKey?
    /// The token that reads `/metrics` from anywhere; without one only this machine may.
    package var metricsToken: ServerKey?
    /// Whether faults can be asked for and the clock be put forward over HTTP; default no.
    package var allowsFaults = false
    /// How many pushes a minute are taken; default 600. Source: <doc:/PushModel/LeanCloudPush#Limits>.
    package var pushesPerMinute = 600
    /// Whether a push needs no master key; default no, as in LeanCloud's console.
    ///
    /// Source: <doc:/PushModel/LeanCloudTransport#Master-key>.
    package var clientsMayPush = false
    /// How many pushes may wait for their time; default 1000. Source: <doc:/PushModel/LeanCloudPush#Limits>.
    package var mostScheduledPushes = 1000
    /// What `valid` is on a new Android device that does not say; default yes. LeanCloud's own are invalid until their
    /// connection stands, which no device of this server has.
    package var androidIsValid = true
    /// Which classes are written; default all.
    package var mode = ServerMode.classes
    /// Whether devices stay that were not seen for 90 days; default no.
    ///
    /// Source: <doc:/PushModel/LeanCloudDevices#Clean-up>.
    package var keepsStaleDevices = false
    /// What Apple's devices are sent to with; without it, the default, they are simulated like all others.
    package var apple: AppleService?
    /// What devices are reached by, as answers say it.
    var devices: String { apple == nil ? "simulated" : "apple" }
    /// What answers that is not push; without it, the default, this server does.
    package var upstream: UpstreamSettings?
    /// What bounds the time and the memory that clients can take.
    package var limits = ServerLimits()
    /// The addresses of the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; default none.
    package var trustedProxies: Set<String> = []
    /// Whether the log names the address of each request; default yes.
    package var logsAddresses = true

    /// A configuration with the defaults.
    package init(applicationID: String, masterKey: ServerKey, applicationKey: ServerKey? = nil) {
        self.applicationID = applicationID
        self.masterKey = masterKey
        self.applicationKey = applicationKey
    }
}

/// What a server is for.
package enum ServerMode: String, Hashable, Sendable, CaseIterable {
    /// For push alone: nobody writes to a class that push does not need, so that no app takes for safe what it stores.
    case push
    /// Every class is written, as LeanCloud's are: for tests.
    case classes

    /// Whether objects of a class are written: devices, and what bugle keeps for itself.
    func writes(_ className: ClassName) -> Bool {
        self == .classes || className.isInstallation || className.isBugles
    }
}

/// A key of the app. It is never printed.
package struct ServerKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Keeps a key.
    package init(_ text: String) {
        self.text = text
    }

    /// The key itself, to be compared and never shown.
    var revealed: String { text }

    /// Whether it is long enough that nobody finds it by trying.
    package var isLong: Bool { text.utf8.count >= Self.shortest }
    /// A master key has at least this many characters.
    package static let shortest = 16

    /// Whether both are the same, to refuse a configuration in which two keys are.
    package func isSame(as other: ServerKey) -> Bool { text == other.text }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
