internal import Base
internal import NIOCore
internal import NIOHPACK

/// The state shared by all connections of a simulator.
struct Service: Sendable {
    let configuration: SimulatorConfiguration
    let clock: SimulatorClock
    let statistics = Watched(SimulatorStatistics())
    let credentials: CredentialBook
    let devices: DeviceBook
    let channels: ChannelBook
    let firebase = FirebaseBook()
    let vendors = VendorBook()
    let faults = FaultBook()
    let gate = Watched(Gate.open)
    /// The number of streams allowed on an authenticated connection.
    let streamLimit: Watched<Int>

    init(_ configuration: SimulatorConfiguration) {
        self.configuration = configuration
        clock = configuration.clock
        credentials = CredentialBook(statistics: statistics)
        devices = DeviceBook(configuration)
        channels = ChannelBook(configuration)
        streamLimit = Watched(configuration.maxConcurrentStreams)
    }
}

struct Request {
    let head: RequestHead
    let route: Route
    /// The body; only the first part of one that is too long.
    let body: ByteBuffer
    let bodyCount: Int
}

extension Service {
    /// Carries out a request and returns the response; `permission` is the result of authentication.
    func answer(_ request: Request, _ permission: Result<ConnectionAuthentication.Permission, Refusal>) -> Answer {
        switch request.route {
        case .device(let token): return push(request, token, permission)
        case .broadcast(let bundle): return broadcast(request, bundle, permission)
        case .channels(let bundle): return manageChannels(request, bundle, permission)
        case .allChannels(let bundle): return listChannels(request, bundle, permission)
        case .accessToken: return accessToken(request)
        case .fcm(let project): return fcm(request, project)
        case .vendor(let path): return vendor(request, path)
        case .none: return Answer(Refusal(.badPath), headers: [("apns-id", Self.id(of: request.head))])
        }
    }

    /// The `apns-id` of the response: the request's if it is a valid UUID, otherwise a new one.
    static func id(of head: RequestHead) -> String {
        if let id = head.id, APNsUUID.isValid(id) { id } else { APNsUUID.make() }
    }
}

/// The point at which messages are held, so that a test can act while they are in flight.
enum Gate: Sendable {
    case open
    /// Requests are held before they are processed.
    case beforeProcessing
    /// Responses are held after the request was processed.
    case afterProcessing
}

/// The header fields of a request that matter here; others are ignored (docs/background/apple/service.md#connections).
struct RequestHead {
    var method = ""
    var path = ""
    var authorization: String?
    var id: String?
    var requestID: String?
    var pushType: String?
    var topic: String?
    var expiration: String?
    var priority: String?
    var collapseID: String?
    var channelID: String?
    /// vivo's token.
    var authToken: String?
    /// Huawei's kind of a message for HarmonyOS, and Honor's time.
    var kind: String?
    var timestamp: String?
    /// True when one of the fields came twice.
    var hasDuplicates = false

    init(_ headers: HPACKHeaders) {
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case "authorization": Self.set(&authorization, value, &hasDuplicates)
            case "apns-id": Self.set(&id, value, &hasDuplicates)
            case "apns-request-id": Self.set(&requestID, value, &hasDuplicates)
            case "apns-push-type": Self.set(&pushType, value, &hasDuplicates)
            case "apns-topic": Self.set(&topic, value, &hasDuplicates)
            case "apns-expiration": Self.set(&expiration, value, &hasDuplicates)
            case "apns-priority": Self.set(&priority, value, &hasDuplicates)
            case "apns-collapse-id": Self.set(&collapseID, value, &hasDuplicates)
            case "authtoken": authToken = value
            case "push-type": kind = value
            case "timestamp": timestamp = value
            case "apns-channel-id": Self.set(&channelID, value, &hasDuplicates)
            default: break
            }
        }
    }

    private static func set(_ field: inout String?, _ value: String, _ hasDuplicates: inout Bool) {
        if field != nil { hasDuplicates = true }
        field = value
    }
}

/// The resource a path names.
enum Route: Equatable {
    /// `/3/device/<token>`; the token may be empty.
    case device(Substring)
    /// `/4/broadcasts/apps/<bundle>`.
    case broadcast(String)
    /// `/1/apps/<bundle>/channels`.
    case channels(String)
    /// `/1/apps/<bundle>/all-channels`.
    case allChannels(String)
    /// `/token`, where Google's accounts get access tokens.
    case accessToken
    /// `/v1/projects/<project>/messages:send`.
    case fcm(String)
    /// A path of another Android vendor's.
    case vendor(VendorPath)
    case none

