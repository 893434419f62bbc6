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
        /// sends that
        /// many at once; on HTTP/1.1 the number of connections is the limit.
        package var maximumInFlight: Int
        /// The `User-Agent` header, `bugle` by default.
        package var userAgent: String
        /// True to allow `http` to 127.0.0.0/8, [::1] and localhost; true by default.
        package var allowsPlainHTTPToLoopback: Bool
        /// The certificate for servers that request one; none by default.
        package var clientCertificate: ClientCertificate?
        /// A `HOST:PORT` to connect to instead of the address's host, whose certificate is required all the same; nil
        /// by
        /// default.
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
