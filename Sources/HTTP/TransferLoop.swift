internal import CCurl

/// Drives the transfers of one client on one thread.
final class TransferLoop {
    private let configuration: HTTPClient.Configuration
    private let multi: MultiHandle
    private let inbox: Inbox
    private var waiting = WaitingLine()
    private var running: [ObjectIdentifier: Transfer] = [:]
    /// Transfers without a current request.
    private var idle: [Transfer] = []
    private let sockets = Sockets()
    /// The number of waits in a row that ended at once while no transfer did.
    private var restless = 0

    /// Creates a loop around a handle; `run` is called once, on the thread that then owns it.
    init(_ configuration: HTTPClient.Configuration, _ multi: MultiHandle, _ inbox: Inbox) {
        self.configuration = configuration
        self.multi = multi
        self.inbox = inbox
    }

    /// Works until the inbox is closed, then ends the rest with `cancelled`.
    func run() {
        while true {
            let news = inbox.take()
            accept(news)
            if news.isClosed { break }
            do throws(LibcurlFailure) {
                refuseExpired()
                startWaiting()
                try multi.perform()
                if finishTransfers() {
                    restless = 0
                    if !waiting.isEmpty { continue }
                }
                try wait()
            } catch {
                endAll(.failure(error))
            }
        }
        endAll(.cancelled)
    }

    /// Waits for an event, or until a job has waited too long.
    private func wait() throws(LibcurlFailure) {
        let start = ContinuousClock.now
        try multi.poll(milliseconds: patience)
        restless = start.duration(to: .now) < .microseconds(50) ? restless + 1 : 0
        guard restless > Self.mostRestless else { return }
        // While a body waits for the server's window, libcurl 7.88 waits for a socket that is ready: without a pause that
        // takes a whole core.
        var nothing: [Platform.Entry] = []
        Platform.wait(for: &nothing, milliseconds: 1)
    }

    /// More waits in a row that end at once are none.
    private static let mostRestless = 32

    /// The longest wait in milliseconds: until a waiting job times out, and short enough that a wake-up which libcurl
    /// forgets (7.88 does, with more streams than the server allows) does no harm.
    private var patience: Int32 {
        if running.isEmpty && waiting.isEmpty { return 60_000 }
        guard let deadline = waiting.earliestDeadline else { return 1000 }
        return Int32(min(1000, max(1, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)))
    }

    private func accept(_ news: Inbox.Content) {
        for job in news.jobs {
            if job.ticket.isCancelled {
                job.refuse(.cancelled, "")
            } else {
                waiting.append(job)
            }
        }
        for ticket in news.cancelled {
            if let job = waiting.remove(ticket) { job.refuse(.cancelled, "") }
            if let transfer = running[ticket.id] { finish(transfer, .cancelled) }
        }
    }

    private func refuseExpired() {
        for job in waiting.removeExpired(at: .now) { job.refuse(.timedOut, "it was still waiting for its turn") }
    }

    private func startWaiting() {
        while running.count < configuration.maximumInFlight, let job = waiting.popFirst() { start(job) }
    }

    private func start(_ job: Job) {
        do throws(LibcurlFailure) {
            let transfer = if let used = idle.popLast() { used } else { try Transfer(configuration, sockets) }
            try transfer.begin(job)
            try multi.add(transfer.handle)
            running[job.ticket.id] = transfer
        } catch {
            job.refuse(.internalFailure, error.detail)
        }
    }

    /// Completes the transfers that libcurl has ended; true when there were any.
    private func finishTransfers() -> Bool {
        var hasFinished = false
        // Every added handle was created by a Transfer.
        while let (context, code) = unsafe multi.nextFinished(), let transfer = unsafe Transfer.from(context) {
            if transfer.isOnClosedConnection { restart(transfer) } else { finish(transfer, .libcurl(code)) }
            hasFinished = true
        }
        return hasFinished
    }

    /// Restarts a request of which nothing was sent, on a new connection: the closed one is gone, and another kept one
    /// could be closed too.
    private func restart(_ transfer: Transfer) {
        guard let job = transfer.job else { return }
        multi.remove(transfer.handle)
        do throws(LibcurlFailure) {
            try transfer.begin(job, afresh: true)
            try multi.add(transfer.handle)
        } catch {
            finish(transfer, .failure(error))
        }
    }

    private func finish(_ transfer: Transfer, _ ending: Transfer.Ending) {
        multi.remove(transfer.handle)
        guard let job = transfer.end() else { return }
        running[job.ticket.id] = nil
        idle.append(transfer)
        job.continuation.resume(returning: transfer.outcome(of: ending, for: job))
    }

    private func endAll(_ ending: Transfer.Ending) {
        for transfer in Array(running.values) { finish(transfer, ending) }
        for job in waiting.removeAll() {
            switch ending {
            case .failure(let failure): job.refuse(.internalFailure, failure.detail)
            case .cancelled, .libcurl: job.refuse(.cancelled, "")
            }
        }
    }
}

@available(*, unavailable, message: "a loop belongs to its thread")
extension TransferLoop: Sendable {}

/// The sockets that libcurl has opened for one loop.
final class Sockets {
    /// Every descriptor ever opened: one that was closed, and perhaps reopened elsewhere, has another port.
    private var descriptors: Set<Int32> = []
    /// Descriptors by local port, as last found.
    private var known: [Int: Int32] = [:]

    func insert(_ descriptor: Int32) { descriptors.insert(descriptor) }

    /// True when the server has closed the connection with this local port.
    func hasPeerClosed(localPort: Int) -> Bool {
        guard let descriptor = descriptor(localPort: localPort) else { return false }
        return Platform.hasPeerClosed(descriptor)
    }

    private func descriptor(localPort: Int) -> Int32? {
        if let descriptor = known[localPort], Platform.localPort(of: descriptor) == localPort { return descriptor }
        known = [:]
        for descriptor in descriptors {
            if let port = Platform.localPort(of: descriptor) {
                known[port] = descriptor
            } else {
                descriptors.remove(descriptor)
            }
        }
        return known[localPort]
    }
}

@available(*, unavailable, message: "the sockets belong to the thread of their loop")
extension Sockets: Sendable {}
