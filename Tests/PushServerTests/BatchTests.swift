import Base
import Dispatch
import Foundation
import ProgramTesting
import PushServer
import Testing

@testable import DeviceRegistry

@Suite struct BatchTests {
    private func requests(_ calls: [JSONValue]) -> JSONValue { ["requests": .array(calls)] }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil))
    func theAnswersOfABatchAreBoundedTogether() async throws {
        try await TestServer.run { (server) async throws in
            let large: JSONValue = ["s": .string(String(repeating: "x", count: 6 << 20))]
            let id = try await server.call("POST", "/classes/Note", large).body["objectId"]?.string ?? ""
            let get: JSONValue = ["method": "GET", "path": .string("/1.1/classes/Note/\(id)")]
            let write: JSONValue = ["method": "PUT", "path": .string("/1.1/classes/Note/\(id)"), "body": ["s": "y"]]
            let answers =
                try await server.call("POST", "/batch", requests([get, get, get, get, get, write])).body.array ?? []
            #expect(answers.map { $0["success"] != nil } == [true, true, true, true, false, false])
            #expect(answers.last?["error"] == ["code": 413, "error": "Payload Too Large."])
            // What was not answered was not done.
            let found = try await server.call("GET", "/classes/Note/\(id)").body["s"]?.string
            #expect(found?.utf8.count == 6 << 20)
        }
    }

    @Test func aBatchIsCarriedOutInOrder() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.call("POST", "/classes/Note", ["l": []]).body["objectId"]?.string ?? ""
            let calls = (0..<150).map { number -> JSONValue in
                [
                    "method": "PUT", "path": .string("/1.1/classes/Note/\(id)"),
                    "body": ["l": ["__op": "Add", "objects": [.integer(Int64(number))]]],
                ]
            }
            let answers = try await server.call("POST", "/batch", requests(calls)).body.array ?? []
            #expect(answers.count == 150)
            let list = try await server.call("GET", "/classes/Note/\(id)").body["l"]?.array
            #expect(list == (0..<150).map { .integer($0) })
        }
    }

    @Test(arguments: ["/1.1/batch", "/1.1/batch/save"])
    func nothingMoreOfABatchIsBegunForAClientThatHasLeft(path: String) async throws {
        let (begun, held, free) = (
            DispatchSemaphore(value: 0), ProgramTesting.Gate(), DispatchSemaphore(value: 0)
        )
        let observer: RequestObserver = { request, instant in
            if request.path == path, instant == .beforeHandling { begun.signal() }
        }
        try await TestServer.run(observer: observer) { (server) async throws in
            let count = 3000
            let calls = (0..<count).map { number -> JSONValue in
                ["method": "POST", "path": "/1.1/classes/Note", "body": ["n": .integer(Int64(number))]]
            }
            let body = requests(calls).canonicalBytes
            let port = server.port
            // However slow the machine is, the batch is not over before its client has left: its first call waits for
            // the only one that may write. PostgreSQL lets both write; there the number of its calls has to do.
            async let holding: Void = server.registry.write { _ in
                held.open()
                free.wait()
            }
            // Whatever fails, nobody waits for ever.
            defer { free.signal() }
            await held.pass()
            try await onThread {
                let connection = try RawConnection(port)
                connection.send(head("POST \(path)", ["Content-Length: \(body.count)"], key: .master))
                connection.send(body)
                withExtendedLifetime(connection) { begun.wait() }
            }
            // Whoever reads these, which need no database, has read before that the client has left.
            for _ in 0..<20 { _ = try await server.call("GET", "/date") }
            free.signal()
            try await holding
            func made() async throws -> Int64 {
                try await server.call("GET", "/classes/Note?count=1&limit=0").body["count"]?.integer ?? 0
            }
            // A call takes as long as a few of the batch: two equal counts mean that it has ended.
            var last: Int64 = -1
            while try await made() != last {
                last = try await made()
                for _ in 0..<20 { _ = try await server.call("GET", "/date") }
            }
            #expect(last < count)
        }
    }

    @Test func saveStopsAtTheFirstThatFails() async throws {
        try await TestServer.run { (server) async throws in
            func create(_ id: String, _ members: JSONValue) -> JSONValue {
                var body = members
                body["__internalId"] = .string(id)
                return ["method": "POST", "path": "/1.1/classes/Note", "body": body]
            }
            let calls = [create("a", ["n": 1]), create("b", ["p": ["__type": "Pointer"]]), create("c", ["n": 3])]
            let refused = try await server.call("POST", "/batch/save", requests(calls))
            #expect(refused.status == 400)
            #expect(refused.body["code"] == 106)
            let found = try await server.call("GET", "/classes/Note").body["results"]?.array
            #expect(found?.map { $0["n"] } == [1])
        }
    }

    @Test func saveMergesTheStepsOfOneObject() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("t")
            func put(_ body: JSONValue) -> JSONValue {
                [
                    "method": "PUT", "path": .string("/1.1/installations/\(id)?fetchWhenSave=true"),
                    "body": .object((body.object ?? [:]).merging(["__internalId": .string(id)]) { $1 }),
                ]
            }
            let saved = try await server.call(
                "POST", "/batch/save", requests([put(["a": 1]), put(["b": 2])]), key: .app)
            #expect(saved.body[id]?["a"] == 1)
            #expect(saved.body[id]?["b"] == 2)
            #expect(saved.body[id]?["objectId"] == .string(id))
        }
    }

    @Test(arguments: [[["cid": "none", "className": "Team", "key": "team"]], [["cid": "a"]], [5]] as [JSONValue])
    func childrenThatWereNotSavedAreRefused(children: JSONValue) async throws {
        try await TestServer.run { (server) async throws in
            let call: JSONValue = ["method": "POST", "path": "/1.1/classes/Fan", "body": ["__children": children]]
            #expect(try await server.call("POST", "/batch/save", requests([call])).body["code"] == 1)
            #expect(try await server.call("GET", "/classes/Fan").status == 404)
        }
    }
}
