package import Base
internal import Crypto
internal import CryptoExtras
internal import NIOCore
internal import Synchronization

/// A Firebase project with the service account that pushes to it.
package struct FirebaseProject: Sendable {
    /// The project's id.
    package let id: String
    /// The service account's address.
    package let email: String
    let publicKey: _RSA.Signing.PublicKey

    /// The address that Google's accounts name; a workspace's `hosts.fcmToken` leads it here.
    static let audience = "https://oauth2.googleapis.com/token"
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// Registers a project with the public key of its account, in PEM.
    ///
    /// - Throws: swift-crypto's error when the text is no key.
    package init(id: String, publicKeyPEM: String) throws {
        self.id = id
        email = "bugle@\(id).iam.gserviceaccount.com"
        publicKey = try _RSA.Signing.PublicKey(pemRepresentation: publicKeyPEM)
    }

    /// Creates a project with a new key; returns the account's file as Google writes it.
    ///
    /// - Throws: swift-crypto's error when no key can be made.
    package static func make(id: String) throws -> (project: FirebaseProject, account: JSONValue) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let project = try FirebaseProject(id: id, publicKeyPEM: key.publicKey.pemRepresentation)
        return (
            project,
            [
                "type": "service_account", "project_id": .string(id), "private_key_id": "1",
                "private_key": .string(key.pkcs8PEMRepresentation), "client_email": .string(project.email),
                "token_uri": .string(audience),
            ]
        )
    }

    /// Reads a project from its account's file.
    ///
    /// - Throws: swift-crypto's error when the file's key is none.
    package init(account: JSONValue) throws {
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: account["private_key"]?.string ?? "")
        try self.init(id: account["project_id"]?.string ?? "", publicKeyPEM: key.publicKey.pemRepresentation)
    }
}

/// The projects of FCM and the access tokens given for them.
final class FirebaseBook: Sendable {
    private struct State {
        var projects: [String: FirebaseProject] = [:]
        /// The project and the end of each access token, in seconds of UNIX time.
        var tokens: [String: (project: String, end: Int64)] = [:]
        var given = 0
    }

    private let state = Mutex(State())

    func register(_ project: FirebaseProject) { state.withLock { $0.projects[project.email] = project } }

    /// Ends a project's access tokens and, if it is `revoked`, its key.
    func end(_ project: String, revoked: Bool) {
        state.withLock { state in
            state.tokens = state.tokens.filter { $0.value.project != project }
            if revoked { state.projects = state.projects.filter { $0.value.id != project } }
        }
    }

    /// Gives an access token for an assertion; nil for one that Google would not believe.
    func token(for assertion: String, at now: Int64) -> String? {
        guard let assertion = WebToken(assertion), assertion.header["alg"] == "RS256" else { return nil }
        let claims = assertion.claims
        guard let project = state.withLock({ $0.projects[claims["iss"]?.string ?? ""] }),
            claims["aud"]?.string == FirebaseProject.audience, claims["scope"]?.string == FirebaseProject.scope,
            let issued = claims["iat"]?.integer, let end = claims["exp"]?.integer,
            (now - 299...now + 299).contains(issued), end > now, issued >= end - 3600,
            assertion.isSigned(by: project.publicKey, padding: .insecurePKCS1v1_5)
        else { return nil }
        return state.withLock { state in
            state.given += 1
            let token = "ya29.\(state.given)-\(APNsUUID.make())"
            state.tokens[token] = (project.id, now + 3600)
            return token
        }
    }

    /// The project that an access token is for; nil when it is none any more.
    func project(of authorization: String?, at now: Int64) -> String? {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
        return state.withLock { state in
            state.tokens[String(authorization.dropFirst(7))].flatMap { $0.end > now ? $0.project : nil }
        }
    }
}

// MARK: - Answers

