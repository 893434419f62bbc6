internal import Base
internal import Crypto
internal import NIOCore

extension Answer {
    /// A vendor's refusal with a code; text with Huawei, a number with the others.
    fileprivate init(code: String, of vendor: String, _ text: String = "refused") {
        let number = JSONValue.integer(Int64(code) ?? -1)
        self.init(
            ["hms", "harmony"].contains(vendor)
                ? ["code": .string(code), "msg": .string(text)]
                : vendor == "vivo"
                    ? ["result": number, "desc": .string(text)]
                    : ["code": number, "message": .string(text), "reason": .string(text)])
        reason = code
    }

    /// A reason that a vendor is told to answer: a code of its own, or else a status without a word.
    init(_ fault: APNsReason, of vendor: String) {
        if fault.status < 500, vendor != "honor", Int64(fault.name) != nil {
            self.init(code: fault.name, of: vendor)
        } else {
            self.init([:], status: fault.status)
            reason = fault.name
        }
    }
}

extension Service {
    /// Answers a request to a vendor's service as its documents say.
    func vendor(_ request: Request, _ path: VendorPath) -> Answer {
        let bytes = Array(request.body.readableBytesView)
        let form = Self.form(bytes)
        let json = (try? JSONValue(parsing: bytes)) ?? [:]
        return switch path {
        case .huaweiToken: clientToken(form, id: SimulatedApp.id, refusal: ["error": 1101])
        case .honorToken: clientToken(form, id: SimulatedApp.key, refusal: ["error": "invalid_client"])
        case .oppoToken: oppoToken(form)
        case .vivoToken: vivoToken(json)
        case .huawei(let app): huawei(json, app, request.head)
        case .harmony(let project): harmony(json, project, request.head)
        case .honor(let app): honor(json, app, request.head)
        case .xiaomi: xiaomi(form, request.head)
        case .oppo: oppo(form)
        case .vivoOne, .vivoContent, .vivoMany: vivo(json, path, request.head)
        }
    }

    // MARK: Tokens

    private func clientToken(_ form: [String: String], id: String, refusal: JSONValue) -> Answer {
        guard form["grant_type"] == "client_credentials", form["client_id"] == id,
            form["client_secret"] == SimulatedApp.secret
        else { return Answer(refusal, status: 400) }
        return Answer([
            "access_token": .string(vendors.give(until: clock.seconds + 3600)), "expires_in": 3600,
            "token_type": "Bearer",
        ])
    }

    private func oppoToken(_ form: [String: String]) -> Answer {
        let time = form["timestamp"] ?? ""
        let signed = SimulatedApp.key + time + SimulatedApp.secret
        guard form["app_key"] == SimulatedApp.key, form["sign"] == SHA256.hash(data: Array(signed.utf8)).hexadecimal,
            isNow(Int64(time))
        else { return Answer(code: "16", of: "oppo", "Invalid sign") }
        return Answer(["code": 0, "data": ["auth_token": .string(vendors.give(until: clock.seconds + 86_400))]])
    }

    private func vivoToken(_ json: JSONValue) -> Answer {
        let time = json["timestamp"]?.integer
        let signed = SimulatedApp.id + SimulatedApp.key + "\(time ?? 0)" + SimulatedApp.secret
        guard json["sign"]?.string == Insecure.MD5.hash(data: Array(signed.utf8)).hexadecimal, isNow(time) else {
            return Answer(code: "10000", of: "vivo", "auth failed")
        }
        return Answer(["result": 0, "authToken": .string(vendors.give(until: clock.seconds + 86_400))])
    }

    // MARK: Messages

    private func huawei(_ json: JSONValue, _ app: String, _ head: RequestHead) -> Answer {
        guard app == SimulatedApp.id else { return Answer([:], status: 404) }
        guard isGood(head.bearer) else { return Answer(code: "80200003", of: "hms", "OAuth token expired") }
        let message = json["message"] ?? [:]
        guard let tokens = Self.devices(message["token"]),
            message["data"] ?? message["android"]?["notification"] != nil
        else { return Answer(code: "80100001", of: "hms", "parameter") }
        let isDryRun = json["validate_only"] == true
        if isDryRun { statistics.change { $0.dryRuns += 1 } }
        let dead = deliver(message, to: tokens, of: "hms", isDryRun: isDryRun)
        var answer = Self.huawei(dead, of: tokens, "hms", listed: ["illegal_tokens": .array(dead.map { .string($0) })])
        if isDryRun { answer.isProcessed = false }
        return answer
    }

