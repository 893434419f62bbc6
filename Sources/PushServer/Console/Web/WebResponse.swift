/// The console's answer to a request.
package struct WebResponse: Sendable {
    /// What follows the headers.
    package enum Body: Sendable {
        /// All of it.
        case bytes([UInt8])
        /// Server-sent events, as they come.
        case events(EventStream)
    }

    /// The HTTP status.
    package var status: Int
    /// The headers, in the order in which they are sent; `Content-Length` and `Date` are added by who sends it.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: Body

    init(_ status: Int, type: String, caching: String = "no-store", body: Body) {
        self.status = status
        self.body = body
        headers = [("Content-Type", type), ("Cache-Control", caching)] + Self.guards
    }

    /// What every answer tells the browser to refuse: other sites' content, framing, scripts in the page, guessing of
    /// types.
    ///
    /// The referrer goes to this site only. `no-referrer` would make browsers send `Origin: null` with forms.
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

    /// A page.
    static func page(_ html: String, status: Int = 200) -> WebResponse {
        WebResponse(status, type: "text/html; charset=utf-8", body: .bytes(Array(html.utf8)))
    }

    /// A line of text, for what no page shows.
    static func text(_ status: Int, _ line: String) -> WebResponse {
        WebResponse(status, type: "text/plain; charset=utf-8", body: .bytes(Array((line + "\n").utf8)))
    }

    /// The way to another page, by `GET`.
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