extension Answer {
    /// A refusal in Google's form; `code` is the FcmError's, `field` the one at fault.
    init(fcm status: Int, _ name: String, code: String? = nil, field: String? = nil) {
        var details: [JSONValue] = []
        if let code {
            details.append(["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(code)])
        }
        if let field {
            details.append([
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [["field": .string(field), "description": "Invalid value"]],
            ])
        }
        var error: JSONValue = [
            "code": .integer(Int64(status)), "message": "The simulator refuses it.", "status": .string(name),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        self.init(["error": error], status: status)
        reason = code ?? name
    }

    /// A reason of a fault or a device in Google's form.
    init(fcm reason: APNsReason) {
        switch reason.name {
        case APNsReason.unregistered.name, APNsReason.expiredToken.name:
            self.init(fcm: 404, "NOT_FOUND", code: "UNREGISTERED")
        case APNsReason.badDeviceToken.name:
            self.init(fcm: 400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", field: "message.token")
        case APNsReason.deviceTokenNotForTopic.name:
            self.init(fcm: 403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH")
        case let name: self.init(fcm: reason.status, name, code: name)
        }
    }
}

extension Service {
    /// `POST /token`: an access token for a signed assertion, or the words of RFC 6749.
    func accessToken(_ request: Request) -> Answer {
        func answer(_ status: Int, _ json: JSONValue) -> Answer {
            var answer = Answer(json, status: status, type: "application/json; charset=utf-8")
            if status != 200 { answer.reason = json["error"]?.string }
            return answer
        }
        let form = String(decoding: request.body.readableBytesView, as: UTF8.self)
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        guard request.head.method == "POST", form.hasPrefix(prefix) else {
            return answer(400, ["error": "invalid_request"])
        }
        guard let token = firebase.token(for: String(form.dropFirst(prefix.count)), at: clock.seconds) else {
            return answer(400, ["error": "invalid_grant", "error_description": "Invalid JWT"])
        }
        return answer(200, ["access_token": .string(token), "expires_in": 3600, "token_type": "Bearer"])
    }

    /// `POST /v1/projects/<project>/messages:send` (docs/background/android.md#fcm-message).
    func fcm(_ request: Request, _ project: String) -> Answer {
        guard request.head.method == "POST" else { return Answer(fcm: 404, "NOT_FOUND") }
        guard let allowed = firebase.project(of: request.head.authorization, at: clock.seconds) else {
            return Answer(fcm: 401, "UNAUTHENTICATED")
        }
        guard allowed == project else { return Answer(fcm: 403, "PERMISSION_DENIED") }
        guard let body = FCMBody(request.body) else { return Answer(fcm: 400, "INVALID_ARGUMENT") }
        if body.isDryRun { statistics.change { $0.dryRuns += 1 } }
        if let fault = body.fault { return Answer(fcm: 400, "INVALID_ARGUMENT", code: nil, field: fault) }
        // Seen in the wild without any details.
        if body.size > 4096 { return Answer(fcm: 400, "INVALID_ARGUMENT") }
        guard let device = DeviceToken(fcm: body.token) else { return Answer(fcm: .badDeviceToken) }
        do throws(Refusal) {
            try devices.check(device, topic: project)
        } catch {
            return Answer(fcm: error.reason)
        }
        let id = "projects/\(project)/messages/0:\(APNsUUID.make())"
        let answer = Answer(["name": .string(id)], processed: !body.isDryRun)
        guard !body.isDryRun else { return answer }
        devices.deliver(
            device, topic: project,
            ReceivedPush(
                id: body.tag ?? id, topic: project, pushType: "fcm", priority: body.isHigh ? 10 : 5,
                collapseID: body.tag, payload: Array(request.body.readableBytesView), receivedAt: clock.now))
        return answer
    }
}

/// The body of a request to send through FCM, with its fields checked.
struct FCMBody {
    let token: String
    /// The first field that Google would refuse.
    let fault: String?
    /// The bytes of the message that count against the limit.
    let size: Int
    /// True for a message that is only checked.
    let isDryRun: Bool
    /// `android.notification.tag`.
    let tag: String?
    let isHigh: Bool

    /// Reads a body; nil when it is no JSON object with a message for a token.
    init?(_ buffer: ByteBuffer) {
        guard let json = try? JSONValue(parsing: Array(buffer.readableBytesView)),
            let message = json["message"]?.object, let token = message["token"]?.string
        else { return nil }
        self.token = token
        size = buffer.readableBytes - token.utf8.count
        isDryRun = json["validate_only"] == true
        tag = message["android"]?["notification"]?["tag"]?.string
        isHigh = message["android"]?["priority"] == "HIGH"
        fault = Self.unknown(json.object ?? [:], in: ["message", "validate_only"], at: "") ?? Self.fault(in: message)
    }

    private static let message: Set<String> = ["token", "data", "notification", "android", "fcm_options"]
    private static let android: Set<String> = [
        "collapse_key", "priority", "ttl", "restricted_package_name", "data", "notification", "fcm_options",
        "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok",
    ]
    private static let notification: Set<String> = [
        "title", "body", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "body_loc_args",
        "title_loc_key", "title_loc_args", "channel_id", "image", "ticker", "sticky", "event_time", "local_only",
        "notification_priority", "default_sound", "default_vibrate_timings", "vibrate_timings", "light_settings",
        "visibility", "notification_count", "proxy",
    ]

    private static func unknown(_ members: JSONObject, in known: Set<String>, at path: String) -> String? {
        members.keys.filter { !known.contains($0) }.min().map { path + $0 }
    }

    private static func fault(in message: JSONObject) -> String? {
        if let name = unknown(message, in: Self.message, at: "message.") { return name }
        for (name, value) in message["data"]?.object ?? [:] {
            let isReserved =
                ["from", "message_type"].contains(name) || name.hasPrefix("google") || name.hasPrefix("gcm")
            if value.string == nil || isReserved { return "message.data.\(name)" }
        }
        if let shown = message["notification"]?.object,
            let name = unknown(shown, in: ["title", "body", "image"], at: "message.notification.")
        {
            return name
        }
        guard let android = message["android"]?.object else { return nil }
        if let name = unknown(android, in: Self.android, at: "message.android.") { return name }
        if let shown = android["notification"]?.object {
            if let name = unknown(shown, in: notification, at: "message.android.notification.") { return name }
            if let count = shown["notification_count"], count.integer == nil {
                return "message.android.notification.notification_count"
            }
        }
        if let priority = android["priority"], !["HIGH", "NORMAL"].contains(priority) {
            return "message.android.priority"
        }
        if let ttl = android["ttl"] {
            guard let text = ttl.string, text.hasSuffix("s"), let seconds = Double(text.dropLast()),
                (0...2_419_200).contains(seconds)
            else { return "message.android.ttl" }
        }
        return nil
    }
}

extension DeviceToken {
    /// The device of a registration token: 20 to 4,000 printable characters without spaces.
    init?(fcm token: String) {
        guard (20...4000).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.init(hashing: Array(("fcm:" + token).utf8))
    }
}
