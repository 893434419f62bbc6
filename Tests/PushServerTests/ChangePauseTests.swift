import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

/// A client whose changes were cut off waits longer each time.
@Suite struct ChangePauseTests {
    private func time(_ seconds: Double) -> Instant { Instant.noon.advanced(bySeconds: seconds) }

    @Test func eachPauseIsTwiceAsLongUpToFiveMinutes() {
        let pauses = ChangePauses()
        #expect(pauses.allows("a", at: .noon))
        var now = 0.0
        for seconds: Double in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            pauses.cutOff("a", at: time(now))
            #expect(!pauses.allows("a", at: time(now + seconds - 0.1)))
            #expect(pauses.allows("a", at: time(now + seconds)))
            #expect(pauses.allows("b", at: time(now)))
            now += seconds
        }
        // An hour later all is forgotten.
        pauses.cutOff("a", at: time(now + 3600))
        #expect(pauses.allows("a", at: time(now + 3601)))
    }

    @Test func aNetworkIsOneClientAndTheTableIsBounded() {
        let pauses = ChangePauses()
        pauses.cutOff("2001:db8::1", at: .noon)
        #expect(!pauses.allows("2001:db8::2", at: .noon))
        for number in 0..<5000 { pauses.cutOff("10.0.\(number / 256).\(number % 256)", at: .noon) }
        #expect(!pauses.allows("10.1.0.0", at: .noon))
        #expect(pauses.allows("10.1.0.0", at: time(300)))
    }

    @Test func aClientWhoseChangeWasCutOffWaitsAndOthersDoNot() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pause-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Without any time, every change of a relation is cut off.
        let registry = try Registry.open(path: folder.appending(path: "r.sqlite").path, changeTimeLimit: .zero)
        defer { registry.close() }
        let server = try await TestServer(registry)
        let pointer: JSONValue = ["__type": "Pointer", "className": "Note", "objectId": "x"]
        let slow: JSONValue = ["r": ["__op": "AddRelation", "objects": [pointer]]]
        func write(_ body: JSONValue, to path: String = "/classes/Note", key: TestServer.Key = .app) async throws
            -> Answer
        {
            try await server.call("POST", path, body, key: key)
        }
        for pause: Double in [1, 2, 4] {
            let late = try await write(slow)
            #expect(late.status == 503)
            #expect(late.body == ["code": 124, "error": "The request timed out on the server."])
            let waits = try await write(["n": 1])
            #expect(waits.status == 429)
            #expect(waits.body == ["code": 429, "error": "Too many requests."])
            // A device registers all the same, and whoever has the master key is not held up.
            let device: JSONValue = ["deviceType": "ios", "deviceToken": .string("t\(pause)")]
            #expect(try await write(device, to: "/installations").status == 201)
            let large = JSONValue.string(String(repeating: "x", count: 5000))
            let largeDevice: JSONValue = ["deviceType": "ios", "deviceToken": "large", "s": large]
            #expect(try await write(largeDevice, to: "/installations").status == 429)
            #expect(try await write(["n": 1], key: .master).status == 201)
            server.clock.advance(bySeconds: pause - 0.5)
            #expect(try await write(["n": 1]).status == 429)
            server.clock.advance(bySeconds: 0.5)
            #expect(try await write(["n": 1]).status == 201)
        }
        await server.server.stop()
    }
}
