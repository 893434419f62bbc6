/// One HTTP request.
package struct HTTPRequest: Sendable {
    /// The HTTP methods in use.
    package enum Method: String, Hashable, Sendable, CaseIterable {
        /// Reads; never has a body here.
        case get = "GET"
        /// Creates or starts something; always has a body, possibly empty.
        case post = "POST"
        /// Replaces or updates; always has a body, possibly empty.
        case put = "PUT"
        /// Removes.
        case delete = "DELETE"
    }

    /// The rule for libcurl's own retries when a kept connection turns out to be dead.
    ///
    /// Source: docs/background/libcurl.md#repeating.
    package enum Repetition: Hashable, Sendable {
        /// Sending the request twice does no harm.
        case repeatable
        /// The request reaches the server at most once; if that cannot be known, the outcome is an error that says so.
        case once
    }

    /// The method.
    package var method: Method
    /// The address: `https`, or `http` to this machine; already percent-encoded.
    package var url: String
    /// The headers, sent in this order. `Content-Length` and `Transfer-Encoding` are set by the client.
    package var headers: [(String, String)]
    /// The body, if any.
    package var body: [UInt8]?
    /// The timeout of the exchange, from the call to the last byte of the answer, including the wait for a free
    /// connection;
    /// 30 s by default.
    package var timeout: Duration
    /// The rule for repeating it.
    package var repetition: Repetition
    /// The time after which it must not be written: checked when libcurl is about to write, so that a suspended process
    /// sends nothing late; nil by default, for no limit.
    package var notAfter: ContinuousClock.Instant?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The address.
    ///   - headers: Names and values; none by default.
    ///   - body: The body; none by default.
    ///   - timeout: The timeout of the exchange; 30 s by default.
    ///   - repetition: By default a GET is repeatable and everything else is sent once.
    package init(
        _ method: Method, _ url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(30), repetition: Repetition? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.repetition = repetition ?? (method == .get ? .repeatable : .once)
    }
}

extension HTTPRequest {
    /// True for an address that requests may go to and that is this machine's own.
    package static func staysOnThisMachine(_ url: String) -> Bool {
        (try? RequestTarget(url, plainToLoopback: true))?.isLoopback ?? false
    }
}
