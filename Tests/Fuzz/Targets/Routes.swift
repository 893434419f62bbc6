internal import DeviceRegistry
internal import Foundation
internal import HTTP
internal import Push
internal import PushServer
internal import Synchronization

extension FuzzTarget {
    private static let words = [
        "GET", "POST", "PUT", "DELETE", "/1.1/", "?where=", "&limit=", "&order=-", "&keys=", "&include=", "&count=1",
        "%7B",
        "%00", "$regex", "$options", "$in", "$nin", "$all", "$exists", "$inQuery", "$select", "$nearSphere", "$or",
        "$and",
        "__op", "AddUnique", "Increment", "Remove", "Delete", "__type", "Pointer", "Date", "GeoPoint", "deviceToken",
        "channels", "cql", "select * from _Installation where ", " like '%", "pvalues", "push_time",
        "expiration_interval", "(a+)+$", "[[:alpha:]]", "\\\\1",
    ]

    /// Requests to every route of a server in this process: a line `METHOD TARGET KEY`, and the body.
    static let routes = FuzzTarget(
        name: "routes", sources: ["PushServer/API", "PushServer/HTTP", "DeviceRegistry/Query"], words: words,
        allowance: 0.05,
        prepare: {
            let server = ServerUnderFuzz()
            try await server.renew()
            return Prepared { await server.ask($0) }
        })
}

/// A server whose registry begins anew now and then, so that an input is as slow alone as after thousands of others.
private actor ServerUnderFuzz {
    private var server: PushServer?
    private var port = 0
    private var asked = 0
    private let client = try? HTTPClient()
    private let key = "fuzz-application-key", masterKey = "fuzz-master-key-of-some-length"

    func renew() async throws {
        await server?.stop()
        var configuration = PushServerConfiguration(
            applicationID: "fuzz", masterKey: ServerKey(masterKey), applicationKey: ServerKey(key))
        configuration.clientsMayPush = true
        let clock = ServerClock(standingAt: Instant(milliseconds: 1_795_262_400_000))
        let fresh = PushServer(configuration, registry: try Registry.inMemory(), clock: clock)
        (port, server) = (try await fresh.start(), fresh)
    }

    func ask(_ input: [UInt8]) async {
        asked += 1
        if asked % 1000 == 0 { try? await renew() }
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let words = lines[0].split(separator: UInt8(ascii: " "))
        let method = words.first.flatMap { HTTPRequest.Method(rawValue: String(decoding: $0, as: UTF8.self)) } ?? .post
        let target = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? "/1.1/installations"
        let isMaster = words.dropFirst(2).first?.elementsEqual("app".utf8) != true
        let allowed = CharacterSet(charactersIn: "!$&'()*+,-./0123456789:;=?@_~%").union(.alphanumerics)
        let escaped = target.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let request = HTTPRequest(
            method, "http://127.0.0.1:\(port)" + (escaped.hasPrefix("/") ? "" : "/") + escaped,
            headers: [
                ("X-LC-Id", "fuzz"), ("X-LC-Key", isMaster ? masterKey + ",master" : key),
                ("Content-Type", "application/json"),
            ],
            body: lines.count > 1 ? Array(lines[1]) : nil)
        guard let answer = try? await client?.exchange(request), answer.status == 500 else { return }
        fatalError("500: \(String(decoding: answer.body, as: UTF8.self))")
    }
}
