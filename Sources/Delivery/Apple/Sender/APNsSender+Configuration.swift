package import Base

extension APNsSender {
    /// The settings of a sender.
    package struct Configuration: Sendable {
        /// The host, with its port if not 443, of Apple's or another server. Always https.
        package var endpoint: String
        /// The credential to authenticate with.
        package var credential: Credential
        /// The number of concurrent connections, 2 by default: Apple spreads them over its servers, and each has its
        /// own window.
        package var connections: Int
        /// The number of concurrent requests on a connection, 200 by default; Apple may allow fewer.
        package var streams: Int
        /// A PEM file of CAs to trust in addition to the system's; none by default.
        package var caFile: String?
        /// The connect timeout, 10 s by default.
        package var connectTimeout: Duration
        /// The timeout of a request, 30 s by default; after that its outcome is unknown.
        package var requestTimeout: Duration
        /// The rate limit over all connections, in requests a second; nil, the default: unlimited.
        package var perSecond: Int?
        /// The handling of failures that left nothing behind.
        package var retries: Retries

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

    /// A sender's means of authentication. Source: docs/background/apple/credentials.md#provider-tokens.
    package enum Credential: Sendable {
        /// A client certificate with its key, both PEM, as ``CertificateIdentity`` holds them.
        case certificate(chainPEM: Secret, keyPEM: Secret)
        /// A token in each request.
        case token(any ProviderTokenProviding)
    }

    /// The handling of failures that left nothing behind.
    package struct Retries: Hashable, Sendable {
        /// The attempts in all before a request is answered as not sent; 5 by default.
        package var attempts: Int
        /// The failed connection attempts in a row before everything waiting is answered as not sent; 4 by default.
        package var connectAttempts: Int
        /// The pause after the first failure, doubled with each further one up to a minute; 500 ms by default.
        package var pause: Duration
        /// The least time between opening two connections; 250 ms by default. Rapid connecting is taken for an
        /// attack (docs/background/apple/service.md#connections).
        package var spacing: Duration

        package init(
            attempts: Int = 5, connectAttempts: Int = 4, pause: Duration = .milliseconds(500),
            spacing: Duration = .milliseconds(250)
        ) {
            self.attempts = max(1, attempts)
            self.connectAttempts = max(1, connectAttempts)
            self.pause = pause
            self.spacing = spacing
        }

        /// The pause after a number of failures in a row, from 1; a third of jitter keeps senders from retrying together.
        func pause(after failures: Int) -> Duration {
            Backoff(first: pause, longest: .seconds(60), jitter: 0.67...1.33).pause(after: failures)
        }
    }
}
