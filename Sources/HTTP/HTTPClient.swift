internal import Synchronization

/// Sends HTTP/1.1 and HTTP/2 requests through libcurl.
///
/// Each client has a thread of its own that drives every transfer and keeps the connections; create one and share it.
/// Redirects are not followed, cookies are not kept, `.netrc` and `SSLKEYLOGFILE` are ignored. The environment's
/// `https_proxy` and `no_proxy` are obeyed, except for this machine, which is always reached directly.
///
/// The first client removes `SSLKEYLOGFILE` from the environment: create it before other threads read the environment.
package final class HTTPClient: HTTPExchanging {
    /// The settings of a client.
    package struct Configuration: Hashable, Sendable {
        /// A PEM file of CAs to trust in addition to the system's; none by default.
        package var caFile: String?
        /// The connect timeout, 10 s by default; a request's own timeout may end sooner.
        package var connectTimeout: Duration
        /// The number of concurrent connections to one host, 6 by default.
        package var maximumConnections: Int
        /// The number of requests handed to libcurl at a time, 100 by default; further ones wait their turn. HTTP/2
        /// sends that many at once; on HTTP/1.1 the number of connections is the limit.
        package var maximumInFlight: Int
        /// The `User-Agent` header, `bugle` by default.
        package var userAgent: String
        /// True to allow `http` to 127.0.0.0/8, [::1] and localhost; true by default.
        package var allowsPlainHTTPToLoopback: Bool
        /// The certificate for servers that request one; none by default.
        package var clientCertificate: ClientCertificate?
        /// A `HOST:PORT` to connect to instead of the address's host, whose certificate is required all the same; nil
        /// by default.
        package var connectsTo: String?

        package init(
            caFile: String? = nil, connectTimeout: Duration = .seconds(10), maximumConnections: Int = 6,
            maximumInFlight: Int = 100, userAgent: String = "bugle", allowsPlainHTTPToLoopback: Bool = true,
            clientCertificate: ClientCertificate? = nil, connectsTo: String? = nil
        ) {
            self.caFile = caFile
            self.connectTimeout = connectTimeout
            self.maximumConnections = max(1, maximumConnections)
            self.maximumInFlight = max(1, maximumInFlight)
            self.userAgent = userAgent
            self.allowsPlainHTTPToLoopback = allowsPlainHTTPToLoopback
            self.clientCertificate = clientCertificate
            self.connectsTo = connectsTo
        }
    }

    private let configuration: Configuration
    private let inbox: Inbox
    private let thread: WorkerThread

    /// Starts a client.
    ///
    /// - Parameter configuration: The settings.
    /// - Throws: `TransportError` with `internalFailure` when libcurl or a thread cannot be started.
    package init(_ configuration: Configuration = Configuration()) throws(TransportError) {
        guard Libcurl.isReady else { throw Self.failure("curl_global_init failed") }
        let multi: MultiHandle
        do throws(LibcurlFailure) {
            multi = try MultiHandle(maximumConnections: configuration.maximumConnections)
        } catch {
            throw Self.failure(error.detail)
        }
        let inbox = Inbox(multi.waker)
        let loop = TransferLoop(configuration, multi, inbox)
        guard let thread = WorkerThread({ loop.run() }) else { throw Self.failure("no thread could be started") }
        self.configuration = configuration
        self.inbox = inbox
        self.thread = thread
    }

    deinit { close() }

    /// Sends a request and returns the whole answer, whatever its status; cancelling the task cancels the request.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The answer.
    /// - Throws: `TransportError` when there is no whole answer.
    package func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let target: RequestTarget
        do throws(RequestTarget.Refusal) {
            target = try RequestTarget(request.url, plainToLoopback: configuration.allowsPlainHTTPToLoopback)
        } catch {
            throw TransportError(.refusedURL, sent: .nothing, request: request.method.rawValue, detail: error.reason)
        }
        if let fault = HeaderList.fault(in: request.headers) {
            let name = "\(request.method.rawValue) \(target.name)"
            throw TransportError(.refusedHeader, sent: .nothing, request: name, detail: fault)
        }
        let ticket = Ticket()
        let deadline = ContinuousClock.now + request.timeout
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.submit(
                    Job(
                        ticket: ticket, request: request, target: target, deadline: deadline,
                        continuation: continuation))
            }
        } onCancel: {
            inbox.cancel(ticket)
        }
        return try outcome.get()
    }

    /// Ends every request in flight with `cancelled` and waits for the thread to end; later requests are refused.
    package func close() {
        inbox.close()
        thread.join()
    }

    private static func failure(_ detail: String) -> TransportError {
        TransportError(.internalFailure, sent: .nothing, request: "HTTP client", detail: detail)
    }
}

