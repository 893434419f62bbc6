import Base
import Delivery
import DeviceRegistry
import HTTP
import LeanCloud
import Push
import PushServer
import Testing

/// The devices of one registry, explained through the server's API and read straight from the registry.
@Suite struct ExplainingTests {
    private static let routes: JSONValue = [
        ["profile": "main", "topic": "com.example.app", "default": true],
        ["profile": "driver", "topic": "com.example.driver"],
    ]

    /// iPhones that differ in all that is told.
    private static func register(_ count: Int, in registry: Registry) async throws {
        let zones: [JSONValue] = ["Asia/Shanghai", "Europe/Berlin", "", .null, "\u{202E}<b>"]
        for index in 0..<count {
            var device: JSONObject = [
                "deviceType": "ios", "deviceToken": .string(token(index)), "timeZone": zones[index % zones.count],
                "deviceProfile": .string(["main", "driver", ""][index % 3]), "valid": .bool(index % 7 != 0),
                "channels": .array(index % 2 == 0 ? ["news"] : ["news", "scores"]), "age": .integer(Int64(index)),
            ]
            if index % 15 == 3 { device["timeZone"] = nil }
            _ = try await registry.create(
                device, in: .installation, as: .master, at: .noon.advanced(byDays: index % 11 == 0 ? -91 : -1))
        }
    }

    private static func token(_ index: Int) -> String {
        String(repeating: "0", count: 58) + String(100_000 + index)
    }

    @Test(arguments: [120, 1300])
    func bothRemotesExplainTheSameDevicesAlike(count: Int) async throws {
        try await TestServer.run { (server) async throws in
            try await Self.register(count, in: server.registry)
            let (leancloud, apple) = server.readers
            let conditions: [JSONValue] = [
                [:], ["channels": "scores"], ["deviceProfile": "driver"], ["age": ["$lt": 40]], ["valid": false],
                ["$or": [["age": 1], ["age": 2]]], ["channels": "nobody"],
            ]
            for condition in conditions {
                let direct = try await apple.explain(
                    ["where": condition, "routes": Self.routes], deviceProfiles: [])
                var asked = try await leancloud.explain(condition, deviceProfiles: ["main", "driver"])
                #expect(asked.devices == (try await leancloud.count(condition)).devices)
                if let sample = asked.timeZoneSample {
                    // Of so many the newest are a sample only.
                    #expect(sample == 1000 && asked.otherTimeZones == 0 && asked.timeZones.count == 4)
                    (asked.timeZones, asked.timeZoneSample) = (direct.timeZones, nil)
                }
                #expect(asked == direct, "\(condition)")
            }
        }
    }
}

extension TestServer {
    /// What reads the registry through the server's API, and what reads it straight.
    var readers: (leancloud: LeanCloudReader, apple: APNsReader) {
        let connection = LeanCloudConnection(
            url: "http://127.0.0.1:\(port)", appId: "giants", masterKey: Secret(Self.masterKey))
        let leancloud = connection.reader(name: "local", workspace: "w", http: Plain(server: self))
        let description = APNsRemote.description(name: "apple", registry: "r", label: "r", hosts: [:])
        return (leancloud, APNsReader(Journal(registry) { .noon }.reader, description: description, workspace: "w"))
    }
}

/// The remote's requests over the tests' own client, with the master key: the server's clock stands, signatures do not.
struct Plain: HTTPExchanging {
    let server: TestServer

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let target = String(request.url.dropFirst("http://127.0.0.1:\(server.port)".count))
        do {
            let answer = try await HTTPClient.sendText(
                "GET", target, port: server.port, headers: TestServer.headers(.master))
            return HTTPResponse(
                status: answer.status, headers: HTTPHeaders(answer.headers.map { HTTPHeaders.Field($0.key, $0.value) }),
                body: Array(answer.text.utf8))
        } catch {
            throw TransportError(.connectionLost, sent: .possibly, request: "GET", detail: "\(error)")
        }
    }
}
