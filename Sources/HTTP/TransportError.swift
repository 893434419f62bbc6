/// The reason there is no whole answer, and whether the server may have acted on the request.
///
/// It names host and path, but never a header, a query or a body.
package struct TransportError: Error, Hashable, Sendable {
    /// The progress of a failed request.
    package enum Sent: Hashable, Sendable {
        /// No byte of the request was handed to a connection: a retry is safe.
        case nothing
        /// The server may have received the request and acted on it.
        case possibly
    }

    /// The kind of error.
    package var code: Code
    /// The request's progress: whether the server may have received it.
    package var sent: Sent
    /// The method, host, port and path of the request, such as `POST https://push.example.com/1.1/push`.
    package var request: String
    /// The cause, in libcurl's words or ours, printable ASCII only.
    package var detail: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - sent: The request's progress.
    ///   - request: The method, and the address without its query.
    ///   - detail: The cause; characters other than printable ASCII become `?`.
    package init(_ code: Code, sent: Sent, request: String, detail: String) {
        self.code = code
        self.sent = sent
        self.request = Self.printable(request)
        self.detail = Self.printable(detail)
    }

    /// The text with everything but printable ASCII replaced, so that a server's words cannot control a terminal.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}

extension TransportError: CustomStringConvertible {
    /// The error and the request, in one sentence without a full stop.
    package var summary: String {
        detail.isEmpty ? "\(request): \(code)" : "\(request): \(code): \(detail)"
    }

    /// Advice on what to do about it.
    package var help: String {
        // OpenSSL's words for an answer that is not TLS.
        let isPlain = code == .tls && detail.contains("wrong version number")
        let advice = isPlain ? "the server speaks http there, not https: correct the scheme or the port" : code.advice
        return switch sent {
        case .nothing: "nothing was sent; \(advice)"
        case .possibly: "the server may have acted on it: check before sending it again; \(advice)"
        }
    }

    package var description: String { "\(summary) (\(help))" }

    /// True when a retry could succeed.
    package var isTransient: Bool {
        code != .refusedURL && code != .refusedHeader && code != .responseTooLarge && code != .cancelled
    }
}

// MARK: - Code

extension TransportError {
    /// The kinds of transport errors.
    package enum Code: Hashable, Sendable, CustomStringConvertible {
        /// The host's or the proxy's name has no address.
        case couldNotResolve
        case couldNotConnect
        /// The server's certificate is not trusted, or there is no common cipher.
        case tls
        case timedOut
        /// The connection ended before the answer was complete.
        case connectionLost
        /// The address is not one that requests are allowed to go to.
        case refusedURL
        /// A header cannot be sent unchanged.
        case refusedHeader
        /// The decompressed answer is over 16 MiB.
        case responseTooLarge
        /// The connection ended before the answer, and the request must be sent only once, so it was not repeated.
        case rewindRefused
        /// The time after which the request must not be written had passed.
        case tooLate
        /// The task was cancelled, or the client closed.
        case cancelled
        /// The server's answer is not HTTP.
        case protocolError
        /// HTTP/2 is required, but the server does not speak it, or libcurl was built without it.
        case noHTTP2
        /// libcurl failed on this machine.
        case internalFailure

        package var description: String {
            switch self {
            case .couldNotResolve: "the host name could not be resolved"
            case .couldNotConnect: "no connection"
            case .tls: "no secure connection"
            case .timedOut: "timed out"
            case .connectionLost: "the connection ended before the whole answer"
            case .refusedURL: "the address is not allowed"
            case .refusedHeader: "a header is not allowed"
            case .responseTooLarge: "the answer is over 16 MiB"
            case .rewindRefused: "the connection ended before the answer and the request was not repeated"
            case .tooLate: "it was too late to send it"
            case .cancelled: "cancelled"
            case .protocolError: "the answer is not valid HTTP"
            case .noHTTP2: "no HTTP/2"
            case .internalFailure: "libcurl failed"
            }
        }

        var advice: String {
            switch self {
            case .couldNotResolve: "check the host name and this machine's DNS"
            case .couldNotConnect: "check the address, the port and the network"
            case .tls: "check the server's certificate, or name the CA that signed it"
            case .timedOut: "try again later or allow more time"
            case .connectionLost, .rewindRefused: "check the network between here and the server"
            case .refusedURL: "use https (http only to this machine), percent-encoded, without user or password"
            case .refusedHeader: "remove characters that a header must not contain"
            case .responseTooLarge: "ask for less at a time"
            case .tooLate, .cancelled: "run it again"
            case .protocolError: "check that the address is that of the service"
            case .noHTTP2: "check the address, any proxy on the way that ends TLS, and the installed libcurl"
            case .internalFailure: "check memory, open files and the installed libcurl"
            }
        }
    }
}
