package import HTTP
internal import Base
package import Push

/// Sends notifications to Apple over a few HTTP/2 connections.
///
/// One thread drives all of them. A request that certainly left nothing behind (no byte of its body handed over, a
/// refused stream) is retried; one that may have been acted on never is, and is answered as unknown. Documented
/// refusals that concern the connection or the token rather than the notification are handled here:
/// docs/background/apple/reasons.md#reasons.
package final class APNsSender: NotificationSending {
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
