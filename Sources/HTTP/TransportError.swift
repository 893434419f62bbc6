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
        let advice =
            isPlain ? "the server speaks http there, not https: correct the scheme or the port" : code.advice
        return switch sent {
        case .nothing: "nothing was sent; \(advice)"
        case .possibly: "the server may have acted on it: check before sending it again; \(advice)"
        }
    }

    package var description: String { "\(summary) (\(help))" }
}
