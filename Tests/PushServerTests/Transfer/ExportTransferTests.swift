import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

@testable import PushServer

/// Whole exports, as the console delivers them.
@Suite struct ExportTransferTests {
    /// A folder with files of an export, and a shell's line that packs it as `a`.
    private func export(
        _ files: [String: String], _ shell: String = "mv app a", _ test: (String) async throws -> Void
    ) async throws {
        try await inFolder { folder in
            let app = folder.appending(path: "app")
            try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
            for (name, text) in files { try Data(text.utf8).write(to: app.appending(path: name)) }
            try await runShell(shell, in: folder)
            try await test(folder.appending(path: "a").path)
        }
    }

    private static func lines(_ values: [JSONValue], of className: String? = nil) -> String {
        let heading = className.map { #"#filetype:JSON-streaming {"type":"Class","class":"\#($0)"}"# + "\n" } ?? ""
        return heading + values.map { $0.canonicalText + "\n" }.joined()
    }

    private static func object(_ id: String, _ more: JSONObject = [:]) -> JSONValue {
        let object: JSONObject = ["objectId": .string(id), "createdAt": "2026-01-01T00:00:00.000Z"]
        return .object(object.merging(more) { $1 })
    }

    private static let files = [
        "_Installation.0.jsonl": lines([device(1), device(2)], of: "_Installation"),
        "_Installation.1.jsonl": lines([device(3), .string("broken"), device(4)]),
        "_User.0.jsonl": lines([object("u1", ["username": "a", "password": "geheim"])], of: "_User"),
        "Team.0.jsonl": lines([object("t1")], of: "Team"),
        "Note.0.jsonl": lines([object("n1"), object("n2")], of: "Note"),
        "README.txt": "an export",
    ]

    @Test(arguments: [
        "mv app a", "tar czf a app", "zip -qr a.zip app; mv a.zip a",
        "gzip app/*.jsonl; tar cf a app",
    ])
    func devicesUsersAndWhatConditionsPointToAreTaken(shell: String) async throws {
        try await export(Self.files, shell) { path in
            let registry = try await Registry.test()
            let work = try ExportTransfer(into: registry, pointedTo: ["Team"])
            let report = try await work.run(path: path)
            #expect(try await registry.contents().count == 4)
            #expect(try await registry.contents("_User").count == 1)
            #expect(try await registry.contents("Team").count == 1)
            await #expect(throws: RegistryError.self) { try await registry.contents("Note") }
            #expect(report.leftOut == ["Note": 1, "README": 1])
            #expect(!report.isComplete)
            let text = report.text
            #expect(text.contains("_Installation.1.jsonl line 2: it is not a JSON object"), "\(text)")
            #expect(text.contains("left out by design") && text.contains("password 1") && text.contains("Note"))
            // Again: the same, and nothing is written.
            let before = try await registry.contents()
            let again = try await work.run(path: path)
            #expect(again.classes.values.allSatisfy { $0.added == 0 && $0.updated == 0 })
            #expect(again.classes["_Installation"]?.kept == 4)
            #expect(try await registry.contents() == before)
        }
    }

    @Test func whatIsDroppedByDesignIsComplete() async throws {
        let files = Self.files.filter { $0.key != "_Installation.1.jsonl" }
        try await export(files, "tar czf a app") { path in
            let report = try await ExportTransfer(into: try await Registry.test()).run(path: path)
            #expect(report.isComplete, "\(report.text)")
            #expect(report.leftOut == ["Note": 1, "README": 1, "Team": 1])
        }
    }

    @Test func aClassThatConditionsPointToAndTheExportLacksIsSaid() async throws {
        try await export(["_Installation.0.jsonl": "[]"]) { path in
            let work = try ExportTransfer(into: try await Registry.test(), pointedTo: ["Team"])
            #expect(try await work.run(path: path).text.contains("Team: not in the export"))
        }
    }

    @Test(arguments: [
        ("Note.0.jsonl", "", "say --class Note"), ("x.json", "Note", "say --class Note"),
        ("_Installation.bson", "", "make the data export instead"),
    ])
    func aFileOfSomethingElseIsRefused(name: String, heading: String, words: String) async throws {
        let text = Self.lines([device(1)], of: heading.isEmpty ? nil : heading)
        try await export([name: text], "mv app a") { path in
            let registry = try await Registry.test()
            let work = try ExportTransfer(into: registry)
            let error = await #expect(throws: TransferError.self) { try await work.run(path: path + "/" + name) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            #expect(try await registry.contents().isEmpty)
        }
    }

    @Test(arguments: [
        ("devices.txt", [String](), "_Installation"), ("x.0.jsonl", ["x"], "x"), ("export.json", ["Note"], "Note"),
        ("_User.0.jsonl", [], "_User"), ("_User.json", ["Note"], "_User"),
    ])
    func aFileByItselfIsOfTheClassThatItsNameOrTheCommandSays(
        name: String, classes: [String], className: String
    ) async throws {
        try await export([name: Self.lines([device(1)])]) { path in
            let registry = try await Registry.test()
            let report = try await ExportTransfer(into: registry, classes: classes).run(path: path + "/" + name)
            #expect(report.classes.keys.sorted() == [className])
            #expect(try await registry.contents(className).count == 1)
        }
    }

    @Test func anExportWithoutAnythingThatIsTakenSaysWhatItHolds() async throws {
        try await export(["Note.0.jsonl": "", "Zoo.0.jsonl": ""], "tar czf a app") { path in
            let work = try ExportTransfer(into: try await Registry.test())
            let error = await #expect(throws: TransferError.self) { try await work.run(path: path) }
            #expect(error?.description.contains("holds no _Installation, _User, but Note, Zoo") == true)
        }
    }

    @Test(arguments: [
        ("cp app/_Installation.0.jsonl a", "is empty"), ("echo > a", "is empty"), (": | gzip > a", "is empty"),
        ("tar cf a -T /dev/null", "is empty"), ("mv app a", "empty files only"), ("tar czf a app", "empty files only"),
        ("zip -qr a.zip app; mv a.zip a", "empty files only"), ("mkdir a", "holds no _Installation, _User"),
    ])
    func anExportWithoutAnyRowsOrListIsAnError(shell: String, words: String) async throws {
        try await export(["_Installation.0.jsonl": "", "_User.0.jsonl": "\n"], shell) { path in
            let work = try ExportTransfer(into: try await Registry.test())
            let error = await #expect(throws: TransferError.self) { try await work.run(path: path) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    /// Also those that were added before the newer one came.
    @Test(arguments: [[1, 2, 3], [3, 2, 1]])
    func devicesThatGaveWayAreCountedWhateverTheOrder(order: [Int]) async throws {
        let rows = order.map { device($0, token: "t", updated: "2026-10-0\($0)T00:00:00.000Z") }
        try await export(["_Installation.0.jsonl": Self.lines(rows)]) { path in
            let report = try await ExportTransfer(into: try await Registry.test()).run(path: path)
            #expect(report.isComplete && report.text.contains("2 devices in all are kept aside"), "\(report.text)")
        }
    }

    @Test func anEmptyFileAmongOthersIsSaid() async throws {
        let files = ["_Installation.0.jsonl": Self.lines([device(1)]), "_Installation.1.jsonl": ""]
        try await export(files, "tar czf a app") { path in
            let report = try await ExportTransfer(into: try await Registry.test()).run(path: path)
            #expect(!report.isComplete)
            #expect(report.text.contains("_Installation.1.jsonl: the file is empty"), "\(report.text)")
        }
    }

    @Test func whatWasReadOfAnArchiveThatIsCutOffStays() async throws {
        let many = (0..<3000).map { device($0) }
        try await export(
            ["_Installation.0.jsonl": Self.lines(many)], "tar cf - app | head -c 400000 > a"
        ) { path in
            let registry = try await Registry.test()
            let work = try ExportTransfer(into: registry)
            let error = await #expect(throws: TransferError.self) { try await work.run(path: path) }
            #expect(error?.description.contains("ends too early") == true, "\(error?.description ?? "")")
            #expect(try await registry.contents().count >= 1000)
        }
    }

    @Test func conditionsOfEveryFormNameTheirClasses() throws {
        let conditions: [(JSONValue, Set<String>)] = [
            (["scores": true], []), (["owner": ["$inQuery": ["vip": true]]], ["_User"]),
            (
                ["t": ["$notInQuery": ["className": "Team", "where": ["c": ["$inQuery": ["className": "City"]]]]]],
                ["Team", "City"]
            ),
            (["$or": [["a": ["$select": ["query": ["className": "Fan"], "key": "x"]]], ["b": 1]]], ["Fan"]),
            (
                ["$relatedTo": ["object": ["__type": "Pointer", "className": "Post", "objectId": "1"], "key": "l"]],
                ["Post"]
            ),
            (["i": ["$inQuery": ["className": "_Installation", "where": [:]]]], []),
        ]
        for (condition, wanted) in conditions {
            var classes: Set<String> = []
            collectClasses(in: condition, into: &classes)
            #expect(classes == wanted, "\(condition)")
        }
    }
}
