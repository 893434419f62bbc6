internal import Base

/// A request that a browser sends without a preflight: `POST` with `text/plain`, and everything else in the body.
///
/// Source: docs/background/leancloud/transport.md#requests-without-headers.
struct EscapedRequest: Sendable {
    /// The HTTP method meant.
    let method: String
    /// The members of the body that are not part of the envelope.
    let members: JSONObject
    /// The value for `X-LC-Prod`.
    let production: String?

    /// The members for credentials; the key's may hold the master key with `,master`, like the header.
    private static let credentials: Set<String> = ["_ApplicationId", "_ApplicationKey", "_MasterKey"]
    private static let names = credentials.union([
        "_method", "_SessionToken", "_ApplicationProduction", "_ClientVersion", "_InstallationId",
    ])

    /// True if a request may be of this kind.
    static func isMeant(method: String, contentType: String?) -> Bool {
        method == "POST" && (contentType ?? "").lowercased().hasPrefix("text/plain")
    }

    /// The credentials in the first and last ``ServerLimits/credentialsLimit`` bytes of a body: JavaScript's SDK writes
    /// them after the members of a request.
    static func shown(in body: [UInt8]) -> ShownCredentials {
        let count = ServerLimits.credentialsLimit
        let texts = JSONOutline.texts(under: credentials, inFirst: count, of: body)
            .merging(JSONOutline.texts(under: credentials, inLast: count, of: body)) { first, _ in first }
        var shown = ShownCredentials { _ in nil }
        shown.id = texts["_ApplicationId"]
        shown.key = texts["_ApplicationKey"]
        shown.masterKey = texts["_MasterKey"]
        return shown
    }

    /// Parses the body of an authenticated request; nil when it is not a JSON object.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONValue(parsing: body, limits: ServerLimits.json).object else { return nil }
        method = object["_method"]?.string?.uppercased() ?? "POST"
        production = object["_ApplicationProduction"].map { $0.string ?? $0.canonicalText }
        members = object.filter { !Self.names.contains($0.key) }
    }

    /// The members as query parameters, for a method without a body.
    var query: [String: String] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? $0.value.canonicalText) })
    }
}
