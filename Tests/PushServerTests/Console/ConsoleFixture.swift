import Base
import DeviceRegistry
import Foundation
import FoundationXML
import Logging
import Push
import Testing

@testable import PushServer

/// A console over a registry in memory, asked without HTTP.
struct ConsoleFixture {
    let registry: Registry
    let clock = ServerClock(standingAt: .noon)
    let console: Console

    init(
        _ registry: Registry? = nil, configuration: PushServerConfiguration = TestServer.configuration,
        interval: Duration = .milliseconds(5), app: ShownApp? = nil, vendors: [String: PushVendor] = [:]
    ) throws {
        // However slow the machine is, no query takes too long.
        let registry = try registry ?? Registry.inMemory(queryTimeLimit: .seconds(600), changeTimeLimit: .seconds(600))
        self.registry = registry
        let logger = Logger(label: "test")
        let api = API(
            registry: registry, configuration: configuration, clock: clock,
            pushes: PushDispatcher(registry, configuration, clock: clock, logger: logger),
            intake: EventIntake(registry), faults: FaultList(), logger: logger)
        console = Console(api, interval: interval, app: { app }, vendors: { vendors })
    }

    func get(
        _ target: String, cookie: String? = nil, method: String = "GET", headers: [String: String] = [:],
        from address: String = "192.0.2.1", isSecure: Bool = false
    ) async throws -> WebResponse {
        await console.respond(try request(method, target, cookie, headers, [], address, isSecure))
    }

    func post(
        _ target: String, _ fields: [String: String], cookie: String? = nil, headers: [String: String] = [:],
        from address: String = "192.0.2.1", isSecure: Bool = false
    ) async throws -> WebResponse {
        let all = headers.merging(["content-type": "application/x-www-form-urlencoded"]) { own, _ in own }
        let body = Array(TestServer.encoded(fields).utf8)
        return await console.respond(try request("POST", target, cookie, all, body, address, isSecure))
    }

    private func request(
        _ method: String, _ target: String, _ cookie: String?, _ headers: [String: String], _ body: [UInt8],
        _ address: String, _ isSecure: Bool
    ) throws -> WebRequest {
        let parsed = try #require(RequestTarget(target))
        var all = headers.merging(["host": "bugle.example"]) { own, _ in own }
        all["cookie"] = cookie
        return WebRequest(
            method: method, path: parsed.path, query: parsed.query, headers: all, body: body, remoteAddress: address,
            isSecure: isSecure)
    }

    /// Logs in and gives the cookie.
    func logIn() async throws -> String {
        try await post("/console/login", ["key": TestServer.masterKey]).cookie()
    }

    /// A page that must be there.
    func page(_ target: String, cookie: String, status: Int = 200) async throws -> Page {
        let response = try await get(target, cookie: cookie)
        #expect(response.status == status, "\(target)")
        return try Page(response.text)
    }

    /// The token that the session's forms bring along.
    func token(_ cookie: String) async throws -> String {
        try await page("/console", cookie: cookie).value("//form[@action='/console/logout']/input/@value")
    }

    @discardableResult
    func device(_ fields: JSONValue) async throws -> String {
        let members = try #require(fields.object)
        return try await registry.create(members, in: .installation, as: .master, at: clock.now).object.objectID
    }

    /// Sends a push, or keeps it for its time.
    @discardableResult
    func push(
        _ condition: JSONValue, _ data: JSONValue, in seconds: Double? = nil, environment: String = "prod"
    ) async throws -> String {
        let order = PushOrder(
            notificationID: nil, requestID: nil, audience: .query(condition), data: data, environment: environment,
            incrementsBadge: PushData(data).incrementsBadge,
            fireAt: seconds.map { clock.now.advanced(bySeconds: $0) }, expiresAt: nil)
        let receipt = try await registry.accept(order, at: clock.now)
        if seconds == nil { try await registry.deliver(objectID: receipt.objectID, at: clock.now) }
        return receipt.objectID
    }
}

extension Registry {
    /// Adds the ledger entry of a push, as `bugle apply` writes it through the API.
    func recordCampaign(
        ofPush objectID: String, run: String = "https://ci.example/runs/7", actor: String = "ada", at now: Instant
    ) async throws {
        let delivery = DeliveryID(workspace: "giants", campaign: "final-score", revision: 3)
        var entry = LedgerEntry(
            delivery: delivery, generation: 0, notificationID: delivery, workspace: "giants", campaign: "final-score",
            revision: 3, state: .sent, request: nil, fingerprint: Digest(of: []), content: Digest(of: []), encoder: 1,
            intendedAt: now, window: .zero, fence: 1,
            provenance: Provenance(commit: "0123456789abcdef0123456789abcdef01234567", actor: actor, run: run))
        entry.objectID = objectID
        let members = LedgerFields.members(of: entry, fence: 1).compactMapValues { $0 }
        _ = try await create(JSONObject(members), in: try ClassName("BugleLedger"), as: .master, at: now)
    }
}

extension WebResponse {
    var bytes: [UInt8] {
        if case .bytes(let bytes) = body { return bytes }
        return []
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The first event with parts that an open page gets; the page is closed then.
    func firstParts() async throws -> String {
        guard case .events(let stream) = body else { throw CancellationError() }
        defer { stream.end() }
        for await chunk in stream.chunks {
            let text = String(decoding: chunk, as: UTF8.self)
            if text.hasPrefix("event: parts") { return text }
        }
        throw CancellationError()
    }

    /// The session's cookie as a browser sends it back.
    func cookie() throws -> String {
        String(try #require(header("Set-Cookie")).prefix { $0 != ";" })
    }
}

/// A page, read by a strict parser of XML: a browser's lenient one would hide mistakes.
struct Page {
    let html: String
    private let document: XMLDocument

    init(_ html: String) throws {
        self.html = html
        document = try XMLDocument(xmlString: html, options: .nodePreserveWhitespace)
    }

    private func nodes(_ path: String) throws -> [XMLNode] { try document.nodes(forXPath: path) }

    func texts(_ path: String) throws -> [String] {
        try nodes(path).map { ($0.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The names of elements or attributes.
    func names(_ path: String) throws -> [String] { try nodes(path).compactMap(\.name) }

    /// The one text at a path.
    func value(_ path: String) throws -> String {
        let found = try texts(path)
        try #require(found.count == 1, "\(path): \(found)")
        return found[0]
    }

    func count(_ path: String) throws -> Int { try nodes(path).count }
}
