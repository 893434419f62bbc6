internal import Base
internal import Push

/// An HTTP request as the console reads it.
package struct WebRequest: Sendable {
    /// `GET`, `HEAD` or `POST`; others are refused.
    package var method: String
    /// The components of the path, decoded; the first is `console`.
    package var path: [String]
    /// The query parameters, decoded.
    package var query: [String: String]
    /// The headers, by lower-case name.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]
    /// The client's address, as far as known; failed logins are counted by it.
    package var remoteAddress: String
    /// True if the request came over TLS, here or at the proxy: the cookie is then limited to TLS.
    package var isSecure: Bool

    /// Creates a request.
    package init(
        method: String, path: [String], query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8] = [], remoteAddress: String, isSecure: Bool
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
    }

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

    /// The name of the cookie with the time zone.
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
