import Base
import Dispatch
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// One query cannot take the server: its time has an end, which these tests put near.
@Suite struct TimeLimitTests {
    private static let runaway: JSONValue = ["text": ["$regex": "^(a+)+$"]]
    private static let text = JSONValue.string(String(repeating: "a", count: 60) + "b")
    private let note: ClassName
    private let fixture: RegistryFixture
    private var registry: Registry { fixture.registry }
    private let noteID: String

    init() async throws {
        note = try ClassName("Note")
        fixture = try RegistryFixture(queryTimeLimit: .milliseconds(100))
        noteID = try await fixture.registry.create(["text": Self.text], in: note, as: .client, at: .noon).object
            .objectID
        _ = try await registry.create(
            ["deviceType": "ios", "deviceToken": "t", "text": Self.text], in: .installation, as: .client, at: .noon)
    }

    @Test func aRunawayExpressionGetsCode124() async throws {
        let error = await #expect(throws: RegistryError.self) {
            try await registry.find(ObjectQuery(where: Self.runaway), in: note, as: .client)
        }
        #expect(error == .late)
    }

    @Test func aLongQueryWithoutExpressionsGetsCode124() async throws {
        let error = await #expect(throws: RegistryError.self) {
            try await registry.query([:]) { db in
                try db.number(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n")
            }
        }
        #expect(error == .late)
    }

    @Test func whileManyExpressionsRunOthersReadAndWrite() async throws {
        let lateOnes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do throws(RegistryError) {
                        _ = try await registry.find(ObjectQuery(where: Self.runaway), in: note, as: .client)
                        return false
                    } catch {
                        return error == .late
                    }
                }
            }
            for index in 0..<12 {
                group.addTask {
                    let device: JSONObject = ["deviceType": "ios", "deviceToken": .string("t\(index)")]
                    let written = try? await registry.create(device, in: .installation, as: .client, at: .noon)
                    let found = try? await registry.object(
                        written?.object.objectID ?? "", in: .installation, as: .master)
                    return found != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(lateOnes == 24)
    }

    @Test(.timeLimit(.minutes(10)))
    func howeverManyQueriesClientsMakeOthersReadAndWrite() async throws {
        // None of them is late before it has begun, however slow the machine is.
        let patient = try RegistryFixture()
        let (held, free, count) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), 12)
        let queries = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        _ = try? await patient.registry.query([:], as: .client) { _ in
                            held.signal()
                            free.wait()
                        }
                    }
                }
            }
        }
        // Whatever fails, nobody waits for ever.
        defer { for _ in 0..<count { free.signal() } }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<4 { held.wait() }
                continuation.resume()
            }
        }
        let device: JSONObject = ["deviceType": "ios", "deviceToken": "other"]
        let written = try await patient.registry.create(device, in: .installation, as: .client, at: .noon)
        let found = try await patient.registry.object(written.object.objectID, in: .installation, as: .master)
        #expect(found != nil)
        for _ in 0..<count { free.signal() }
        await queries.value
    }

    @Test func aConditionOfAChangeEndsBeforeItHoldsUpOthers() async throws {
        let error = await #expect(throws: RegistryError.self) {
            try await registry.update(
                noteID, in: note, with: ["text": "x"], where: Self.runaway, as: .client, at: .noon)
        }
        #expect(error == .late)
        #expect(try await registry.object(noteID, in: note, as: .client)?.fields["text"] == Self.text)
    }

    @Test func aPushWithARunawayExpressionIsAnErrorInItsRecord() async throws {
        let order = PushOrder(to: .query(Self.runaway))
        _ = try await registry.accept(order, at: .noon)
        try await registry.deliver(objectID: order.objectID, at: .noon)
        #expect(try await registry.record(objectID: order.objectID, at: .noon)?["status"] == "error")
    }

    @Test(arguments: [
        "(a+)+$", "(a|a)*$", "(a|aa)+$", "([a-z]+)*$", "(.*)*$", "((((a{1,20}){1,20}){1,20}){1,20}){1,20}$",
        "(a?){30}a{30}$", "(?=(a+))a*b\\1$", "(?:(?:a+)+)+$",
    ])
    func noExpressionRunsOn(pattern: String) async throws {
        let pattern = JSONValue.string("^" + pattern)
        do throws(RegistryError) {
            _ = try await registry.find(ObjectQuery(where: ["text": ["$regex": pattern]]), in: note, as: .client)
        } catch {
            #expect(error == .late || error.code == .invalidQuery)
        }
    }

    /// GRDB's ban is a pragma, and one that is interrupted may take effect and count as not given: nobody takes it back.
    @Test func aReadThatMayBeCancelledDoesNotForbidTheOnlyConnectionToWrite() async throws {
        let memory = try #require(try Registry.testInMemory().file)
        for kind in [ReadKind.current, .journal, .within(.seconds(600))] {
            #expect(try await memory.look(kind) { db in try Int.fetchOne(db, sql: "PRAGMA query_only") } == 0)
        }
    }
}
