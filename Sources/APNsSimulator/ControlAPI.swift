internal import Base
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

struct ControlRequest: Sendable {
    let method: String
    let path: [String]
    let query: [String: String]
    let body: [UInt8]
    let isForeign: Bool

    init(method: String, target: String, body: [UInt8], isForeign: Bool) {
        self.method = method
        self.body = body
        self.isForeign = isForeign
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (parts.first ?? "").split(separator: "/").map(String.init)
        var query: [String: String] = [:]
        for pair in (parts.dropFirst().first ?? "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(sides[0])] = sides.count > 1 ? String(sides[1]) : ""
        }
        self.query = query
    }
}

struct ControlAnswer: Sendable {
    var status = 200
    var json: JSONValue = [:]
}

/// A request to the control port that cannot be carried out.
struct ControlError: Error {
    let status: Int
    let text: String

    init(_ text: String, status: Int = 400) {
        self.status = status
        self.text = text
    }
}

/// The routes of the control port; ``help`` lists them.
package struct ControlAPI: Sendable {
    let simulator: APNsSimulator

    /// The list of paths, for `--help`.
    package static let help = """
        GET    /stats                       what was seen and done so far
        GET    /inboxes?topic=&collapseId=  {"devices":N,"messages":M,"duplicates":D}
        DELETE /inboxes                     empties all of them
        GET    /devices/TOKEN/inbox         what a device received; its count where only counts are kept
        POST   /devices                     {"token":…,"topic":…,"environment":"development"} or {"devices":[…]}
        POST   /devices/TOKEN/unregister    410 Unregistered from now on; {"at":MILLISECONDS} for another time
        POST   /devices/TOKEN/expire        410 ExpiredToken
        DELETE /devices/TOKEN               makes it unknown
        POST   /accept-every-token          {"enabled":true}
        GET    /faults                      the faults in force, with how many pushes each has hit
        POST   /faults                      {"effect":…,"rate":0.01,"seed":1,"limit":5,"service":"fcm"}; effects: refuse and \
        refuseAtHead (with "status","reason"), refuseStream, reset, disconnect and stall (with "processed":true|false), \
        goAway (with "reason"), goAwayProcessed, delay (with "milliseconds")
        DELETE /faults, /faults/ID          ends them
        POST   /streams                     {"max":N}: MAX_CONCURRENT_STREAMS from now on
        POST   /goaway                      {"reason":…}: GOAWAY on every connection
        POST   /disconnect                  resets every connection
        POST   /clock                       {"advance":SECONDS}
        GET    /apps/BUNDLE/channels        the broadcast channels
        POST   /fcm/PROJECT/expire          ends its access tokens; /revoke: its account's key too
        POST   /vendors/expire              ends the tokens of Huawei, Honor, OPPO and vivo
        POST   /quotas                      {"service":"oppo","devices":N}: so many more devices today; also mi, vivo

            A registration token of FCM is written fcm:TOKEN, and its topic is the project; those of other vendors
            hms:, harmony:, honor:, mi:, oppo: and vivo:, and their topic is the vendor. Apple is apple.
        """

    func answer(_ request: ControlRequest) async -> ControlAnswer {
        do {
            guard !request.isForeign else {
                throw ControlError("only programs on this machine may use this port", status: 403)
            }
            return try await route(request)
        } catch let error as ControlError {
            return ControlAnswer(status: error.status, json: ["error": .string(error.text)])
        } catch {
            return ControlAnswer(status: 400, json: ["error": "a device token is an even number of hexadecimal digits"])
        }
    }

    private func route(_ request: ControlRequest) async throws -> ControlAnswer {
        let path = request.path
        switch (request.method, path.first ?? "", path.count) {
        case ("GET", "stats", 1): return ControlAnswer(json: simulator.statistics.json)
        case ("GET", "inboxes", 1):
            let summary = simulator.inboxSummary(topic: request.query["topic"], collapseID: request.query["collapseId"])
            return ControlAnswer(json: summary.json)
        case ("DELETE", "inboxes", 1): simulator.emptyInboxes()
        case ("POST", "devices", 1): return try register(try object(request))
        case (_, "devices", 2...3): return try device(request)
        case ("POST", "accept-every-token", 1):
            guard let isOn = try object(request)["enabled"]?.bool else {
                throw ControlError("enabled is true or false")
            }
            simulator.acceptEveryToken(isOn)
        case (_, "faults", 1...2): return try faults(request)
        case ("POST", "streams", 1):
            await simulator.limitStreams(to: try number(request, "max", 1...Int64(Int32.max)))
        case ("POST", "goaway", 1): await simulator.goAway(reason: try object(request)["reason"]?.string)
        case ("POST", "disconnect", 1): await simulator.disconnectAll()
        case ("POST", "clock", 1):
            await simulator.advance(bySeconds: Int64(try number(request, "advance", 0...1_000_000_000)))
        case ("GET", "apps", 3) where path[2] == "channels":
            return ControlAnswer(json: ["channels": .array(simulator.channels(of: path[1]).map(\.json))])
        case ("POST", "vendors", 2) where path[1] == "expire": simulator.service.vendors.expire()
        case ("POST", "quotas", 1):
            let service = try object(request)["service"]?.string ?? ""
            guard VendorPath.usedUp[service] != nil else {
                throw ControlError("service is \(VendorPath.usedUp.keys.sorted().joined(separator: ", "))")
            }
            simulator.service.vendors.allow(try number(request, "devices", 0...1_000_000_000), of: service)
        case ("POST", "fcm", 3) where ["expire", "revoke"].contains(path[2]):
            simulator.service.firebase.end(path[1], revoked: path[2] == "revoke")
        default: throw ControlError("no such path: see push-simulator --help", status: 404)
        }
        return ControlAnswer()
    }

    private func register(_ body: JSONValue) throws -> ControlAnswer {
        let devices = body["devices"]?.array ?? [body]
        for device in devices {
            guard let token = device["token"]?.string, let topic = device["topic"]?.string else {
                throw ControlError("a device has a token and a topic")
            }
            let name = device["environment"]?.string
            let environment = name.flatMap(SimulatedEnvironment.init)
            guard name == nil || environment != nil else {
                throw ControlError("environment is development or production")
            }
            try simulator.register(token: token, topic: topic, environment: environment)
        }
        return ControlAnswer(json: ["registered": .integer(Int64(devices.count))])
    }

    private func device(_ request: ControlRequest) throws -> ControlAnswer {
        let token = request.path[1]
        switch (request.method, request.path.dropFirst(2).first) {
        case ("GET", "inbox"):
            let inbox = simulator.inbox(of: token).map(\.json)
            let count = Int64(simulator.deliveries(to: token))
            return ControlAnswer(json: ["results": .array(inbox), "count": .integer(count)])
        case ("POST", "unregister"): try simulator.unregister(token: token, at: try object(request)["at"]?.integer)
        case ("POST", "expire"): try simulator.expire(token: token, at: try object(request)["at"]?.integer)
        case ("DELETE", nil): try simulator.forget(token: token)
        default: throw ControlError("no such path: see push-simulator --help", status: 404)
        }
        return ControlAnswer()
    }

    private func faults(_ request: ControlRequest) throws -> ControlAnswer {
        switch (request.method, request.path.dropFirst().first) {
        case ("GET", nil):
            let faults = simulator.service.faults.all.map { id, fault, hits in
                JSONValue.object([
                    "id": .integer(Int64(id)), "effect": .string("\(fault.effect)"), "rate": .number(fault.rate),
                    "hits": .integer(Int64(hits)),
                ])
            }
            return ControlAnswer(json: ["results": .array(faults)])
        case ("POST", nil):
            let id = simulator.add(try Fault(try object(request)))
            return ControlAnswer(status: 201, json: ["id": .integer(Int64(id))])
        case ("DELETE", nil): simulator.removeFaults()
        case ("DELETE", let id?):
            guard let id = Int(id) else { throw ControlError("a fault has a number") }
            simulator.removeFault(id)
        default: throw ControlError("no such path: see push-simulator --help", status: 404)
        }
        return ControlAnswer()
    }

    private func object(_ request: ControlRequest) throws(ControlError) -> JSONValue {
        if request.body.isEmpty { return [:] }
        guard let json = try? JSONValue(parsing: request.body), json.object != nil else {
            throw ControlError("the body is not a JSON object")
        }
        return json
    }

    private func number(_ request: ControlRequest, _ name: String, _ range: ClosedRange<Int64>) throws -> Int {
        guard let value = try object(request)[name]?.integer, range.contains(value) else {
            throw ControlError("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(value)
    }
}

extension Fault {
    /// Reads a fault from a request's JSON.
    init(_ json: JSONValue) throws(ControlError) {
        let effect = try Self.effect(json)
        let rate = json["rate"].map { $0.double ?? -1 } ?? 1
        guard (0...1).contains(rate) else { throw ControlError("rate is a number from 0 to 1") }
        let seed = json["seed"].map { $0.integer ?? -1 } ?? 1
        guard seed >= 0 else { throw ControlError("seed is a whole number from 0") }
        let limit = json["limit"].map { $0.integer ?? -1 }
        guard limit ?? 0 >= 0 else { throw ControlError("limit is a whole number from 0") }
        let service = json["service"]?.string
        guard json["service"] == nil || service.map({ Self.services.contains($0) }) == true else {
            throw ControlError("service is \(Self.services.joined(separator: ", "))")
        }
        self.init(effect, rate: rate, seed: UInt64(seed), limit: limit.map { Int($0) }, service: service)
    }

    private static let services = ["apple", "fcm"] + VendorPath.vendors

    private static func effect(_ json: JSONValue) throws(ControlError) -> Effect {
        switch json["effect"]?.string {
        case "refuse": return .refuse(try reason(json))
        case "refuseAtHead": return .refuseAtHead(try reason(json))
        case "refuseStream": return .refuseStream
        case "reset": return .reset(processed: try isProcessed(json))
        case "disconnect": return .disconnect(processed: try isProcessed(json))
        case "stall": return .stall(processed: try isProcessed(json))
        case "goAway": return .goAway(reason: json["reason"]?.string)
        case "goAwayProcessed": return .goAwayProcessed
        case "delay":
            guard let delay = json["milliseconds"]?.integer, (0...3_600_000).contains(delay) else {
                throw ControlError("milliseconds is a whole number from 0 to 3600000")
            }
            return .delay(milliseconds: delay)
        case .some, nil:
            throw ControlError(
                "effect is refuse, refuseAtHead, refuseStream, reset, disconnect, stall, goAway, goAwayProcessed or delay"
            )
        }
    }

    private static func reason(_ json: JSONValue) throws(ControlError) -> APNsReason {
        guard let name = json["reason"]?.string, !name.isEmpty else { throw ControlError("reason is missing") }
        let known = APNsReason.ofDevices.first { $0.name == name }?.status
        let status = json["status"].map { $0.integer ?? 0 } ?? known.map { Int64($0) } ?? 0
        guard (400...599).contains(status) else { throw ControlError("status is a number from 400 to 599") }
        return APNsReason(status: Int(status), name: name)
    }

    private static func isProcessed(_ json: JSONValue) throws(ControlError) -> Bool {
        guard let value = json["processed"]?.bool else { throw ControlError("processed is true or false") }
        return value
    }
}

extension InboxSummary {
    /// The summary in `bugle-server`'s format.
    var json: JSONValue {
        [
            "devices": .integer(Int64(devices)), "messages": .integer(Int64(messages)),
            "duplicates": .integer(Int64(duplicates)),
        ]
    }
}

extension SimulatorStatistics {
    var json: JSONValue {
        [
            "connections": .integer(Int64(connections)), "openConnections": .integer(Int64(openConnections)),
            "failedHandshakes": .integer(Int64(failedHandshakes)), "requests": .integer(Int64(requests)),
            "processed": .integer(Int64(processed)), "dryRuns": .integer(Int64(dryRuns)),
            "accepted": .integer(Int64(accepted)),
            "refused": .object(JSONObject(refused.mapValues { JSONValue.integer(Int64($0)) })),
            "refusedStreams": .integer(Int64(refusedStreams)), "unanswered": .integer(Int64(unanswered)),
            "mostStreams": .integer(Int64(mostStreams)), "providerTokens": .integer(Int64(providerTokens)),
            "pings": .integer(Int64(pings)),
        ]
    }
}

extension ReceivedPush {
    var json: JSONValue {
        var json: JSONValue = [
            "id": .string(id), "topic": .string(topic), "priority": .integer(Int64(priority)),
            "data": (try? JSONValue(parsing: payload)) ?? .null, "receivedAt": .integer(receivedAt),
            "collapsed": .bool(isCollapsed), "repeated": .bool(isRepeated),
        ]
        if let pushType { json["pushType"] = .string(pushType) }
        if let expiration { json["expiration"] = .integer(expiration) }
        if let collapseID { json["collapseId"] = .string(collapseID) }
        if let channelID { json["channelId"] = .string(channelID) }
        return json
    }
}

extension BroadcastChannel {
    var json: JSONValue {
        [
            "id": .string(id), "storagePolicy": .integer(storagePolicy),
            "received": .array(received.map(\.json)),
        ]
    }
}

/// A plain HTTP/1.1 server on the loopback interface, for programs that control a simulator: see ``ControlAPI``.
package final class ControlServer: Sendable {
    private let channel: any Channel
    private let children = ChannelList()

    /// The base URL of the server.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Starts a control server for a simulator on `port`; 0 for any free one.
    ///
    /// - Throws: the system's error when the address cannot be bound.
    package init(_ simulator: APNsSimulator, port: Int = 0) async throws {
        let api = ControlAPI(simulator: simulator)
        let children = children
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                children.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ControlHandler(api))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    /// Stops listening and closes every connection.
    package func stop() async {
        try? await channel.close()
        await children.closeAll()
    }
}

private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let bodyLimit = 64 << 20

    private let api: ControlAPI
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ api: ControlAPI) { self.api = api }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.bodyLimit else { return context.close(promise: nil) }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = ControlRequest(
            method: head.method.rawValue, target: head.uri, body: Array(body.readableBytesView),
            // Keeps out pages in a browser on this machine: they send an origin, or another host.
            isForeign: head.headers.contains(name: "origin") || !Self.isLoopback(head.headers["host"].first ?? ""))
        let (api, channel) = (api, context.channel)
        let answered = context.eventLoop.makeFutureWithTask { await api.answer(request) }
        answered.whenSuccess { answer in
            let body = ByteBuffer(string: answer.json.canonicalText + "\n")
            let fields: HTTPHeaders = ["content-type": "application/json", "content-length": "\(body.readableBytes)"]
            let status = HTTPResponseStatus(statusCode: answer.status)
            channel.write(
                HTTPServerResponsePart.head(.init(version: .http1_1, status: status, headers: fields)), promise: nil)
            channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.prefix { $0 != ":" }
        return name == "127.0.0.1" || name == "localhost"
    }
}
