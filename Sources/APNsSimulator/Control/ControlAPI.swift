internal import Base

/// A request to the control port.
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

/// A response of the control port.
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
        POST   /faults                      {"effect":…,"rate":0.01,"seed":1,"limit":5}; effects: refuse and \
        refuseAtHead (with "status","reason"), refuseStream, reset, disconnect and stall (with "processed":true|false), \
        goAway (with "reason"), goAwayProcessed, delay (with "milliseconds")
        DELETE /faults, /faults/ID          ends them
        POST   /streams                     {"max":N}: MAX_CONCURRENT_STREAMS from now on
        POST   /goaway                      {"reason":…}: GOAWAY on every connection
        POST   /disconnect                  resets every connection
        POST   /clock                       {"advance":SECONDS}
        GET    /apps/BUNDLE/channels        the broadcast channels
        """

    /// Answers one request.
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
        default: throw ControlError("no such path: see apns-simulator --help", status: 404)
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
        default: throw ControlError("no such path: see apns-simulator --help", status: 404)
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
        default: throw ControlError("no such path: see apns-simulator --help", status: 404)
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