    /// The most bytes of a request's body: a call to a vendor names a thousand devices.
    var bodyLimit: Int { if case .vendor = self { 4 << 20 } else { 16_384 } }

    /// The service that it belongs to: `apple` or a vendor's name.
    var service: String {
        switch self {
        case .device, .broadcast, .channels, .allChannels, .none: "apple"
        case .accessToken, .fcm: "fcm"
        case .vendor(let path): path.vendor
        }
    }

    /// True for the paths of Android's services, whose requests say who they are by themselves.
    var isAndroids: Bool {
        switch self {
        case .accessToken, .fcm, .vendor: true
        case .device, .broadcast, .channels, .allChannels, .none: false
        }
    }

    init(_ path: String) {
        if path.hasPrefix("/3/device/") {
            let token = path.dropFirst(10)
            self = token.utf8.contains(UInt8(ascii: "/")) ? .none : .device(token)
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch Array(parts) {
        case ["3", "device"]: self = .device("")
        case ["token"]: self = .accessToken
        case let parts where parts.count == 4 && parts[..<2] == ["v1", "projects"] && parts[3] == "messages:send":
            self = .fcm(String(parts[2]))
        case let parts where parts.count == 4 && parts[..<3] == ["4", "broadcasts", "apps"] && !parts[3].isEmpty:
            self = .broadcast(String(parts[3]))
        case let parts where parts.count == 4 && parts[..<2] == ["1", "apps"] && parts[3] == "channels":
            self = .channels(String(parts[2]))
        case let parts where parts.count == 4 && parts[..<2] == ["1", "apps"] && parts[3] == "all-channels":
            self = .allChannels(String(parts[2]))
        case let parts: self = VendorPath(parts).map(Route.vendor) ?? .none
        }
    }
}

struct Answer {
    let status: Int
    var reason: String?
    /// The header fields besides `:status`.
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []
    /// True when a notification reached an inbox or a channel.
    var isProcessed = false

    init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    init(
        _ json: JSONValue, status: Int = 200, headers: [(name: String, value: String)] = [],
        type: String = "application/json; charset=UTF-8", processed: Bool = false
    ) {
        self.init(status: status, headers: headers + [("content-type", type)])
        (body, isProcessed) = (json.canonicalBytes, processed)
    }

    /// Creates a refusal: the reason as JSON and, for 410, the time (docs/background/apple/requests.md#answer).
    init(_ refusal: Refusal, headers: [(name: String, value: String)]) {
        let (status, name) = (refusal.reason.status, refusal.reason.name)
        var json: JSONValue = ["reason": .string(name)]
        if status == 410, let timestamp = refusal.timestamp { json["timestamp"] = .integer(timestamp) }
        self.init(json, status: status, headers: headers, type: "application/json")
        reason = name
    }
}

// MARK: - Push

extension Service {
    /// `POST /3/device/<token>` (docs/background/apple/requests.md#request,
    /// docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload,
    /// docs/background/apple/reasons.md#reasons).
    func push(
        _ request: Request, _ token: Substring, _ permission: Result<ConnectionAuthentication.Permission, Refusal>
    ) -> Answer {
        let id = Self.id(of: request.head)
        do throws(Refusal) {
            guard request.head.method == "POST" else { throw Refusal(.methodNotAllowed) }
            guard !token.isEmpty else { throw Refusal(.missingDeviceToken) }
            guard !request.head.hasDuplicates else { throw Refusal(.duplicateHeaders) }
            let push = try PushHeaders(request.head, try permission.get())
            try Self.checkPayload(request, limit: push.kind.payloadLimit)
            guard let device = DeviceToken(token) else { throw Refusal(.badDeviceToken) }
            try devices.check(device, topic: push.topic)
            devices.deliver(
                device, topic: push.topic,
                push.received(id: id, Array(request.body.readableBytesView), at: clock.now))
        } catch {
            return Answer(error, headers: [("apns-id", id)])
        }
        var answer = Answer(status: 200, headers: [("apns-id", id)])
        if configuration.environment == .development { answer.headers.append(("apns-unique-id", APNsUUID.make())) }
        answer.isProcessed = true
        return answer
    }

