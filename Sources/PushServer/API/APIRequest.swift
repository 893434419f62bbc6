internal import Base
internal import Push
internal import DeviceRegistry

/// One call of the REST API: a whole HTTP request, or an element of a batch.
struct APIRequest: Sendable {
    /// The HTTP methods of the API.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The HTTP method.
    var method: Method
    /// The path components after the version.
    var path: [String]
    /// The query parameters; the last of equal names wins.
    var query: [String: String]
    /// The bytes of the body.
    var body: [UInt8]
    /// The access rights of the caller.
    var access: Access
    /// The caller's address.
    var client: String
    /// The value of `X-LC-Prod`.
    var productionHeader: String?
    /// The scheme and host as the client knows them, for `Location`.
    var origin: String
    /// The time the request arrived.
    var now: Instant
    /// Tells whether the caller is still connected.
    var presence: ClientPresence?
    /// The calls of a batch that another backend may share.
    var batch: PassedBatch?

    /// Runs work that is cancelled once the caller has left.
    func serve<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        if let presence { await presence.serve(work) } else { await work() }
    }

    /// Parses the body as a JSON object.
    ///
    /// - Throws: ``APIError`` with code 107 if it is not one.
    func object() throws(APIError) -> JSONObject {
        guard let members = try? JSONValue(parsing: body, limits: ServerLimits.json).object else {
            throw APIError.malformed
        }
        return members
    }

    /// Parses a query parameter as JSON; `nil` when it is absent.
    ///
    /// - Throws: ``APIError`` with code 107 if it is not JSON, or 102 if it contains a NUL character.
    func json(_ name: String) throws(APIError) -> JSONValue? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard let value = try? JSONValue(parsing: text, limits: ServerLimits.json) else {
            throw APIError(400, 107, "'\(name)' is not JSON.")
        }
        try value.refuseNUL(name)
        return value
    }

    /// True if a query parameter is `true` or `1`.
    func flag(_ name: String) -> Bool {
        query[name] == "true" || query[name] == "1"
    }

    /// Refuses a caller without the master key.
    ///
    /// - Throws: ``APIError`` with code 403.
    func requireMaster(_ action: String) throws(APIError) {
        guard access == .master else { throw APIError(403, 403, "Forbidden to \(action) without the master key.") }
    }
}

/// The response to a call.
struct APIResponse: Sendable {
    /// The HTTP status.
    var status = 200
    /// The body; never empty.
    var body: JSONValue
    /// The `Location` header.
    var location: String?
    /// The seconds after which a refused call may be repeated, in `Retry-After`.
    var retryAfter: Int?
}

/// A refusal in LeanCloud's format.
struct APIError: Error, Hashable, Sendable {
    /// The HTTP status.
    let status: Int
    /// LeanCloud's error code.
    let code: Int
    /// The message for the caller.
    let message: String

    init(_ status: Int, _ code: Int, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// `{"code":…,"error":…}`.
    var body: JSONValue { ["code": .integer(Int64(code)), "error": .string(message)] }

    static let malformed = APIError(400, 107, "Malformed json object. A json dictionary is expected.")
    static let unauthorized = APIError(401, 401, "Unauthorized.")
    static let tooManyRequests = APIError(429, 429, "Too many requests.")
    static let payloadTooLarge = APIError(413, 413, "Payload Too Large.")
    static let notFound = APIError(404, 101, "Class or object doesn't exists.")
    static let noSuchPath = APIError(404, 404, "Not Found.")
    static let clientLeft = APIError(499, 499, "The client disconnected before this was begun.")
    static let methodNotAllowed = APIError(405, 405, "Method Not Allowed.")
    static let noRoom = APIError(503, 503, "The server's disk is full: nothing was stored. Try again later.")
    static let failed = APIError(500, 1, "Internal server error. No information available.")

    /// Translates a registry error to HTTP.
    init(_ error: RegistryError) {
        guard !error.isInternal else {
            self = error.isForLackOfRoom ? .noRoom : .failed
            return
        }
        let status =
            switch error.code {
            case .notFound: 404
            case .forbidden: 403
            case .timeout: 503
            case .other, .invalidQuery, .invalidClassName, .invalidKey, .invalidPointer, .incorrectType,
                .invalidChannel, .invalidDeviceToken, .objectTooLarge, .readOnlyKey, .valueTaken, .thresholdExceeded,
                .userNotFound, .invalidCQL, .invalidGeoPoint, .noEffect:
                400
            }
        self.init(status, error.code.rawValue, error.description)
    }
}

extension JSONValue {
    /// Refuses a value that contains a NUL character, at which SQLite's texts would end.
    ///
    /// - Throws: ``APIError`` with code 102.
    func refuseNUL(_ name: String) throws(APIError) {
        if holdsNUL { throw APIError(400, 102, "'\(name)' holds a NUL character.") }
    }
}
