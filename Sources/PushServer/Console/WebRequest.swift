internal import Base
internal import Push

/// An HTTP request as the console reads it.
struct WebRequest: Sendable {
    /// `GET`, `HEAD` or `POST`; others are refused.
    var method: String
    /// The components of the path, decoded; the first is `console`.
    var path: [String]
    /// The query parameters, decoded.
    var query: [String: String] = [:]
    /// The headers, by lower-case name.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// The client's address, as far as known; failed logins are counted by it.
    var remoteAddress: String
    /// True if the request came over TLS, here or at the proxy: the cookie is then limited to TLS.
    var isSecure: Bool

    /// The fields of a submitted form; empty when the body is not a form.
    var form: [String: String] {
        let type = headers["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
        guard type.lowercased() == "application/x-www-form-urlencoded",
            let text = String(validating: body, as: UTF8.self)
        else { return [:] }
        return RequestTarget("/?" + text)?.query ?? [:]
    }

    /// The browser's language if the console supports it, otherwise English.
    var language: Language { headers["accept-language"].flatMap(Language.init(acceptLanguage:)) ?? .english }

    static let zoneCookie = "bugle_zone"

    /// The time zone that the browser keeps; nil for UTC.
    var zone: ZoneClock? { cookie(Self.zoneCookie).flatMap(ZoneClock.init) }

    /// The path and the query, as in a link.
    var address: String {
        let fields = query.sorted { $0.key < $1.key }.map { $0.key.percentEncoded + "=" + $0.value.percentEncoded }
        return "/" + path.map(\.percentEncoded).joined(separator: "/")
            + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    /// The value of a cookie; the first of several with the same name.
    func cookie(_ name: String) -> String? {
        for pair in (headers["cookie"] ?? "").split(separator: ";") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2, sides[0].drop(while: { $0 == " " }) == name { return String(sides[1]) }
        }
        return nil
    }

    /// True if the request comes from a page of this console, as far as the browser tells.
    ///
    /// `Sec-Fetch-Site` is set by the browser itself, and holds behind a proxy that changes `Host`; without it `Origin`
    /// must name this host. Programs other than browsers send neither.
    /// Sources: W3C Fetch Metadata; RFC 6454.
    var isFromThisSite: Bool {
        if let site = headers["sec-fetch-site"] { return site == "same-origin" || site == "none" }
        guard let origin = headers["origin"] else { return true }
        let host = headers["host"] ?? ""
        return !host.isEmpty && (origin == "http://" + host || origin == "https://" + host)
    }
}

struct WebResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case events(EventStream)
    }

    var status: Int
    /// The headers in sending order; the sender adds `Content-Length` and `Date`.
    var headers: [(name: String, value: String)]
    var body: Body

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

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
