internal import JSONValue

/// A request that a browser sends without asking first: `POST` with `text/plain`, everything else in the body.
///
/// Source: <doc:/PushModel/LeanCloudTransport#Requests-without-headers>.
struct EscapedRequest: Sendable {
    /// The verb that is meant.
    let method: String
    /// The members that are no part of the escape.
    let members: JSONObject
    /// What `X-LC-Prod` would say.
    let production: String?

    /// The member that names each credential; the key's may hold the master key with `,master`, as the header's may.
    private static let credentials: Set<String> = ["_ApplicationId", "_ApplicationKey", "_MasterKey"]
    private static let names = credentials.union([
        "_method", "_SessionToken", "_ApplicationProduction", "_ClientVersion", "_InstallationId",
    ])

    /// Whether a request may be such a one.
    static func isMeant(method: String, contentType: String?) -> Bool {
        method == "POST" && (contentType ?? "").lowercased().hasPrefix("text/plain")
    }

    /// What a body shows to prove a right, in its first ``ServerLimits/credentialsLimit`` bytes.
    static func shown(in body: [UInt8]) -> ShownCredentials {
        let texts = JSONOutline.texts(under: credentials, inFirst: ServerLimits.credentialsLimit, of: body)
        var shown = ShownCredentials { _ in nil }
        shown.id = texts["_ApplicationId"]
        shown.key = texts["_ApplicationKey"]
        shown.masterKey = texts["_MasterKey"]
        return shown
    }

    /// Reads a body whose sender is known; nil when it is no JSON object.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONValue(parsing: body, limits: ServerLimits.json).object else { return nil }
        method = object["_method"]?.string?.uppercased() ?? "POST"
        production = object["_ApplicationProduction"].map { $0.string ?? $0.canonicalText }
        members = object.filter { !Self.names.contains($0.key) }
    }

    /// The members as query parameters, for a verb that has no body.
    var query: [String: String] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? $0.value.canonicalText) })
    }
}
