import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

@testable import PushServer

/// Exports in forms that people have at hand: each is read, or refused with its line.
@Suite struct OddExportTests {
    /// Imports what a shell's line makes of `rows`, a file with these lines, and of `app`, a folder with it.
    private func imported(
        _ lines: [String], by shell: String, named name: String = "a"
    ) async throws -> (registry: Registry, report: ExportReport?, error: TransferError?) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "odd-\(UUID())")
        let app = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: folder.appending(path: "rows"))
        try Data(text.utf8).write(to: app.appending(path: "_Installation.0.jsonl"))
        try await runShell(shell, in: folder)
        let registry = try await Registry.test()
        do throws(TransferError) {
            let report = try await ExportTransfer(into: registry).run(path: folder.appending(path: name).path)
            return (registry, report, nil)
        } catch {
            return (registry, nil, error)
        }
    }

    private static let rows = (1...6).map { device($0).canonicalText }

    @Test(arguments: [
        "tar czf b app; gzip -c b > a", "gzip -c rows | gzip -c > a", "tar cf b app; gzip -c b | gzip -c > a",
    ])
    func whatIsPackedTwiceIsRead(shell: String) async throws {
        let made = try await imported(Self.rows, by: shell)
        #expect(made.report?.classes["_Installation"]?.added == 6, "\(String(describing: made.error))")
    }

    @Test func halfAnArchiveIsAnErrorAndWhatWasReadOfItStays() async throws {
        let many = (1...3000).map { device($0, ["more": .string("\(UUID())\(UUID())")]).canonicalText }
        let made = try await imported(many, by: "tar czf b app; head -c $(($(stat -c %s b) / 2)) b > a")
        let error = try #require(made.error)
        #expect(error.description.contains("ends too early"), "\(error)")
        // Bounded by what was whole in the half.
        let count = try await made.registry.contents().count
        #expect(count > 0 && count < 3000)
    }

    @Test func leadingHashLinesAreNoRows() async throws {
        let lines = ["# exported by somebody", #"#filetype:JSON-streaming {"type":"Class","class":"_Installation"}"#]
        let made = try await imported(lines + Self.rows, by: "mv rows a")
        let report = try #require(made.report)
        #expect(report.classes["_Installation"]?.added == 6 && report.isComplete, "\(report.text)")
    }

    @Test func aHeadingBetweenRowsIsPassedOverAndThatOfAnotherClassRefused() async throws {
        func heading(_ name: String) -> String { #"#filetype:JSON-streaming {"type":"Class","class":"\#(name)"}"# }
        let same = try await imported(
            Self.rows.prefix(3) + [heading("_Installation")] + Self.rows.suffix(3), by: "mv rows a")
        #expect(same.report?.classes["_Installation"]?.added == 6 && same.report?.isComplete == true)
        let other = try await imported(Self.rows.prefix(3) + [heading("Team"), #"{"objectId":"t1"}"#], by: "mv rows a")
        #expect(other.error?.description.contains("line 4: the objects of class Team begin here") == true)
        #expect(try await other.registry.contents().count == 3)
    }

    @Test(arguments: [
        ("objectId,deviceType,deviceToken", "a", 1), ("\"objectId\";\"deviceType\"", "a", 1),
        ("# a comment\nobjectId\tdeviceType", "a", 2), ("objectId,deviceType", "_Installation.csv", 1),
    ])
    func aTableIsRefusedWithItsLine(head: String, name: String, line: Int) async throws {
        let made = try await imported([head, "id1,ios,token1"], by: "mv rows \(name)", named: name)
        let error = try #require(made.error)
        #expect(error.description.contains("line \(line): this is a table (CSV)"), "\(error)")
        #expect(error.description.contains("JSON form"), "\(error)")
    }

    @Test func aTableInAnArchiveIsRefusedToo() async throws {
        let made = try await imported(
            ["objectId,deviceType"], by: "mv app/_Installation.0.jsonl app/_Installation.csv; tar czf a app")
        #expect(made.error?.description.contains("_Installation.csv line 1: this is a table") == true)
    }

    /// As lines and as a list.
    @Test(arguments: [false, true])
    func aRowWithoutItsBraceCostsItselfOnlyAndIsNamed(isList: Bool) async throws {
        var lines = Self.rows
        lines[2].removeLast()
        if isList {
            lines = lines.enumerated().map { ($0.offset == 0 ? "[" : "") + $0.element + ($0.offset == 5 ? "]" : ",") }
        }
        let made = try await imported(lines, by: "mv rows a")
        let report = try #require(made.report?.classes["_Installation"])
        #expect(report.added == 5 && report.skippedCount == 1, "\(report.text)")
        #expect(report.examples.map(\.place) == ["line 3"], "\(report.text)")
    }

    @Test func columnsThatNobodyKnowsAreKept() async throws {
        let row = device(1, ["favourite": ["a": [1]], "className": "_Installation", "__type": "Object", "empty": nil])
        let made = try await imported([row.canonicalText], by: "mv rows a")
        #expect(made.report?.classes["_Installation"]?.added == 1, "\(made.report?.text ?? "")")
        let kept = try JSONValue(parsing: try #require(try await made.registry.contents().first))
        #expect(kept["favourite"] == ["a": [1]] && kept["className"] == nil && kept["empty"] == nil)
    }
}
