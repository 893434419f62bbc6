import Foundation
import PushServer
import Synchronization
import Testing

/// On a terminal an apply shows the plan, asks, and tells how it goes.
@Suite struct TerminalTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": .campaign("one"), "two.yaml": .campaign("two")]
    private static let question = "Only 'yes' is accepted: "

    private func apply(_ world: World, typing: [String]) async throws -> Terminal.Session {
        try await Terminal.run(
            ["apply", "-C", world.folder.path], environment: ["BUGLE_SERVER_KEY": World.masterKey],
            typing: typing.map { (Self.question, $0) })
    }

    @Test func aTypedYesSends() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let session = try await apply(world, typing: ["yes\n"])
            #expect(session.status == 0, "\(session.screen)")
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
            let parts = session.screen.split(separator: Self.question)
            #expect(parts.first?.contains("Deliveries: 2 to send") == true, "the plan is shown before the question")
            #expect(
                parts.last?.contains("░") == true && parts.last?.contains("3/3 send two") == true, "progress is drawn")
            #expect(parts.last?.contains("Applied: 3 done") == true)
        }
    }

    @Test(arguments: ["no\n", "y\n", "YES\n", "\n", "\u{4}"])
    func anythingElseChangesNothing(answer: String) async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let session = try await apply(world, typing: [answer])
            #expect(session.status == 10, "\(session.screen)")
            #expect(try await world.ledger() == [:])
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func aPlanThatMovedWhileSomebodyThoughtIsAskedForAgain() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            // The world moves between the answer and the lock: more than 100 devices subscribe.
            let hasMoved = Mutex(false)
            world.onRequest { request, instant in
                guard instant == .beforeHandling, request.method == "POST", request.path.contains("BugleLock") else {
                    return
                }
                let isFirst = hasMoved.withLock { moved in
                    defer { moved = true }
                    return !moved
                }
                if isFirst { try? await world.subscribers(150, prefix: "m") }
            }
            let session = try await apply(world, typing: ["yes\n", "yes\n"])
            #expect(session.status == 0, "\(session.screen)")
            #expect(session.screen.components(separatedBy: Self.question).count == 3, "\(session.screen)")
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
        }
    }

    /// How far an import is stands on one line that is drawn over, and is gone at the end.
    @Test func anImportShowsHowFarItIs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = (0..<2500).map { number in
            """
            {"objectId":"d\(number)","createdAt":"2026-01-01T00:00:00Z","deviceType":"ios","deviceToken":"t\(number)"}

            """
        }
        let export = folder.appending(path: "_Installation.0.jsonl").path
        try Data(lines.joined().utf8).write(to: URL(filePath: export))
        let session = try await Terminal.run(
            ["import", export, "--data", folder.appending(path: "d.sqlite").path], of: "bugle-server", environment: [:],
            typing: [])
        #expect(session.status == 0, "\(session.screen)")
        let drawn = session.screen.components(separatedBy: "\r\u{1B}[K")
        #expect(drawn.contains { $0.hasSuffix("%  _Installation: 1000 objects read") }, "\(drawn)")
        #expect(drawn.contains("100%  _Installation: 2500 objects read"), "\(drawn)")
        #expect(drawn.contains { $0.hasPrefix("_Installation: 2500 read, 2500 added") }, "\(drawn)")
    }
}
