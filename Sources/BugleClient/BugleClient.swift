public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Registers this device with a push server, and reports what became of notifications.
///
/// What it is told is on disk before a method returns, and reaches the server with the next ``sync()``, in which the
/// methods try to send it at once. Whatever is repeated after a lost answer or a crash has no further effect.
public actor BugleClient {
    /// The events that wait, which extensions may add to.
    public nonisolated let events: EventQueue

    private let settings: ClientSettings
    private let file: DeviceStateFile
    private let transport: any ClientTransport
    private let now: @Sendable () -> Date
    private var state: DeviceState
    private var backoff = RetryPause()
    /// The changes that the server has refused since the app was started.
    private var refused = DeviceState.Changes()
    private var syncing: Task<SyncOutcome, Never>?

    /// The time after which an unchanged device tells the server that it is still there, which forgets it after 90 days.
    private static let renewal: TimeInterval = 86_400
    /// The time after which an event that the server never took is dropped: no delivery takes it any more.
    private static let eventLifetime: TimeInterval = 60 * 86_400
    /// The most events of a request.
    private static let mostEvents = 100

    /// Opens the client of an app.
    ///
    /// - Parameters:
    ///   - settings: where it registers, and as what.
    ///   - folder: where it keeps what it knows: one for this app, in an App Group's container if extensions report too.
    ///   - transport: what carries the requests.
    ///   - now: the clock.
    /// - Throws: the file system's error when there is something that cannot be read, as before the device is unlocked
    ///   for the first time after it was started.
    public init(
        _ settings: ClientSettings, folder: URL, transport: any ClientTransport = URLSessionTransport(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.settings = settings
        self.transport = transport
        self.now = now
        events = EventQueue(folder: folder)
        file = DeviceStateFile(folder: folder)
        state = try file.read()
    }

    /// The `objectId` of the device; nil until the server has answered.
    public var installation: String? { state.objectID }

    /// Registers the device under the token that `didRegisterForRemoteNotificationsWithDeviceToken` gives.
    ///
    /// Call it at each start: the token may have changed, and the server forgets devices that are not seen for 90 days.
    ///
    /// - Parameter token: the token's bytes.
    /// - Returns: what became of it.
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public func register(token: Data) async throws -> SyncOutcome {
        try await change { state in state.token = token.map { String(format: "%02x", $0) }.joined() }
    }

    /// Subscribes to channels.
    ///
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public func subscribe(_ channels: String...) async throws -> SyncOutcome {
        try await change { state in for channel in channels { state.changes.channels[channel] = true } }
    }

    /// Ends the subscription to channels.
    ///
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public func unsubscribe(_ channels: String...) async throws -> SyncOutcome {
        try await change { state in for channel in channels { state.changes.channels[channel] = false } }
    }

    /// Sets a field of the device, by which campaigns choose; nil removes it.
    ///
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public func set(_ field: String, to value: FieldValue?) async throws -> SyncOutcome {
        try await change { state in state.changes.fields.updateValue(value, forKey: field) }
    }

    /// Sets the badge that the server counts on from to 0; the app sets the one on its icon itself.
    ///
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public func resetBadge() async throws -> SyncOutcome { try await set("badge", to: 0) }

    /// Reports an event of a notification; does nothing for one that names no delivery.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - userInfo: the notification's payload.
    /// - Returns: what became of everything that waits.
    /// - Throws: the file system's error when it cannot be kept.
    @discardableResult
    public nonisolated func report(
        _ event: NotificationEvent, of userInfo: [AnyHashable: Any]
    ) async throws -> SyncOutcome {
        try events.add(event, of: userInfo, at: now())
        return await sync()
    }

    /// Sends everything that waits; call it when the app becomes active.
    ///
    /// After a failure the next attempts wait, longer each time up to an hour, and a call meanwhile sends nothing.
    ///
    /// - Returns: what became of it. Calls at the same time follow one another.
    @discardableResult
    public func sync() async -> SyncOutcome {
        // What was added while others were sent is sent after them.
        while let current = syncing { _ = await current.value }
        let task = Task {
            defer { syncing = nil }
            return await send()
        }
        syncing = task
        return await task.value
    }

    private func change(_ body: (inout DeviceState) -> Void) async throws -> SyncOutcome {
        var changed = state
        body(&changed)
        try file.write(changed)
        state = changed
        return await sync()
    }

    // MARK: Sending

    private func send() async -> SyncOutcome {
        if let times = backoff.times, times.contains(now()) { return .later(times.upperBound) }
        do {
            let refusal = try await sendDevice()
            try await sendEvents()
            if let refusal { throw refusal }
            backoff = RetryPause()
            return state.token == nil && !state.changes.isEmpty ? .waitsForToken : .done
        } catch let refusal as ServerRefusal {
            return .later(backoff.next(at: now(), atLeast: refusal.retryAfter), refusal.message)
        } catch {
            return .later(backoff.next(at: now(), atLeast: nil))
        }
    }

    /// The fields that say what the device is.
    private var identity: [String: String] {
        var fields = [
            "deviceType": settings.deviceType, "installationId": state.installationID,
            "timeZone": TimeZone.current.identifier,
        ]
        fields["deviceToken"] = state.token
        fields["apnsTopic"] = settings.topic
        fields["deviceProfile"] = settings.deviceProfile
        if let field = settings.languageField { fields[field] = Locale.preferredLanguages.first }
        return fields
    }

    /// Sends what the device is and what is to change; a change that the server refuses keeps back nothing else.
    ///
    /// - Returns: the first such refusal.
    private func sendDevice() async throws -> ServerRefusal? {
        guard state.token != nil else { return nil }
        var (refusal, isCareful) = (ServerRefusal?.none, false)
        while true {
            let (fields, wanted) = (identity, state.changes.next(besides: refused))
            // A time that is yet to come was told by a clock that was ahead.
            let isFresh = state.registeredAt.map { (0..<Self.renewal).contains(now().timeIntervalSince($0)) } ?? false
            let isKnown = isFresh && state.objectID != nil && fields == state.registered
            // After a refusal first what the device is, then one change at a time.
            let sent = !isCareful ? wanted : isKnown ? wanted.first : DeviceState.Changes()
            if sent.isEmpty, isKnown { return refusal }
            var body: [String: Any] = fields
            for (name, value) in sent.fields { body[name] = value?.json ?? ["__op": "Delete"] }
            if let isAdding = sent.channels.values.first {
                let names = sent.channels.keys.sorted()
                body["channels"] = ["__op": isAdding ? "AddUnique" : "Remove", "objects": names] as [String: Any]
            }
            let answer: [String: Any]
            do {
                answer = try await call("installations", body)
            } catch let error as ServerRefusal where error.isOfContent && !sent.isEmpty {
                if isCareful {
                    refused.add(sent)
                    refusal = refusal ?? error
                }
                isCareful = true
                continue
            }
            guard let id = answer["objectId"] as? String else { throw URLError(.cannotParseResponse) }
            state.objectID = id
            (state.registered, state.registeredAt) = (fields, now())
            state.changes.remove(sent)
            try file.write(state)
        }
    }

    private func sendEvents() async throws {
        var held: Set<WaitingEvent> = []
        while let installation = state.objectID {
            let waiting = Array(
                events.waiting(since: now().addingTimeInterval(-Self.eventLifetime)).filter { !held.contains($0) }
                    .prefix(Self.mostEvents))
            if waiting.isEmpty { return }
            let answer = try await call("bugle/events", ["events": waiting.map { $0.json(installation: installation) }])
            guard answer["accepted"] != nil else { throw URLError(.cannotParseResponse) }
            let later = Set((answer["later"] as? [Int] ?? []))
            held.formUnion(waiting.enumerated().filter { later.contains($0.offset) }.map(\.element))
            events.remove(waiting.filter { !held.contains($0) })
        }
    }

    /// Makes one call.
    private func call(_ path: String, _ body: [String: Any]) async throws -> [String: Any] {
        var request = URLRequest(url: settings.server.appendingPathComponent("1.1/" + path))
        request.httpMethod = "POST"
        request.httpBody = try JSONSerialization.data(withJSONObject: body, options: .sortedKeys)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(settings.appID, forHTTPHeaderField: "X-LC-Id")
        request.setValue(settings.appKey, forHTTPHeaderField: "X-LC-Key")
        let (data, status, retryAfter) = try await transport.send(request)
        let answer = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        guard (200..<300).contains(status), let answer else {
            throw ServerRefusal(
                message: "\(status): \(answer?["error"] as? String ?? "")", isOfContent: [400, 413].contains(status),
                retryAfter: retryAfter)
        }
        return answer
    }
}

/// Where an app registers its device, and as what.
public struct ClientSettings: Sendable {
    /// The server's address, without `/1.1`: `https://push.example.com`.
    public var server: URL
    /// The app's id, `X-LC-Id`.
    public var appID: String
    /// The app's key, `X-LC-Key`; never the master key, which an app must not contain.
    public var appKey: String
    /// The kind of device, `ios` by default.
    public var deviceType = "ios"
    /// The app's bundle id, to which pushes by token are addressed; nil: only the profile says it.
    public var topic: String?
    /// The profile of the environment that the build is signed for: name the one of `development` in a debug build.
    ///
    /// Nil, the default, stands for the default profile.
    public var deviceProfile: String?
    /// The field for the language, as `policy.languageField` of the workspace names it; nil: none is reported.
    public var languageField: String?

    /// Creates settings for an app.
    public init(server: URL, appID: String, appKey: String) {
        self.server = server
        self.appID = appID
        self.appKey = appKey
    }
}

/// What became of what waits.
public enum SyncOutcome: Hashable, Sendable {
    /// Everything was sent, except events of deliveries that are under way, which the next call reports again.
    case done
    /// Nothing of the device can be sent before it has a token.
    case waitsForToken
    /// The server could not be reached, or refused something: it is kept, and tried again with a call from this time on.
    ///
    /// The text is the server's refusal, for developers: a wrong key or field is not put right by waiting. Changes that
    /// are refused keep nothing else back; they are tried again when the app is started anew.
    case later(Date, String? = nil)
}

/// The pause after failures: 2 s, then twice as long each time, up to an hour.
struct RetryPause {
    private var failures = 0
    /// The times at which nothing is tried; nil: there are none. Before the first of them the clock was ahead.
    private(set) var times: Range<Date>?

    /// Notes a failure; returns the time of the next attempt.
    mutating func next(at now: Date, atLeast: TimeInterval?) -> Date {
        let pause = max(min(pow(2, Double(failures + 1)), 3600), min(atLeast ?? 0, 86_400))
        failures = min(failures + 1, 20)
        let time = now.addingTimeInterval(pause)
        times = now..<time
        return time
    }
}

/// An answer of the server that is no success.
struct ServerRefusal: Error {
    let message: String
    /// True if it is about what the request says, rather than who asks, and when.
    let isOfContent: Bool
    let retryAfter: TimeInterval?
}

/// Carries the client's requests; `URLSession` by default.
public protocol ClientTransport: Sendable {
    /// Sends a request and returns the answer.
    ///
    /// - Throws: any error when there is no answer.
    func send(_ request: URLRequest) async throws -> (body: Data, status: Int, retryAfter: TimeInterval?)
}

/// Sends requests with a `URLSession`.
public struct URLSessionTransport: ClientTransport {
    private let session: URLSession

    /// Creates a transport; each request waits so many seconds for its answer, 30 by default.
    public init(timeout: TimeInterval = 30) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration)
    }

    /// Sends a request, and waits for the whole answer.
    public func send(_ request: URLRequest) async throws -> (body: Data, status: Int, retryAfter: TimeInterval?) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response.statusCode, response.value(forHTTPHeaderField: "Retry-After").flatMap(TimeInterval.init))
    }
}