    /// Checks that the body is not empty, not too long and one JSON object.
    ///
    /// Apple does not document its response to a payload that is not JSON; here it is the one to an empty payload.
    private static func checkPayload(_ request: Request, limit: Int) throws(Refusal) {
        guard request.bodyCount > 0 else { throw Refusal(.payloadEmpty) }
        guard request.bodyCount <= limit else { throw Refusal(.payloadTooLarge) }
        guard request.body.isJSONObject else { throw Refusal(.payloadEmpty) }
    }
}

extension ByteBuffer {
    var isJSONObject: Bool {
        withUnsafeReadableBytes { raw in raw.withMemoryRebound(to: UInt8.self) { JSONCheck.isObject($0) } }
    }
}

struct PushHeaders {
    let kind: PushKind
    let topic: String
    private let pushType: String?
    private let priority: Int
    private let expiration: Int64?
    private let collapseID: String?

    init(_ head: RequestHead, _ permission: ConnectionAuthentication.Permission) throws(Refusal) {
        if let id = head.id, !APNsUUID.isValid(id) { throw Refusal(.badMessageId) }
        pushType = head.pushType
        kind = try Self.kind(head.pushType)
        topic = try Self.topic(head.topic, kind, permission)
        priority = try Self.priority(head.priority)
        // "Specifying the priority 10 is an error" (docs/background/apple/payloads.md#push-types), and an absent header
        // means 10.
        if kind == .background, priority == 10 { throw Refusal(.badPriority) }
        expiration = try Self.expiration(head.expiration)
        collapseID = head.collapseID
        if let collapseID, collapseID.utf8.count > 64 { throw Refusal(.badCollapseId) }
    }

    /// The notification as the device receives it.
    func received(id: String, _ payload: @autoclosure () -> [UInt8], at time: Int64) -> ReceivedPush {
        ReceivedPush(
            id: id, topic: topic, pushType: pushType, priority: priority, expiration: expiration,
            collapseID: collapseID, payload: payload(), receivedAt: time)
    }

    /// The priority: 10, 5 or 1; 10 when the header is absent.
    static func priority(_ text: String?) throws(Refusal) -> Int {
        switch text {
        case nil, "10": 10
        case "5": 5
        case "1": 1
        case .some: throw Refusal(.badPriority)
        }
    }

    /// The expiration in seconds of UNIX time, not negative; nil when the header is absent.
    static func expiration(_ text: String?) throws(Refusal) -> Int64? {
        guard let text else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else { throw Refusal(.badExpirationDate) }
        return seconds
    }

    private static func kind(_ text: String?) throws(Refusal) -> PushKind {
        guard let text else { return .alert }
        guard let kind = PushKind(rawValue: text) else { throw Refusal(.invalidPushType) }
        return kind
    }

    private static func topic(
        _ text: String?, _ kind: PushKind, _ permission: ConnectionAuthentication.Permission
    ) throws(Refusal) -> String {
        guard let topic = text ?? permission.certificate?.onlyTopic else { throw Refusal(.missingTopic) }
        guard !topic.isEmpty, kind.allows(topic: topic) else { throw Refusal(.badTopic) }
        guard permission.allows(topic: topic) else { throw Refusal(.topicDisallowed) }
        return topic
    }
}

/// The push types of docs/background/apple/payloads.md#push-types.
enum PushKind: String, CaseIterable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// The suffix after the bundle id in a topic.
    var suffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The largest payload, in bytes.
    var payloadLimit: Int { self == .voip ? 5120 : 4096 }

    /// True if a topic can belong to this push type.
    func allows(topic: String) -> Bool {
        switch self {
        case .alert, .background: Self.bundle(of: topic) == topic
        case .mdm: topic.hasPrefix("com.apple.mgmt.")
        case .complication, .controls, .fileprovider, .liveactivity, .location, .pushtotalk, .voip, .widgets:
            topic.hasSuffix(suffix) && topic.utf8.count > suffix.utf8.count
        }
    }

    /// A topic without the suffix of a push type.
    static func bundle(of topic: String) -> String {
        for suffix in suffixes where topic.hasSuffix(suffix) { return String(topic.dropLast(suffix.utf8.count)) }
        return topic
    }

    private static let suffixes = allCases.map(\.suffix).filter { !$0.isEmpty }
}