    private func harmony(_ json: JSONValue, _ project: String, _ head: RequestHead) -> Answer {
        guard let account = vendors.project(project) else { return Answer([:], status: 404) }
        if let fault = account.fault(of: head.bearer ?? "", at: clock.seconds) {
            return Answer(code: fault, of: "harmony", "token")
        }
        let shown = json["payload"]?["notification"]
        guard let tokens = Self.devices(json["target"]?["token"]), head.kind == "0", shown?["title"]?.string != nil,
            shown?["body"]?.string != nil, shown?["category"]?.string != nil,
            shown?["clickAction"]?["actionType"]?.integer != nil,
            (1...1_296_000).contains(json["pushOptions"]?["ttl"]?.integer ?? 86_400)
        else { return Answer(code: "80100001", of: "harmony", "parameter") }
        let dead = deliver(json, to: tokens, of: "harmony")
        return Self.huawei(
            dead, of: tokens, "harmony",
            listed: ["illegalTokens": ["tokenFormatError": .array(dead.map { .string($0) })]])
    }

    private static func huawei(_ dead: [String], of tokens: [String], _ vendor: String, listed: JSONValue) -> Answer {
        if dead.isEmpty { return Answer(["code": "80000000", "msg": "Success"], processed: true) }
        var part = listed
        part["success"] = .integer(Int64(tokens.count - dead.count))
        part["failure"] = .integer(Int64(dead.count))
        if dead.count == tokens.count { return Answer(code: "80300007", of: vendor, part.canonicalText) }
        return Answer(["code": "80100000", "msg": .string(part.canonicalText)], processed: true)
    }

    private func honor(_ json: JSONValue, _ app: String, _ head: RequestHead) -> Answer {
        guard isGood(head.bearer) else { return Answer([:], status: 401) }
        let shown = json["android"]?["notification"]
        guard app == SimulatedApp.id, isNow(head.timestamp.flatMap(Int64.init)),
            let tokens = Self.devices(json["token"]),
            json["data"]?.string != nil || shown?["title"]?.string != nil && shown?["body"]?.string != nil
        else { return Answer([:], status: 400) }
        let dead = deliver(json, to: tokens, of: "honor")
        let isSent = dead.count < tokens.count
        return Answer(
            [
                "code": 200, "message": "success",
                "data": ["sendResult": .bool(isSent), "expireTokens": .array(dead.map { .string($0) })],
            ], processed: isSent)
    }

    private func xiaomi(_ form: [String: String], _ head: RequestHead) -> Answer {
        guard head.authorization == "key=\(SimulatedApp.secret)" else { return Answer(code: "21301", of: "mi", "auth") }
        let tokens = (form["registration_id"] ?? "").split(separator: ",").map(String.init)
        guard form["restricted_package_name"] == SimulatedApp.package, let title = form["title"], title.count < 50,
            let text = form["description"], text.count < 128, form["pass_through"] == "0",
            (1...1000).contains(tokens.count)
        else { return Answer(code: "10016", of: "mi", "parameter") }
        guard vendors.takes(tokens.count, of: "mi") else { return usedUp("mi") }
        let dead = deliver(.object(JSONObject(form.lazy.map { ($0.key, .string($0.value)) })), to: tokens, of: "mi")
        if dead.count == tokens.count { return Answer(code: "20301", of: "mi", "bad") }
        return Answer(
            ["result": "ok", "code": 0, "data": ["id": "1", "bad_regids": .string(dead.joined(separator: ","))]],
            processed: true)
    }

