internal import Base

/// A response of the console.
package struct WebResponse: Sendable {
    /// The content after the headers.
    package enum Body: Sendable {
        /// A complete body.
        case bytes([UInt8])
        /// A stream of server-sent events.
        case events(EventStream)
    }

    /// The HTTP status.
    package var status: Int
    /// The headers in sending order; the sender adds `Content-Length` and `Date`.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: Body

    init(_ status: Int, type: String, caching: String = "no-store", body: Body) {
        self.status = status
        self.body = body
        headers = [("Content-Type", type), ("Cache-Control", caching)] + Self.guards
    }

    /// The headers that make the browser refuse content from other sites, framing, inline scripts and type sniffing.
    ///
    /// The referrer is sent to this site only. `no-referrer` would make browsers send `Origin: null` with forms.
    private static let guards = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Vary", "Cookie, Accept-Language"),
    ]

    /// Creates an HTML page.
    static func page(_ html: String, status: Int = 200) -> WebResponse {
        WebResponse(status, type: "text/html; charset=utf-8", body: .bytes(Array(html.utf8)))
    }

    /// Creates a file for spreadsheets, which the browser saves under a name of our own.
    static func csv(_ file: CSVFile, named name: String) -> WebResponse {
        var response = WebResponse(
            200, type: "text/csv; charset=utf-8; header=present", body: .bytes(Array(file.text.utf8)))
        response.headers.append(("Content-Disposition", "attachment; filename=\"\(name).csv\""))
        return response
    }

    /// Creates a line of plain text, for responses that have no page.
    static func text(_ status: Int, _ line: String) -> WebResponse {
        WebResponse(status, type: "text/plain; charset=utf-8", body: .bytes(Array((line + "\n").utf8)))
    }

    /// Creates a redirect to another page, by `GET`.
    static func redirect(to target: String) -> WebResponse {
        var response = text(303, "See \(target)")
        response.headers.append(("Location", target))
        return response
    }

    /// The value of a header.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
