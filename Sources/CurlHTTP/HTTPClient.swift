internal import Synchronization

/// Sends HTTP/1.1 and HTTP/2 requests through libcurl.
///
/// Each client has a thread of its own that drives every transfer and keeps the connections; make one and share it.
/// Redirects are not followed, no cookies are kept, `.netrc` and `SSLKEYLOGFILE` are ignored. `https_proxy` and
/// `no_proxy` of the environment are obeyed, except for this machine, which is always reached directly.
///
/// The first client removes `SSLKEYLOGFILE` from the environment: make it before other threads read the environment.
package final class HTTPClient: HTTPExchanging {
    /// How a client works.
    package struct Configuration: Hashable, Sendable {
        /// A PEM file of CAs to trust beside the system's; none by default.
        package var caFile: String?
        /// How long making a connection may take, 10 s by default; a request's own time may end sooner.
        package var connectTimeout: Duration
        /// Connections to one host at a time, 6 by default.
        package var maximumConnections: Int
        /// Requests handed to libcurl at a time, 100 by default: more wait their turn. HTTP/2 sends that many at once,
        /// on HTTP/1.1 the number of connections is the limit.
        package var maximumInFlight: Int
        /// The `User-Agent` header, `bugle` by default.
        package var userAgent: String
        /// Whether `http` to 127.0.0.0/8, [::1] and localhost is allowed, true by default.
        package var allowsPlainHTTPToLoopback: Bool
        /// What it shows of itself to servers that ask; nothing by default.
        package var clientCertificate: ClientCertificate?
        /// Where every connection goes, as `HOST:PORT`, whatever the address says, whose certificate is asked for all the
        /// same; nil by default.
        package var connectsTo: String?

        /// Describes how a client works.
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
    /// - Parameter configuration: How it works.
    /// - Throws: `TransportError` with `internalFailure` when libcurl or a thread cannot be had.
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

    /// Sends a request and returns the whole answer, whatever its status; cancelling the task ends it.
    ///
    /// - Parameter request: What to send.
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

    /// Ends every request under way with `cancelled` and waits for the thread to end; later requests are refused.
    package func close() {
        inbox.close()
        thread.join()
    }

    private static func failure(_ detail: String) -> TransportError {
        TransportError(.internalFailure, sent: .nothing, request: "HTTP client", detail: detail)
    }
}

extension HTTPClient {
    /// libcurl's name and version and those of the libraries it uses: `libcurl/7.88.1 OpenSSL/3.0.17 … nghttp2/1.52.0`.
    package static var version: String { Libcurl.version }

    /// Whether the installed libcurl can speak HTTP/2.
    package static var hasHTTP2: Bool { Libcurl.hasHTTP2 }
}
