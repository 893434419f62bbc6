internal import JSONValue

/// A request that a browser sends without asking first: `POST` with `text/plain`, everything else in the body.
///
/// Source: leancloud.md section 1.1 ("CORS escape").
struct EscapedRequest: Sendable {
    /// What the body shows to prove a right.
    let shown: ShownCredentials
    /// The verb that is meant.
    let method: String
    /// The members that are no part of the escape.
    let members: [String: JSONValue]

    /// The member that names each credential; the key's may hold the master key with `,master`, as the header's may.
    private static let names: Set<String> = [
        "_ApplicationId", "_ApplicationKey", "_MasterKey", "_method", "_SessionToken", "_ApplicationProduction",
    ]

    /// Whether a request may be such a one.
    static func isMeant(method: String, contentType: String?) -> Bool {
        method == "POST" && (contentType ?? "").lowercased().hasPrefix("text/plain")
    }

    /// Reads the body; nil when it is no JSON object.
    init?(_ body: [UInt8]) {
        guard let object = (try? JSONValue(parsing: body))?.object else { return nil }
        var shown = ShownCredentials { _ in nil }
        shown.id = object["_ApplicationId"]?.string
        shown.key = object["_ApplicationKey"]?.string
        shown.masterKey = object["_MasterKey"]?.string
        self.shown = shown
        method = object["_method"]?.string?.uppercased() ?? "POST"
        members = object.filter { !Self.names.contains($0.key) }
    }

    /// The members as query parameters, for a verb that has no body.
    var query: [String: String] {
        members.mapValues { $0.string ?? $0.canonicalText }
    }
}
