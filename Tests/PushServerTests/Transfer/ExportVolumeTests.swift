import Base
import DeviceRegistry
import Foundation
import GRDB
import ProgramTesting
import RegistryTesting
import Testing

/// An export of many devices and users, imported by the program.
@Suite struct ExportVolumeTests {
    /// The whole size is for the optimised program: 'make test-long'.
    private static let isLong =
        ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1" && BuiltProgram.areOthers
    private static let devices = isLong ? 200_000 : 2_000
    private static let users = isLong ? 50_000 : 500

    /// Writes the export: every fiftieth device registered anew under another id, every third user has an account elsewhere.
    private static func write(to folder: URL) async throws {
        var random = SeededGenerator(seed: 14)
        for part in 0..<2 {
            try write(
                "_Installation", part, to: folder,
                (0..<(devices / 2)).lazy.map { number in
                    let id = part * devices / 2 + number
                    let token = (0..<4).map { _ in String(format: "%016lx", random.next()) }.joined()
                    let time = "2026-10-\(10 + id % 20)T08:00:00.\(100 + id % 900)Z"
                    let again = id % 50 == 7 ? "\(id - 1)" : "\(id)"
                    return """
                        {"objectId":"d\(id)","createdAt":"2025-01-02T03:04:05.678Z","updatedAt":"\(time)","deviceType":"ios",\
                        "deviceToken":"\(token)","installationId":"i\(again)","channels":["Giants","c\(id % 97)"],"scores":true,\
                        "deviceProfile":"","apnsTopic":"com.example.giants","apnsTeamId":"ABCDE12345","timeZone":"Asia/Shanghai",\
                        "badge":\(id % 5),"user":{"__type":"Pointer","className":"_User","objectId":"u\(id % users)"},"valid":true}
                        """
                })
        }
        try write(
            "_User", 0, to: folder,
            (0..<users).lazy.map { id in
                """
                {"objectId":"u\(id)","createdAt":"2025-01-02T03:04:05.678Z","updatedAt":"2026-10-01T08:00:00.000Z",\
                "username":"user\(id)","password":"\(random.next())","salt":"\(random.next())","sessionToken":"\(random.next())",\
                \(id % 3 == 0 ? #""authData":{"weixin":{"openid":"x"}},"# : "")"emailVerified":false,"vip":\(id % 7 == 0)}
                """
            })
        try write("Note", 0, to: folder, (0..<users).lazy.map { "{\"objectId\":\"n\($0)\"}" })
    }

    private static func write(
        _ className: String, _ part: Int, to folder: URL, _ lines: some Sequence<String>
    ) throws {
        let file = folder.appending(path: "\(className).\(part).jsonl")
        try Data("#filetype:JSON-streaming {\"type\":\"Class\",\"class\":\"\(className)\"}\n".utf8).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        var text = ""
        for line in lines {
            text += line + "\n"
            if text.utf8.count > 1 << 20 {
                try handle.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    /// A number of everything that devices and users are, whatever rows they stand in.
    private static func hash(_ path: String) async throws -> (hash: Int, count: Int) {
        let registry = try Registry.test(at: path)
        defer { registry.close() }
        var (hasher, count) = (Hasher(), 0)
        for name in ["_Installation", "_User"] {
            var query = ObjectQuery(limit: 5000, order: ["objectId"], showsACL: true)
            var last = ""
            while true {
                query.condition = ["objectId": ["$gt": .string(last)]]
                let page = try await registry.find(query, in: try ClassName(name), as: .master).results
                for object in page { hasher.combine(object.canonicalText) }
                count += page.count
                guard page.count == query.limit, let end = page.last?["objectId"]?.string else { break }
                last = end
            }
        }
        return (hasher.finalize(), count)
    }

    @Test(.timeLimit(.minutes(20))) func importedTwiceOrKilledInTheMiddleItIsTheSameRegistry() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "volume-\(UUID())")
        let app = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.write(to: app)
        try await runShell("tar czf export.tar.gz app", in: folder)
        let export = folder.appending(path: "export.tar.gz").path
        func path(_ name: String) -> String { folder.appending(path: name).path }

        let first = try await MeasuredProgram.run(["import", export, "--data", path("a.sqlite")])
        #expect(first.status == 0, "\(first.output)")
        #expect(first.output.contains("salt \(Self.users)"), "\(first.output)")
        let wanted = try await Self.hash(path("a.sqlite"))
        #expect(wanted.count == Self.devices - Self.devices / 50 + Self.users)

        let again = try await MeasuredProgram.run(["import", export, "--data", path("a.sqlite")])
        #expect(again.status == 0 && again.output.contains("\(Self.users) read, 0 added, 0 updated"), "\(again.output)")
        #expect(try await Self.hash(path("a.sqlite")) == wanted)

        let data = path("b.sqlite")
        // The import stands still at a device of its last quarter, for longer than anybody waits, so that the kill
        // finds it in the middle, however late.
        try Registry.test(at: data).close()
        try await Self.change(
            """
            CREATE TRIGGER standstill AFTER INSERT ON installation WHEN NEW.id > \(Self.devices / 4 * 3)
            BEGIN SELECT COUNT(*) FROM installation a, installation b, installation c, installation d; END
            """, data)
        let killed = try await MeasuredProgram.run(["import", export, "--data", data]) {
            Self.devices(in: data) >= Self.devices / 4
        }
        #expect(killed.status == -9, "\(killed.output)")
        try await Self.change("DROP TRIGGER standstill", data)
        let between = try await Self.hash(data)
        #expect(between.count > 0 && between.count < wanted.count)
        let second = try await MeasuredProgram.run(["import", export, "--data", data])
        #expect(second.status == 0, "\(second.output)")
        #expect(try await Self.hash(data) == wanted)

        // Each of these holds the whole registry at once when memory is not bounded.
        let megabyte = 1_000_000
        for run in [first, again, second] { #expect(run.memory < 100 * megabyte, "\(run.memory) bytes") }
        print(
            "import: \(first.memory / megabyte) MB, \(first.time); again: \(again.memory / megabyte) MB, \(again.time)")
    }

    private static func change(_ sql: String, _ path: String) async throws {
        try await DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    /// How many devices are on the disk while the program runs; 0 when nobody can tell yet.
    private static func devices(in path: String) -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try? DatabaseQueue(path: path, configuration: configuration)
        return (try? queue?.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM installation") }) ?? 0
    }
}
