import Base
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Changes that share a commit do not share their errors.
@Suite struct WriteQueueTests {
    private let fixture: RegistryFixture
    private var registry: Registry { fixture.registry }

    init() throws {
        fixture = try RegistryFixture()
    }

    private func register(_ index: Int) async -> RegistryError.Code? {
        let channel: JSONValue = index % 5 == 0 ? "no channel" : "c"
        do throws(RegistryError) {
            _ = try await registry.create(
                ["deviceType": "ios", "deviceToken": .string("t\(index)"), "channels": [channel]], in: .installation,
                as: .client, at: .noon)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func whatFailsIsUndoneAlone() async throws {
        let codes = await withTaskGroup(of: RegistryError.Code?.self) { group in
            for index in 0..<200 { group.addTask { await register(index) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 160)
        #expect(codes.filter { $0 == .invalidChannel }.count == 40)
        #expect(try await registry.deviceCount() == 160)
    }

    @Test func aChangeThatThrowsAtItsEndLeavesNothing() async throws {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try? await registry.sqlite.write { db in
                        try db.execute(sql: "INSERT INTO class(name) VALUES (?)", arguments: ["C\(index)"])
                        if index % 2 == 0 { throw RegistryError.noEffect }
                    }
                }
            }
        }
        let names = try await registry.sqlite.read {
            try String.fetchSet($0, sql: "SELECT name FROM class WHERE name GLOB 'C*'")
        }
        #expect(names == Set((0..<50).filter { $0 % 2 == 1 }.map { "C\($0)" }))
    }

    @Test func whatWasAnsweredIsThereForOthers() async throws {
        let other = try Registry.test(at: fixture.path)
        defer { other.close() }
        await withTaskGroup(of: Void.self) { group in
            for index in 1..<40 where index % 5 != 0 {
                group.addTask {
                    _ = await register(index)
                    let query = ObjectQuery(where: ["deviceToken": .string("t\(index)")])
                    let found = try? await other.find(query, in: .installation, as: .master)
                    #expect(found?.results.count == 1)
                }
            }
        }
    }

    @Test func aTaskThatIsCancelledTakesNobodyWithIt() async throws {
        let tasks = (0..<100).map { index in Task { await register(index) } }
        for (index, task) in tasks.enumerated() where index % 3 > 0 { task.cancel() }
        for (index, task) in tasks.enumerated() {
            #expect(await task.value == (index % 5 == 0 ? .invalidChannel : nil))
        }
        #expect(try await registry.deviceCount() == 80)
    }

    @Test func aUniqueValueIsGivenOnce() async throws {
        var ids: [String] = []
        for index in 1...4 {
            ids.append(
                try await registry.create(
                    ["deviceType": "android", "installationId": .string("i\(index)")], in: .installation, as: .client,
                    at: .noon
                ).object.objectID)
        }
        let wins = await withTaskGroup(of: Bool.self) { group in
            for id in ids {
                group.addTask {
                    let written = try? await registry.update(
                        id, in: .installation, with: ["deviceToken": "one"], as: .client, at: .noon)
                    return written != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(wins == 1)
    }

    @Test func afterAFailedTransactionTheNextOneWorks() async throws {
        await #expect(throws: RegistryError.self) {
            try await registry.sqlite.write { db in try db.execute(sql: "ROLLBACK") }
        }
        #expect(await register(1) == nil)
        #expect(try await registry.deviceCount() == 1)
    }
}
