internal import DeviceRegistry
internal import Base
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
            return APIResponse(status: error.status, body: error.body)
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
        case "push" where path.count == 1: return try await push(request)
        case "push" where path.count == 2 && path[1] == "devices": return try await pushToDevices(request)
        case "scheduledPushMessages" where path.count <= 2: return try await scheduled(request)
        case "tables" where path.count == 3 && path[1] == "Notifications": return try await record(request)
        case "notifications" where path.count <= 2: return try await notifications(request)
        case "date" where path.count == 1:
            try allow(request, .get)
            return APIResponse(body: ["__type": "Date", "iso": .string(request.now.isoText)])
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

    /// Runs a registry operation; internal errors are logged and not revealed.
    func ask<Value: Sendable>(
        _ work: () async throws(RegistryError) -> Value
    ) async throws(APIError) -> Value {
        do {
            return try await work()
        } catch {
            if error.isInternal { logger.error("\(error.description)") }
            throw APIError(error)
        }
    }
}
