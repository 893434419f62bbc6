/// Why there is no whole answer, and whether the server may have acted on the request.
///
/// It names host and path, never a header, a query or a body.
package struct TransportError: Error, Hashable, Sendable {
    /// How far the request got.
    package enum Sent: Hashable, Sendable {
        /// No byte of it was handed to a connection: repeating it is safe.
        case nothing
        /// The server may have received it and acted on it.
        case possibly
    }

    /// What went wrong.
    package var code: Code
    /// Whether the server may have received the request.
    package var sent: Sent
    /// The method, host, port and path asked for, such as `POST https://push.example.com/1.1/push`.
    package var request: String
    /// The cause in libcurl's words or ours, printable ASCII only.
    package var detail: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - sent: Whether the server may have received the request.
    ///   - request: Method and address without query.
    ///   - detail: The cause; whatever is not printable ASCII is replaced by `?`.
    package init(_ code: Code, sent: Sent, request: String, detail: String) {
        self.code = code
        self.sent = sent
        self.request = Self.printable(request)
        self.detail = Self.printable(detail)
    }

    /// The text with everything but printable ASCII replaced, so that what a server says cannot steer a terminal.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}

extension TransportError: CustomStringConvertible {
    /// What happened and where, in one sentence without a final stop.
    package var summary: String {
        detail.isEmpty ? "\(request): \(code)" : "\(request): \(code): \(detail)"
    }

    /// What to do about it.
    package var help: String {
        // OpenSSL's words for an answer that is not TLS.
        let isPlain = code == .tls && detail.contains("wrong version number")
        let advice =
            isPlain ? "the server speaks http there, not https: correct the scheme or the port" : code.advice
        return switch sent {
        case .nothing: "nothing was sent; \(advice)"
        case .possibly: "the server may have acted on it: look before sending it again; \(advice)"
        }
    }

    package var description: String { "\(summary) (\(help))" }
}
