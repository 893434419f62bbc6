/// Carries out HTTP requests; a protocol so that callers can wrap, count or replace the client.
package protocol HTTPExchanging: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The answer; 3xx, 4xx and 5xx are answers too.
    /// - Throws: `TransportError` when there is no whole answer; its `sent` tells whether a retry is safe.
    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

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

    package var method: Method
    /// The address: `https`, or `http` to this machine; already percent-encoded.
    package var url: String
    /// The headers, sent in this order. `Content-Length` and `Transfer-Encoding` are set by the client.
    package var headers: [(String, String)]
    /// The body, if any.
    package var body: [UInt8]?
    /// The timeout of the exchange, from the call to the last byte of the answer, including the wait for a free
    /// connection; 30 s by default.
    package var timeout: Duration
    /// The rule for repeating it.
    package var repetition: Repetition
    /// The time after which it must not be written: checked when libcurl is about to write, so that a suspended process
    /// sends nothing late; nil by default, for no limit.
    package var notAfter: ContinuousClock.Instant?
    /// False when it must not be written any more: asked when libcurl is about to write, on its thread; nil by default, for
    /// always.
    package var isWanted: (@Sendable () -> Bool)?

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

/// One whole HTTP answer.
package struct HTTPResponse: Hashable, Sendable {
    /// The HTTP version of an answer.
    package enum Version: Hashable, Sendable {
        /// HTTP/1.0 or HTTP/1.1: one request at a time on a connection.
        case http1
        /// HTTP/2: many concurrent requests on a connection.
        case http2
        /// HTTP/3, which is never requested.
        case http3
    }

    /// The status, 200 to 599 (interim answers are not exposed).
    package var status: Int
    /// The headers, and any trailers.
    package var headers: HTTPHeaders
    /// The body, decompressed; at most 16 MiB.
    package var body: [UInt8]
    /// The HTTP version used.
    package var version: Version

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], version: Version = .http1) {
        self.status = status
        self.headers = headers
        self.body = body
        self.version = version
    }
}

/// The headers of an answer, in order of arrival; names are case-insensitive.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    package struct Field: Hashable, Sendable {
        /// The name, as received.
        package var name: String
        /// The value, without surrounding white space.
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All headers, in order.
    package var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The value of the first header with this name.
    package subscript(name: String) -> String? { all(name).first }

    /// The values of all headers with this name.
    package func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
