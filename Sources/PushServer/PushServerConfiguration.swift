internal import DeviceRegistry

/// The configuration of a push server: its settings, and what they name.
@dynamicMemberLookup
package struct PushServerConfiguration: Sendable {
    /// The settings; their members are this configuration's, too.
    package var settings = ServerSettings()
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
    /// The service that sends to Apple's devices; without it, the default, they are simulated like all others.
    package var apple: AppleService?
    /// The way devices are reached, as named in responses.
    var devices: String { apple == nil ? "simulated" : "apple" }
    /// The classes that may be written: all, unless a backend has the others.
    package var mode: ServerMode { settings.mode ?? (settings.upstream == nil ? .classes : .push) }

    /// Creates a configuration with default settings, but on a free port.
    package init(applicationID: String, masterKey: ServerKey, applicationKey: ServerKey? = nil) {
        self.applicationID = applicationID
        self.masterKey = masterKey
        self.applicationKey = applicationKey
        settings.listen = ListenAddress(host: settings.listen.host, port: 0)
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<ServerSettings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
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
