internal import Base
internal import Crypto
internal import NIOCore
internal import Synchronization

/// The app at Huawei, Xiaomi, OPPO and vivo that the simulator stands for: with every vendor the same id, key and secret.
enum SimulatedApp {
    static let id = "100001"
    static let key = "app-key"
    static let secret = "app-secret"
    static let package = "com.example.app"
}

/// The access tokens that vendors have given.
final class VendorBook: Sendable {
    private struct State {
        var tokens: [String: Int64] = [:]
        var given = 0
        /// The contents that vivo keeps, by their tasks.
        var contents: [String: JSONValue] = [:]
    }

    private let state = Mutex(State())

    /// Gives a token until a time, in seconds of UNIX time.
    func give(until end: Int64) -> String {
        state.withLock { state in
            state.given += 1
            let token = "vendor-\(state.given)-\(APNsUUID.make())"
            state.tokens[token] = end
            return token
        }
    }

    func isGood(_ token: String?, at now: Int64) -> Bool {
        state.withLock { state in token.flatMap { state.tokens[$0] }.map { $0 > now } ?? false }
    }

    /// Ends all tokens.
    func expire() { state.withLock { $0.tokens = [:] } }

    func keep(_ content: JSONValue) -> String {
        state.withLock { state in
            let task = "task-\(state.contents.count)"
            state.contents[task] = content
            return task
        }
    }

    func content(of task: String) -> JSONValue? { state.withLock { $0.contents[task] } }
}

/// The paths of vendors' services.
enum VendorPath: Equatable {
    case huaweiToken
    case huawei(String)
    case xiaomi
    case oppoToken
    case oppo
    case vivoToken
    case vivoOne
    case vivoContent
    case vivoMany

    init?(_ parts: [Substring]) {
        switch parts {
        case ["oauth2", "v3", "token"]: self = .huaweiToken
        case let parts where parts.count == 3 && parts[0] == "v1" && parts[2] == "messages:send":
            self = .huawei(String(parts[1]))
        case ["v3", "message", "regid"]: self = .xiaomi
        case ["server", "v1", "auth"]: self = .oppoToken
        case ["server", "v1", "message", "notification", "unicast_batch"]: self = .oppo
        case ["message", "auth"]: self = .vivoToken
        case ["message", "send"]: self = .vivoOne
        case ["message", "saveListPayload"]: self = .vivoContent
        case ["message", "pushToList"]: self = .vivoMany
        case _: return nil
        }
    }

    /// True for a path whose requests send nothing.
    var sendsNothing: Bool {
        switch self {
        case .huaweiToken, .oppoToken, .vivoToken, .vivoContent: true
        case .huawei, .xiaomi, .oppo, .vivoOne, .vivoMany: false
        }
    }
}

