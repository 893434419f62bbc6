import APNsSimulator
import Base
import Foundation
import HTTP
import Testing

@Suite struct ControlTests {
    /// Runs `body` with a simulator, a provider and a way to ask the control port.
    private func steered(
        _ body: (APNsSimulator, ProviderClient, (String, String, String) async throws -> (Int, JSONValue)) async throws
            -> Void
    ) async throws {
        try await Sample.connected { simulator, client in
            let control = try await ControlServer(simulator)
            let http = try HTTPClient()
            do {
                try await body(simulator, client) { method, path, text in
                    let method = try #require(HTTPRequest.Method(rawValue: method))
                    let body = text.isEmpty ? nil : Array(text.utf8)
                    let response = try await http.exchange(HTTPRequest(method, control.url + path, body: body))
                    return (response.status, try JSONValue(parsing: response.body))
                }
            } catch {
                Issue.record(error)
            }
            http.close()
            await control.stop()
        }
    }

    @Test func aProgramSeesInboxesAndCounts() async throws {
        try await steered { _, client, ask in
            #expect(try await ask("POST", "/devices", #"{"token":"0a","topic":"com.example.app"}"#).0 == 200)
            let push = TestRequest.push("0a", Sample.provider())
            #expect(await client.send(push).text == "200")
            let inbox = try await ask("GET", "/devices/0a/inbox", "").1
            #expect(inbox["results"]?.array?.first?["data"] == ["aps": ["alert": "Hello"]])
            let summary: JSONValue = ["devices": 1, "messages": 1, "duplicates": 0]
            #expect(try await ask("GET", "/inboxes?topic=com.example.app", "").1 == summary)
            #expect(try await ask("GET", "/stats", "").1["accepted"] == 1)
            #expect(try await ask("POST", "/devices/0a/unregister", #"{"at":5}"#).0 == 200)
            #expect(await client.send(push).reply.body == #"{"reason":"Unregistered","timestamp":5}"#)
        }
    }

    @Test func aProgramSetsFaults() async throws {
        try await steered { simulator, client, ask in
            let provider = Sample.provider()
            let fault = #"{"effect":"refuse","reason":"TooManyRequests","rate":1,"limit":1}"#
            let (status, answer) = try await ask("POST", "/faults", fault)
            #expect(status == 201 && answer == ["id": 1])
            #expect(await client.send(.push(Sample.token, provider)).text == "429 TooManyRequests")
            #expect(try await ask("GET", "/faults", "").1["results"]?.array?.first?["hits"] == 1)
            #expect(try await ask("DELETE", "/faults", "").0 == 200)
            #expect(try await ask("POST", "/clock", #"{"advance":60}"#).0 == 200)
            #expect(simulator.clock.seconds == Sample.now + 60)
        }
    }

    @Test func whatIsWrongIsSaid() async throws {
        try await steered { _, _, ask in
            let rows: [(String, String, String, Int)] = [
                ("GET", "/nothing", "", 404), ("POST", "/faults", "x", 400), ("POST", "/faults", "{}", 400),
                ("POST", "/faults", #"{"effect":"refuse","reason":"Odd"}"#, 400),
                ("POST", "/faults", #"{"effect":"stall"}"#, 400),
                ("POST", "/faults", #"{"effect":"refuseStream","rate":2}"#, 400),
                ("POST", "/devices", #"{"token":"xyz","topic":"a"}"#, 400), ("POST", "/streams", #"{"max":0}"#, 400),
            ]
            for (method, path, body, expected) in rows {
                let (status, answer) = try await ask(method, path, body)
                #expect(status == expected && answer["error"]?.string?.isEmpty == false, "\(path) \(body)")
            }
        }
    }

    @Test func theFolderKeepsItsKeysToItself() throws {
        let path = FileManager.default.temporaryDirectory.path + "/apns-simulator-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let now = Int64(Date().timeIntervalSince1970)
        let first = try StateFolder(path, now: now)
        let again = try StateFolder(path, now: now)
        #expect(try again.identity.authorityPEM == first.identity.authorityPEM)
        #expect(again.key.id == first.key.id && again.key.team == first.key.team && again.key.pem == first.key.pem)
        let certificate = try first.certificatePath(for: Sample.bundle)
        let text = try String(contentsOfFile: certificate, encoding: .utf8)
        #expect(text.contains("BEGIN CERTIFICATE") && text.contains("PRIVATE KEY"))
        #expect(try again.certificatePath(for: Sample.bundle) == certificate)
        #expect(try String(contentsOfFile: certificate, encoding: .utf8) == text)
        #expect(throws: StateFolder.Failure.self) { try first.certificatePath(for: "../secret") }
        for name in ["ca.key", "server.key", "AuthKey_\(first.key.id).p8", "\(Sample.bundle).push.pem"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let later = try StateFolder(path, now: first.identity.validUntil)
        #expect(try later.identity.authorityPEM != first.identity.authorityPEM)
        try "x".write(toFile: path + "/ca.pem", atomically: true, encoding: .utf8)
        #expect(throws: StateFolder.Failure.self) { try StateFolder(path, now: now) }
    }
}