    private func oppo(_ form: [String: String]) -> Answer {
        guard isGood(form["auth_token"]?[...]) else { return Answer(code: "11", of: "oppo", "Invalid auth_token") }
        let messages = (try? JSONValue(parsing: form["messages"] ?? ""))?.array ?? []
        guard (1...1000).contains(messages.count) else { return Answer(code: "41", of: "oppo", "parameter") }
        guard vendors.takes(messages.count, of: "oppo") else { return usedUp("oppo") }
        let items = messages.map { message -> JSONValue in
            let token = message["target_value"]?.string ?? ""
            var item: JSONValue = ["registrationId": .string(token), "messageId": "1"]
            let isDead = !deliver(message["notification"] ?? .null, to: [token], of: "oppo").isEmpty
            if isDead { item["errorCode"] = 10000 }
            return item
        }
        return Answer(["code": 0, "message": "Success", "data": .array(items)], processed: true)
    }

    private func vivo(_ json: JSONValue, _ path: VendorPath, _ head: RequestHead) -> Answer {
        guard isGood(head.authToken?[...]) else { return Answer(code: "10000", of: "vivo", "auth") }
        if path == .vivoMany {
            let tokens = json["regIds"]?.array?.compactMap(\.string) ?? []
            guard let content = vendors.content(of: json["taskId"]?.string ?? ""), (2...1000).contains(tokens.count)
            else { return Answer(code: "10085", of: "vivo", "task") }
            guard vendors.takes(tokens.count, of: "vivo") else { return usedUp("vivo") }
            let users = deliver(content, to: tokens, of: "vivo").map {
                ["status": 1, "userid": .string($0)] as JSONValue
            }
            return Answer(["result": 0, "invalidUsers": .array(users)], processed: true)
        }
        guard let title = json["title"]?.string, title.count <= 40, let text = json["content"]?.string,
            text.count <= 100, json["notifyType"]?.integer != nil, json["requestId"]?.string != nil
        else { return Answer(code: "10085", of: "vivo", "text") }
        if path == .vivoContent { return Answer(["result": 0, "taskId": .string(vendors.keep(json))]) }
        guard vendors.takes(1, of: "vivo") else { return usedUp("vivo") }
        let token = json["regId"]?.string ?? ""
        let isDead = !deliver(json, to: [token], of: "vivo").isEmpty
        var body: JSONValue = ["result": 0, "taskId": "1"]
        if isDead { body["invalidUser"] = ["status": 1, "userid": .string(token)] }
        return Answer(body, processed: true)
    }

    // MARK: What they share

    private func isGood(_ token: Substring?) -> Bool { vendors.isGood(token.map(String.init), at: clock.seconds) }

    /// True for a time, in milliseconds of UNIX time, that is within ten minutes.
    private func isNow(_ time: Int64?) -> Bool { (clock.now - 599_999...clock.now + 599_999).contains(time ?? 0) }

    private func usedUp(_ vendor: String) -> Answer {
        Answer(code: VendorPath.usedUp[vendor] ?? "", of: vendor, "used up for today")
    }

    /// The devices of a call: 1 to 1,000.
    private static func devices(_ list: JSONValue?) -> [String]? {
        let tokens = list?.array?.compactMap(\.string) ?? []
        return (1...1000).contains(tokens.count) ? tokens : nil
    }

    /// Puts a message into the inboxes of known devices, but in a dry run; returns the others.
    private func deliver(
        _ message: JSONValue, to tokens: [String], of vendor: String, isDryRun: Bool = false
    ) -> [String] {
        let payload = message.canonicalBytes
        let android = message["android"]
        let tag = android?["bi_tag"] ?? android?["biTag"] ?? message["pushOptions"]?["biTag"] ?? message["extra.jobkey"]
        return tokens.filter { token in
            let device = DeviceToken(vendor: vendor, token)
            do throws(Refusal) {
                try devices.check(device, topic: vendor)
            } catch {
                return true
            }
            guard !isDryRun else { return false }
            devices.deliver(
                device, topic: vendor,
                ReceivedPush(
                    id: tag?.string ?? vendor, topic: vendor, pushType: vendor, priority: 10, payload: payload,
                    receivedAt: clock.now))
            return false
        }
    }

    private static func form(_ bytes: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(percentDecoding: String(decoding: $0, as: UTF8.self), plusIsSpace: true) ?? "" }
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        return fields
    }
}

extension RequestHead {
    fileprivate var bearer: Substring? {
        authorization.flatMap { $0.hasPrefix("Bearer ") ? $0.dropFirst(7) : nil }
    }
}
