internal import Base
internal import DeviceRegistry
internal import Logging
internal import Push

/// LeanCloud's REST API over a registry.
///
/// Source: docs/background/leancloud/README.md#section-numbers.
struct API: Sendable {
    let registry: Registry
    let configuration: PushServerConfiguration
    let clock: ServerClock
    let pushes: PushDispatcher
    let pauses = ChangePauses()
    let intake: EventIntake
    let faults: FaultList
    let logger: Logger
    /// The backend for requests that are not push; nil where this server handles all.
    var upstream: Upstream?

    /// Handles a call; a refusal is a response too.
    func respond(_ request: APIRequest) async -> APIResponse {
        do throws(APIError) {
            return try await route(request)
        } catch {
            return APIResponse(error)
        }
    }

    private func route(_ request: APIRequest) async throws(APIError) -> APIResponse {
        let path = request.path
        // SQLite's texts end at a NUL: a longer name would be taken for a shorter one.
        guard !path.contains(where: { $0.utf8.contains(0) }) else { throw APIError.noSuchPath }
        switch path.first {
        case "classes" where path.count == 2 || path.count == 3:
            return try await objects(request, in: path[1], path.count == 3 ? path[2] : nil)
        case "installations" where path.count <= 2:
            return try await objects(request, in: ClassName.installation.name, path.count == 2 ? path[1] : nil)
        case "users" where path.count <= 2:
            return try await objects(request, in: ClassName.user.name, path.count == 2 ? path[1] : nil)
        case "scan" where path.count == 3 && path[1] == "classes": return try await scan(request, in: path[2])
        case "batch" where path.count == 1: return try await batch(request)
        case "batch" where path.count == 2 && path[1] == "save": return try await saveBatch(request)
        case "push" where path.count == 1: return try await push(request, toDevices: false)
        case "push" where path.count == 2 && path[1] == "devices": return try await push(request, toDevices: true)
        case "scheduledPushMessages" where path.count <= 2: return try await scheduled(request)
        case "tables" where path.count == 3 && path[1] == "Notifications": return try await record(request)
        case "notifications" where path.count <= 2: return try await notifications(request)
        case "date" where path.count == 1:
            try allow(request, .get)
            return APIResponse(body: request.now.typed)
        case "cloudQuery" where path.count == 1: return try await cloudQuery(request)
        // SDK usage statistics are discarded: push does not need them, and an SDK would resend them after a refusal.
        case "stats", "statistics", "always_collect": return APIResponse(body: [:])
        case "bugle" where path.count == 2 && path[1] == "events": return try await events(request)
        case "bugle": return try await simulation(request)
        default: throw APIError.noSuchPath
        }
    }

    /// Refuses methods that a path does not support.
    func allow(_ request: APIRequest, _ methods: APIRequest.Method...) throws(APIError) {
        guard methods.contains(request.method) else { throw APIError.methodNotAllowed }
    }

    /// The answer of a registry operation; internal errors are logged and not revealed.
    func ask<Value: Sendable>(
        _ answer: @autoclosure () async throws(RegistryError) -> Value
    ) async throws(APIError) -> Value {
        do throws(RegistryError) {
            return try await answer()
        } catch {
            throw refusal(error)
        }
    }

    /// The refusal for an error of the registry, which is logged if it is internal.
    func refusal(_ error: RegistryError) -> APIError {
        if error.isInternal { logger.error("\(error.description)") }
        return APIError(error)
    }
}

/// One call of the REST API: a whole HTTP request, or an element of a batch.
struct APIRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method
    /// The path components after the version.
    var path: [String]
    /// The query parameters; the last of equal names wins.
    var query: [String: String]
    var body: [UInt8]
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

struct APIResponse: Sendable {
    var status = 200
    /// The body; never empty.
    var body: JSONValue
    /// The `Location` header.
    var location: String?
    /// The seconds after which a refused call may be repeated, in `Retry-After`.
    var retryAfter: Int?
}

extension APIResponse {
    /// The response that says a refusal.
    init(_ error: APIError) { self.init(status: error.status, body: error.body) }
}

/// A refusal in LeanCloud's format.
struct APIError: Error, Hashable, Sendable {
    let status: Int
    /// LeanCloud's error code.
    let code: Int
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

    init(_ error: RegistryError) {
        guard !error.isInternal else {
            self = error.isForLackOfRoom ? .noRoom : error.code == .timeout ? APIError(RegistryError.late) : .failed
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

    /// A value that is read by the registry's rules; what breaks them is refused in the registry's words.
    static func checking<Value>(_ value: @autoclosure () throws(RegistryError) -> Value) throws(APIError) -> Value {
        do throws(RegistryError) {
            return try value()
        } catch {
            throw APIError(error)
        }
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
