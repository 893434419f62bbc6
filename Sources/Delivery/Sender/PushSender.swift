package import Base
package import HTTP
package import Push
internal import Synchronization

/// Sends notifications to Apple or FCM over a few HTTP/2 connections.
///
/// One thread drives all of them. A request that certainly left nothing behind (no byte of its body handed over, a
/// refused stream) is retried; one that may have been acted on never is, and is answered as unknown. Documented
/// refusals that concern the connection or the token rather than the notification are handled here:
/// docs/background/apple/reasons.md#reasons.
package final class PushSender: NotificationSending {
    private let inbox: SendInbox
    private let thread: WorkerThread

    /// Starts a sender; it connects on its first request.
    ///
    /// - Throws: `TransportError` when the endpoint is not a host and port, or the system has no thread or descriptor
    ///   left.
    package init(_ configuration: Configuration) throws(TransportError) {
        var clientConfiguration = HTTP2Configuration(
            endpoint: "https://\(configuration.endpoint)", caFile: configuration.caFile,
            connectTimeout: configuration.connectTimeout, requestTimeout: configuration.requestTimeout)
        var tokens: (any ProviderTokenProviding)?
        switch configuration.credential {
        case .certificate(let chain, let key):
            // Handed to libcurl, which needs the key itself.
            clientConfiguration.certificate = ClientCertificate(
                chainPEM: chain.revealedBytes, keyPEM: key.revealedBytes)
        case .token(let provider): tokens = provider
        }
        let client = try HTTP2Client(clientConfiguration)
        let inbox = SendInbox(client.waker)
        let loop = SenderLoop(configuration, tokens, client, inbox)
        guard let thread = WorkerThread({ loop.run() }) else {
            throw TransportError(
                .internalFailure, sent: .nothing, request: "POST", detail: "no thread could be started")
        }
        self.inbox = inbox
        self.thread = thread
    }

    deinit {
        inbox.close()
        thread.join()
    }

    package func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        guard !targets.isEmpty else { return [] }
        if let fault = HTTP2Headers.fault(in: notification.headers) {
            return Self.none(of: targets, through: gate, "the notification cannot be sent: \(fault)")
        }
        return await withCheckedContinuation { continuation in
            let job = SendJob(notification: notification, targets: targets, gate: gate, continuation: continuation)
            if !inbox.submit(job) {
                continuation.resume(returning: Self.none(of: targets, through: gate, "the sender is closed"))
            }
        }
    }

    package func close() async {
        inbox.close()
        await inbox.ended()
        thread.join()
    }

    /// Answers every target as not sent, with the reason.
    private static func none(of targets: [SendTarget], through gate: any SendGate, _ why: String) -> [Verdict] {
        targets.map { _ in
            let answer = Verdict.notSent(.noBodyGiven(why))
            gate.note(answer)
            return answer
        }
    }
}

// MARK: - Configuration

extension PushSender {
    /// The settings of a sender.
    package struct Configuration: Sendable {
        /// The host, with its port if not 443, of Apple's or another server. Always https.
        package var endpoint: String
        /// The path that requests to FCM share; Apple's name the device.
        package var path: String
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
            endpoint: String, path: String = "", credential: Credential, connections: Int = 2, streams: Int = 200,
            caFile: String? = nil,
            connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(30), perSecond: Int? = nil,
            retries: Retries = Retries()
        ) {
            self.endpoint = endpoint
            self.path = path
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

/// The addresses of Apple's services, or of servers that replace them.
///
/// Source: docs/background/apple/service.md#endpoints. Broadcasts go to the ordinary host unless another is given:
/// Apple's pages disagree.
package struct APNsEndpoints: Hashable, Sendable {
    /// The addresses given, by their names.
    let hosts: [String: String]

    /// Apple's own addresses, overridden by a remote's `hosts`: `production`, `development`, `broadcast`, `channels`, and
    /// those of ``ServiceHost``; each an address, or a host with an optional port.
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
            case .fcm: hosts[ServiceHost.fcm.rawValue] ?? ServiceHost.fcm.address ?? ""
            case .vendor: ""
            }
        return address.split(separator: "://", maxSplits: 1).last.map(String.init) ?? ""
    }

    /// The base address for broadcasts: `POST /4/broadcasts/apps/TOPIC`.
    package func broadcasts(_ environment: PushEnvironment) -> String {
        hosts["broadcast"] ?? devices(environment)
    }

    /// The address that gives access tokens for FCM, if another than a service account's own is given.
    package var fcmToken: String? { hosts[ServiceHost.fcmToken.rawValue].map { $0 + "/token" } }

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

/// The queue through which callers reach the sender's thread.
final class SendInbox: Sendable {
    private struct Content {
        var jobs: [SendJob] = []
        var isClosed = false
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let content = Mutex(Content())
    private let waker: Waker

    /// Creates the inbox of the thread that the waker wakes.
    init(_ waker: Waker) { self.waker = waker }

    /// Submits a batch; false when the sender is closed.
    func submit(_ job: SendJob) -> Bool {
        let isTaken = content.withLock { content in
            if !content.isClosed { content.jobs.append(job) }
            return !content.isClosed
        }
        waker.wake()
        return isTaken
    }

    /// Asks the thread to end after its batches.
    func close() {
        content.withLock { $0.isClosed = true }
        waker.wake()
    }

    /// Returns when the thread has finished its work.
    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = content.withLock { content in
                if !content.hasEnded { content.waiters.append(continuation) }
                return content.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Takes the submitted batches, and tells whether the inbox is closed.
    func take() -> (jobs: [SendJob], isClosed: Bool) {
        content.withLock { content in
            defer { content.jobs = [] }
            return (content.jobs, content.isClosed)
        }
    }

    /// Reports that the thread has finished its work.
    func end() {
        let waiters = content.withLock { content in
            content.hasEnded = true
            defer { content.waiters = [] }
            return content.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
