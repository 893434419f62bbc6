internal import Basics
package import Diagnostics

extension APNsSender {
    /// How a sender works.
    package struct Configuration: Sendable {
        /// Apple's server or another: host, and port where it is not 443. Always https.
        package var endpoint: String
        /// How it shows who it is.
        package var credential: Credential
        /// Connections at a time, 2 by default: Apple spreads them over its servers, and one has one window.
        package var connections: Int
        /// Requests on a connection at a time, 200 by default; Apple may allow fewer.
        package var streams: Int
        /// A PEM file of CAs to trust beside the system's; none by default.
        package var caFile: String?
        /// How long making a connection may take, 10 s by default.
        package var connectTimeout: Duration
        /// How long one request may take, 30 s by default: after that it is in doubt.
        package var requestTimeout: Duration
        /// Requests a second over all connections; nil, the default: no limit.
        package var perSecond: Int?
        /// What is done about failures that left nothing behind.
        package var retries: Retries

        /// Describes a sender.
        package init(
            endpoint: String, credential: Credential, connections: Int = 2, streams: Int = 200, caFile: String? = nil,
            connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(30), perSecond: Int? = nil,
            retries: Retries = Retries()
        ) {
            self.endpoint = endpoint
            self.credential = credential
            self.connections = max(1, connections)
            self.streams = max(1, streams)
            self.caFile = caFile
            self.connectTimeout = connectTimeout
            self.requestTimeout = requestTimeout
            self.perSecond = perSecond.map { max(1, $0) }
            self.retries = retries
        }
    }

    /// How a sender shows who it is. Source: <doc:AppleCredentials#Provider-tokens>.
    package enum Credential: Sendable {
        /// A client certificate with its key, both PEM, as ``CertificateIdentity`` holds them.
        case certificate(chainPEM: Secret, keyPEM: Secret)
        /// A token in each request.
        case token(any ProviderTokenProviding)
    }

    /// What is done about failures that left nothing behind.
    package struct Retries: Hashable, Sendable {
        /// How often one request is tried in all before it is answered as not sent; 5 by default.
        package var attempts: Int
        /// How often in a row a connection may fail before everything that waits is answered as not sent; 4 by default.
        package var connectAttempts: Int
        /// The pause after the first failure, doubled with each further one, up to a minute; 500 ms by default.
        package var pause: Duration
        /// The least time between two connections that are opened; 250 ms by default. Rapid connecting is taken for an
        /// attack (<doc:AppleService#Connections>).
        package var spacing: Duration

        /// Describes retries.
        package init(
            attempts: Int = 5, connectAttempts: Int = 4, pause: Duration = .milliseconds(500),
            spacing: Duration = .milliseconds(250)
        ) {
            self.attempts = max(1, attempts)
            self.connectAttempts = max(1, connectAttempts)
            self.pause = pause
            self.spacing = spacing
        }

        /// The pause after so many failures in a row (from 1), with a third more or less so that senders do not march
        /// in step.
        func pause(after failures: Int) -> Duration {
            Backoff(first: pause, longest: .seconds(60), jitter: 0.67...1.33).pause(after: failures)
        }
    }
}
