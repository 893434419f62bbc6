/// One HTTP request.
package struct HTTPRequest: Sendable {
    /// The methods in use.
    package enum Method: String, Hashable, Sendable, CaseIterable {
        /// Reads; has no body here.
        case get = "GET"
        /// Creates, or starts something; always has a body, if an empty one.
        case post = "POST"
        /// Replaces or updates; always has a body, if an empty one.
        case put = "PUT"
        /// Removes.
        case delete = "DELETE"
    }

    /// Whether libcurl may send a request again by itself when a kept connection turns out to be dead.
    ///
    /// Source: <doc:Libcurl#Repeating>.
    package enum Repetition: Hashable, Sendable {
        /// Sending it twice does no harm.
        case repeatable
        /// It reaches the server at most once; when that cannot be known, the outcome is an error that says so.
        case once
    }

    /// The method.
    package var method: Method
    /// The address: `https`, or `http` to this machine; already percent-encoded.
    package var url: String
    /// Names and values, sent in this order. `Content-Length` and `Transfer-Encoding` are the client's own.
    package var headers: [(String, String)]
    /// The body, if any.
    package var body: [UInt8]?
    /// How long the exchange may take, from the call to the last byte of the answer, the wait for a free connection
    /// included; 30 s by default.
    package var timeout: Duration
    /// Whether it may be sent twice.
    package var repetition: Repetition
    /// When it is too late to write it: looked at when libcurl is about to, so that a process that stood still sends
    /// nothing late; nil by default, which is never.
    package var notAfter: ContinuousClock.Instant?

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The address.
    ///   - headers: Names and values; none by default.
    ///   - body: The body; none by default.
    ///   - timeout: The longest the exchange may take; 30 s by default.
    ///   - repetition: By default a GET is repeatable and everything else goes out once.
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
