package import CurlHTTP
internal import Diagnostics
package import PushModel
internal import Synchronization

/// Sends notifications to Apple over a few HTTP/2 connections.
///
/// One thread drives them all. A request that left nothing behind (no connection, no byte of its body given away, a
/// refused stream) is tried again; one that may have been acted on never is, and is answered as in doubt. Refusals that
/// concern the connection or the token and not the notification are dealt with here: apns.md, A7.
package final class APNsSender: NotificationSending {
    private let inbox: SendInbox
    private let board: SenderBoard
    private let thread: WorkerThread

    /// Starts a sender; it connects with its first request.
    ///
    /// - Throws: `TransportError` when the endpoint is no host and port, libcurl has no HTTP/2, or the system has no thread
    ///   or descriptor left.
    package init(_ configuration: Configuration) throws(TransportError) {
        var pumpConfiguration = PumpConfiguration(
            endpoint: "https://\(configuration.endpoint)", caFile: configuration.caFile,
            connectTimeout: configuration.connectTimeout, requestTimeout: configuration.requestTimeout,
            streams: configuration.streams, ownHeader: "apns-id")
        var tokens: (any ProviderTokenProviding)?
        switch configuration.credential {
        case .certificate(let chain, let key):
            // Handed to libcurl, which needs the key itself.
            pumpConfiguration.certificate = ClientCertificate(
                chainPEM: chain.revealedBytes, keyPEM: key.revealedBytes)
        case .token(let provider): tokens = provider
        }
        let pump = try RequestPump(pumpConfiguration)
        let inbox = SendInbox(pump.waker)
        let board = SenderBoard()
        let loop = SenderLoop(configuration, tokens, pump, inbox, board)
        guard let thread = WorkerThread({ loop.run() }) else {
            throw TransportError(
                .internalFailure, sent: .nothing, request: "POST", detail: "no thread could be started")
        }
        self.inbox = inbox
        self.board = board
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
        if let fault = PumpHeaders.fault(in: notification.headers) {
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

    /// What the sender is doing now.
    package var statistics: SenderStatistics { board.statistics }

    /// Answers for all of them that nothing was sent, and why.
    private static func none(of targets: [SendTarget], through gate: any SendGate, _ why: String) -> [Verdict] {
        targets.map { _ in
            let answer = Verdict.notSent(.noBodyGiven(why))
            gate.note(answer)
            return answer
        }
    }
}

/// Where the sender's thread writes what it is doing.
final class SenderBoard: Sendable {
    private let content = Mutex(SenderStatistics())

    /// The latest.
    var statistics: SenderStatistics {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