extension Service {
    /// Answers a request to a vendor's service as its documents say; `fault` is a code that it is told to answer.
    func vendor(_ request: Request, _ path: VendorPath, fault: APNsReason?) -> Answer {
        let bytes = Array(request.body.readableBytesView)
        let form = Self.form(bytes)
        let json = (try? JSONValue(parsing: bytes)) ?? [:]
        func answer(_ body: JSONValue, status: Int = 200, processed: Bool = false, reason: String? = nil) -> Answer {
            var answer = Answer(status: status, headers: [("content-type", "application/json; charset=UTF-8")])
            (answer.body, answer.isProcessed, answer.reason) = (body.canonicalBytes, processed, reason)
            return answer
        }
        if let fault, !path.sendsNothing {
            if fault.status >= 500 { return answer([:], status: fault.status, reason: fault.name) }
            let code = Int64(fault.name) ?? 0
            let body: JSONValue = [
                "code": path.isHuawei ? .string(fault.name) : .integer(code), "result": .integer(code),
            ]
            return answer(body, reason: fault.name)
        }
        switch path {
        case .huaweiToken:
            guard form["client_id"] == SimulatedApp.id, form["client_secret"] == SimulatedApp.secret else {
                return answer(["error": 1101, "sub_error": "invalid_client"], status: 400)
            }
            return answer([
                "access_token": .string(vendors.give(until: clock.seconds + 3600)), "expires_in": 3600,
            ])
        case .oppoToken:
            let time = form["timestamp"] ?? ""
            let signed = SimulatedApp.key + time + SimulatedApp.secret
            guard form["app_key"] == SimulatedApp.key, form["sign"] == Self.hex(SHA256.hash(data: Array(signed.utf8))),
                abs((Int64(time) ?? 0) - clock.now) < 600_000
            else { return answer(["code": 16, "message": "Invalid sign"]) }
            return answer(["code": 0, "data": ["auth_token": .string(vendors.give(until: clock.seconds + 86_400))]])
        case .vivoToken:
            let time = json["timestamp"]?.integer ?? 0
            let signed = SimulatedApp.id + SimulatedApp.key + "\(time)" + SimulatedApp.secret
            guard json["sign"]?.string == Self.hex(Insecure.MD5.hash(data: Array(signed.utf8))),
                abs(time - clock.now) < 600_000
            else { return answer(["result": 10000, "desc": "auth failed"]) }
            return answer(["result": 0, "authToken": .string(vendors.give(until: clock.seconds + 86_400))])
        case .huawei(let app):
            guard app == SimulatedApp.id else { return answer([:], status: 404) }
            guard isGood(request.head.authorization?.dropFirst(7)) else {
                return answer(["code": "80200003", "msg": "OAuth token expired"])
            }
            guard let tokens = json["message"]?["token"]?.array?.compactMap(\.string), !tokens.isEmpty,
                tokens.count <= 1000, json["message"]?["data"] ?? json["message"]?["android"]?["notification"] != nil
            else { return answer(["code": "80100001", "msg": "parameter"]) }
            let dead = deliver(json["message"] ?? .null, to: tokens, of: "hms")
            if dead.count == tokens.count { return answer(["code": "80300007", "msg": "All tokens are invalid"]) }
            if dead.isEmpty { return answer(["code": "80000000", "msg": "Success"], processed: true) }
            let part: JSONValue = [
                "success": .integer(Int64(tokens.count - dead.count)), "failure": .integer(Int64(dead.count)),
                "illegal_tokens": .array(dead.map { .string($0) }),
            ]
            return answer(["code": "80100000", "msg": .string(part.canonicalText)], processed: true)
        case .xiaomi:
            guard request.head.authorization == "key=\(SimulatedApp.secret)" else {
                return answer(["result": "error", "code": 21301, "reason": "auth"])
            }
            guard form["restricted_package_name"] == SimulatedApp.package, let title = form["title"], title.count < 50,
                let text = form["description"], text.count < 128, form["pass_through"] == "0"
            else { return answer(["result": "error", "code": 10016, "reason": "parameter"]) }
            let tokens = (form["registration_id"] ?? "").split(separator: ",").map(String.init)
            let dead = deliver(.object(JSONObject(form.lazy.map { ($0.key, .string($0.value)) })), to: tokens, of: "mi")
            if dead.count == tokens.count { return answer(["result": "error", "code": 20301, "reason": "bad"]) }
            return answer(
                ["result": "ok", "code": 0, "data": ["id": "1", "bad_regids": .string(dead.joined(separator: ","))]],
                processed: true)
        case .oppo:
            guard isGood(form["auth_token"]?[...]) else {
                return answer(["code": 11, "message": "Invalid auth_token"])
            }
            let messages = (try? JSONValue(parsing: form["messages"] ?? ""))?.array ?? []
            guard !messages.isEmpty, messages.count <= 1000 else {
                return answer(["code": 41, "message": "parameter"])
            }
            let items = messages.map { message -> JSONValue in
                let token = message["target_value"]?.string ?? ""
                var item: JSONValue = ["registrationId": .string(token), "messageId": "1"]
                let isDead = !deliver(message["notification"] ?? .null, to: [token], of: "oppo").isEmpty
                if isDead { item["errorCode"] = 10000 }
                return item
            }
            return answer(["code": 0, "message": "Success", "data": .array(items)], processed: true)
        case .vivoOne, .vivoContent, .vivoMany:
            guard isGood(request.head.authToken?[...]) else { return answer(["result": 10000, "desc": "auth"]) }
            if path == .vivoMany {
                let content = vendors.content(of: json["taskId"]?.string ?? "") ?? .null
                let dead = deliver(content, to: json["regIds"]?.array?.compactMap(\.string) ?? [], of: "vivo")
                let users = dead.map { ["status": 1, "userid": .string($0)] as JSONValue }
                return answer(["result": 0, "invalidUsers": .array(users)], processed: true)
            }
            guard let title = json["title"]?.string, title.count <= 40, let text = json["content"]?.string,
                text.count <= 100, json["notifyType"]?.integer != nil, json["requestId"]?.string != nil
            else { return answer(["result": 10085, "desc": "text"]) }
            if path == .vivoContent { return answer(["result": 0, "taskId": .string(vendors.keep(json))]) }
            let token = json["regId"]?.string ?? ""
            let isDead = !deliver(json, to: [token], of: "vivo").isEmpty
            var body: JSONValue = ["result": 0, "taskId": "1"]
            if isDead { body["invalidUser"] = ["status": 1, "userid": .string(token)] }
            return answer(body, processed: true)
        }
    }

    private func isGood(_ token: Substring?) -> Bool { vendors.isGood(token.map(String.init), at: clock.seconds) }

    /// Puts a message into the inboxes of known devices; returns the others.
    private func deliver(_ message: JSONValue, to tokens: [String], of vendor: String) -> [String] {
        let payload = message.canonicalBytes
        let id = message["android"]?["bi_tag"]?.string ?? message["extra.jobkey"]?.string ?? vendor
        return tokens.filter { token in
            let device = DeviceToken(vendor: vendor, token)
            do throws(Refusal) {
                try devices.check(device, topic: vendor)
            } catch {
                return true
            }
            devices.deliver(
                device,
                ReceivedPush(
                    id: id, topic: vendor, pushType: vendor, priority: 10, payload: payload, receivedAt: clock.now))
            return false
        }
    }

    private static func hex(_ digest: some Sequence<UInt8>) -> String {
        digest.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The fields of a form.
    private static func form(_ bytes: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            fields[decoded(parts[0])] = decoded(parts[1])
        }
        return fields
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension VendorPath {
    fileprivate var isHuawei: Bool { if case .huawei = self { true } else { false } }
}

extension DeviceToken {
    /// The device of a vendor's registration id.
    init(vendor: String, _ id: String) { self.init(hashing: Array("\(vendor):\(id)".utf8)) }
}