extension HTTPClient {
    /// The versions of libcurl and the libraries it uses: `libcurl/7.88.1 OpenSSL/3.0.17 … nghttp2/1.52.0`.
    package static var version: String { Libcurl.version }

    /// True when the installed libcurl supports HTTP/2.
    package static var hasHTTP2: Bool { Libcurl.hasHTTP2 }
}

/// A request on its way through the client, with the caller that waits for its outcome.
struct Job: Sendable {
    let ticket: Ticket
    let request: HTTPRequest
    let target: RequestTarget
    /// The time at which it times out.
    let deadline: ContinuousClock.Instant
    /// The waiting caller; resumed once, by whoever removes the job from the last table that held it.
    let continuation: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>

    /// Ends a request that was never started.
    func refuse(_ code: TransportError.Code, _ detail: String) {
        continuation.resume(returning: .failure(error(code, sent: .nothing, detail)))
    }

    /// An error about this request.
    func error(_ code: TransportError.Code, sent: TransportError.Sent, _ detail: String = "") -> TransportError {
        TransportError(code, sent: sent, request: "\(request.method.rawValue) \(target.name)", detail: detail)
    }
}

/// Identifies a job and records a cancellation of its task, before, while or after the client holds the job.
final class Ticket: Sendable {
    private let cancelled = Atomic<Bool>(false)

    /// True once the task was cancelled.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// The identity, unique among live tickets.
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}

/// Jobs waiting for their turn, first come, first served.
///
/// They are kept outside libcurl, which is slow with more transfers than connections and streams.
struct WaitingLine {
    private var jobs: [ObjectIdentifier: Job] = [:]
    /// The order; jobs that left early stay in it until their turn.
    private var order: ArraySlice<ObjectIdentifier> = []
    /// A lower bound of the deadlines.
    private(set) var earliestDeadline: ContinuousClock.Instant?

    var isEmpty: Bool { jobs.isEmpty }

    mutating func append(_ job: Job) {
        jobs[job.ticket.id] = job
        order.append(job.ticket.id)
        earliestDeadline = min(earliestDeadline ?? job.deadline, job.deadline)
    }

    /// Takes the job that has waited longest.
    mutating func popFirst() -> Job? {
        while let id = order.popFirst() {
            if let job = jobs.removeValue(forKey: id) { return job }
        }
        return nil
    }

    /// Removes a job out of turn.
    mutating func remove(_ ticket: Ticket) -> Job? { jobs.removeValue(forKey: ticket.id) }

    /// Removes the jobs that have timed out; scans them only when one may have.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Job] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        let expired = jobs.values.filter { $0.deadline <= now }
        for job in expired { jobs[job.ticket.id] = nil }
        earliestDeadline = jobs.values.map(\.deadline).min()
        return expired
    }

    mutating func removeAll() -> [Job] {
        var jobs: [Job] = []
        // A job that left early may share its place with a later one at the same address in memory.
        while let job = popFirst() { jobs.append(job) }
        self = WaitingLine()
        return jobs
    }
}

/// The queue through which other threads reach a loop: new jobs, cancellations, the request to close.
final class Inbox: Sendable {
    /// Everything submitted since the last look.
    struct Content: Sendable {
        /// New jobs, in order.
        var jobs: [Job] = []
        /// Jobs whose tasks were cancelled, new or old.
        var cancelled: [Ticket] = []
        /// True when the loop must end everything and return.
        var isClosed = false

        /// True when the loop has already been woken for this content.
        fileprivate var isNews: Bool { !jobs.isEmpty || !cancelled.isEmpty || isClosed }
    }

    private let content = Mutex(Content())
    /// Used under the lock and not after closing: the loop's handle is freed only after it has seen `isClosed`.
    private let waker: MultiHandle.Waker

    /// Creates the inbox of the loop that the waker wakes.
    init(_ waker: MultiHandle.Waker) { self.waker = waker }

    /// Submits a job, or refuses it when the client is closed.
    func submit(_ job: Job) {
        if !leave({ $0.jobs.append(job) }) { job.refuse(.cancelled, "the client is closed") }
    }

    /// Requests that a job be ended, submitted already or not.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        leave { $0.cancelled.append(ticket) }
    }

    /// Asks the loop to end everything.
    func close() {
        leave { $0.isClosed = true }
    }

    func take() -> Content {
        content.withLock { content in
            defer { content = Content(isClosed: content.isClosed) }
            return content
        }
    }

    /// Adds to the content and wakes the loop; false when it is closed.
    @discardableResult
    private func leave(_ change: (inout Content) -> Void) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            let isFirst = !content.isNews
            change(&content)
            if isFirst { waker.wake() }
            return true
        }
    }
}
