import Base
import DeviceRegistry
import Foundation
import RegistryTesting
import Testing

@testable import PushServer

@Suite struct HostileExportTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let deep = bytes(
        #"{"objectId":"deep","createdAt":"2026-01-01T00:00:00Z","a":"# + String(repeating: "[", count: 10_000)
            + String(repeating: "]", count: 10_000) + "}")

    /// Elements that cannot be taken, each with the reason that is given.
    private static let broken: [(bytes: [UInt8], reason: String)] = [
        (bytes(#"{"objectId":"a",""#) + [0xFF, 0xFE] + bytes(#"":1}"#), "it is not UTF-8"),
        (deep, "it is nested deeper than 100"),
        (bytes("17"), "it is not a JSON object"),
        (bytes(#""text""#), "it is not a JSON object"),
        (bytes("[1]"), "it is not a JSON object"),
        (bytes(#"{"a":1,}x"#), "it is not JSON"),
        (bytes(#"{"deviceType":"ios"}"#), "it has no 'objectId' of letters, digits and '_'"),
        (bytes(#"{"objectId":"a'; DROP TABLE installation; --"}"#), "it has no 'objectId' of letters, digits and '_'"),
        (bytes(#"{"objectId":"a"}"#), "it has no 'createdAt'"),
        (bytes(#"{"objectId":"a","createdAt":17}"#), "its 'createdAt' is no time"),
        (bytes(#"{"objectId":"a","createdAt":"2026-01-01T00:00:00Z","updatedAt":"x"}"#), "its 'updatedAt' is no time"),
        (bytes(device(91, ["deviceType": nil]).canonicalText), "deviceType must be specified."),
        (bytes(device(92, ["channels": [1]]).canonicalText), "A channel's name is a text."),
        (bytes(device(93, ["installationId": 1]).canonicalText), "'installationId' is a text."),
        (bytes(device(94, ["a b": 1]).canonicalText), "Invalid key name: 'a b'."),
        (
            bytes(device(95, ["place": ["__type": "GeoPoint", "latitude": 91, "longitude": 0]]).canonicalText),
            "A GeoPoint has a latitude from -90 to 90 and a longitude from -180 to 180."
        ),
    ]

    private static func good(_ number: Int) -> [UInt8] { device(number).canonicalBytes }

    @Test(arguments: ["\u{200B}", "\u{202E}", "\u{2066}", "\u{85}", "\u{1B}", "\r", "\n", "##[command]"])
    func aReportShowsNoHiddenCharacterAndNoCommand(text: String) {
        var report = TransferReport("Note")
        report.skip("a\(text)b", at: "::error::\(text)")
        #expect(report.text.split(separator: "\n").count == 4)
        #expect(text == "\n" || !report.text.contains(text))
    }

    @Test(arguments: [1, 1000, 1 << 20])
    func aBrokenLineCostsItselfOnly(size: Int) async throws {
        let registry = try await Registry.test()
        var file: [UInt8] = []
        for (index, element) in Self.broken.enumerated() {
            file += Self.good(index) + Self.bytes("\n") + element.bytes + Self.bytes("\n")
        }
        let report = try await imported(file, into: registry, pieces: size)
        #expect(report.added == Self.broken.count)
        #expect(report.skippedCount == Self.broken.count)
        let wanted = Self.broken.enumerated().map { "line \(2 * $0.offset + 2): \($0.element.reason)" }
        #expect(report.examples.map { "\($0.place): \($0.reason)" }.sorted() == wanted.sorted())
    }

    @Test func aBrokenElementOfAListCostsItselfOnly() async throws {
        let registry = try await Registry.test()
        var file = Self.bytes("[")
        for (index, element) in Self.broken.enumerated() where !element.bytes.ends(with: "x") {
            file += Self.good(index) + Self.bytes(",") + element.bytes + Self.bytes(",")
        }
        file += Self.good(1000) + Self.bytes("]")
        let report = try await imported(file, into: registry)
        #expect(report.added == Self.broken.count, "\(report.text)")
        #expect(report.skippedCount == Self.broken.count - 1, "\(report.text)")
    }

    @Test func aTextWithoutAnEndCostsNoLineButItsOwnInAList() async throws {
        let registry = try await Registry.test()
        let lines = [
            String(decoding: Self.good(1), as: UTF8.self), #"{"objectId":"x","name":"no end},"#,
            String(decoding: Self.good(2), as: UTF8.self), #"  {"a": "b": [[["#,
        ]
        let report = try await imported("[" + lines.joined(separator: ",\n"), into: registry)
        #expect(report.added == 2, "\(report.text)")
        #expect(
            report.examples.map(\.reason) == [ElementSplitter.brokenText, ElementSplitter.cutOff], "\(report.text)")
        #expect(report.examples.map(\.place) == ["line 2", "line 4"])
    }

    /// Rows that are lost without a word would be devices that no push reaches any more.
    @Test(arguments: [
        ("[{\"a\":1},", ElementSplitter.cutOff), ("[", ElementSplitter.cutOff),
        ("[{\"a\":1}]\n[{\"a\":2}]", ElementSplitter.more), ("{\"results\":[]}\n{\"a\":2}", ElementSplitter.more),
        ("{\"results\":[{\"a\":1}],\"count\":1, \"z\": [{\"{\": 1}], \"y\":\"[\\\"{\"}\n", nil),
    ])
    func aListEndsWhereItsFileEnds(text: String, fault: String?) {
        let bytes = Self.bytes(text)
        let head = ExportHead(bytes)
        var splitter = ElementSplitter(head.form, line: head.line)
        let elements = splitter.elements(in: bytes[head.count...]) + [splitter.last()].compactMap(\.self)
        #expect(head.form == .list)
        #expect(elements.compactMap(\.fault) == [fault].compactMap(\.self))
    }

    /// Without its bracket an element would take all that follow with it.
    @Test(arguments: [",", ",\n", "\n,  "])
    func anElementWithoutItsEndCostsItselfOnly(separator: String) async throws {
        for end in ["", #","loc":{"a":1"#, #","loc":{"a":[{"b":1}]"#, #","l":[1"#, #","l":[[{"a":1}]"#] {
            var rows = (0..<6).map { device($0).canonicalText }
            rows[2] = rows[2].dropLast() + end
            let report = try await imported(
                "[" + rows.joined(separator: separator) + "]", into: try await Registry.test())
            // Behind a list that has no end, all that follow could be of that list.
            let fault = end.contains("l\":[") ? ElementSplitter.cutOff : ElementSplitter.broken
            #expect(report.skipped == [fault: 1], "\(end): \(report.text)")
            #expect(report.added == (fault == ElementSplitter.broken ? 5 : 2), "\(end): \(report.text)")
        }
    }

    /// Whichever mark is lost: what is lost with it is said, and all but what stands around it is read.
    @Test(arguments: ["", "\n"])
    func oneMarkThatIsLostNeverLooksComplete(newLine: String) async throws {
        let rows = (0..<5).map { device($0, ["loc": ["a": [["b": 1], [2]]]]).canonicalText }
        let list = Array(("[" + rows.joined(separator: "," + newLine) + "]").utf8)
        let whole = try await Registry.test()
        try await imported(list, into: whole)
        let wanted = try await whole.contents()
        let (row, separator) = (rows[0].utf8.count, 1 + newLine.utf8.count)
        // The third with what stands around it, and the end.
        let places = Array(1 + 2 * row + separator..<2 + 3 * row + 3 * separator) + [list.count - 1]
        for place in places where "{}[]\",:".utf8.contains(list[place]) {
            var bytes = list
            bytes.remove(at: place)
            let registry = try await Registry.test()
            let report = try await imported(bytes, into: registry)
            let isWhole = try await registry.contents() == wanted
            let around = String(decoding: bytes[max(0, place - 20)..<min(bytes.count, place + 20)], as: UTF8.self)
            #expect(isWhole || report.skippedCount > 0, "\(around)")
            #expect(isWhole || report.added >= 3, "\(around): \(report.text)")
        }
    }

    @Test func aRowWithAFieldNamedResultsIsARow() {
        let head = ExportHead(Self.bytes(#"{"objectId":"a","results":[1]}"#))
        #expect(head.form == .lines && head.count == 0)
    }

    @Test func aCutOffLastLineIsSaidToBeThat() async throws {
        let registry = try await Registry.test()
        let text = String(decoding: Self.good(1) + Self.bytes("\n") + Self.good(2).dropLast(20), as: UTF8.self)
        let report = try await imported(text, into: registry)
        #expect(report.added == 1)
        #expect(report.examples == [.init(place: "line 2", reason: ElementSplitter.cutOff)])
    }

    @Test func aHugeElementIsNotKeptInMemory() async throws {
        for list in [false, true] {
            let registry = try await Registry.test()
            var pieces: [[UInt8]] = [Self.bytes(list ? "[" : ""), Self.good(1), Self.bytes(list ? "," : "\n")]
            pieces.append(Self.bytes(#"{"objectId":"big","a":""#))
            pieces += Array(repeating: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20), count: list ? 17 : 40)
            pieces += [Self.bytes(list ? "\"}," : "\"}\n"), Self.good(2), Self.bytes(list ? "]" : "\n")]
            pieces.removeAll(where: \.isEmpty)
            var rest = pieces[...]
            let report = try await imported(into: registry) { rest.popFirst() ?? [] }
            #expect(report.added == 2)
            #expect(report.skipped == [ElementSplitter.tooLarge: 1])
        }
    }

    @Test func namesOfChannelsThatBreakTheRuleAreLeftOutAndSaid() async throws {
        let registry = try await Registry.test()
        let report = try await imported(
            device(1, ["channels": ["Giants", "user@example.com", "新闻", ""]]).canonicalBytes, into: registry)
        #expect(report.added == 1 && report.mended == 1)
        #expect(try await registry.contents()[0].contains(#""channels":["Giants","新闻",""]"#))
    }

    /// Found in live data: nothing can be sent to them, so nothing is lost.
    @Test func devicesThatNoPushCouldReachAreLeftOutByDesign() async throws {
        let registry = try await Registry.test()
        let description = "{length = 32, bytes = 0x0a1b ... 2c3d}"
        let lines = [
            device(1, ["deviceToken": ""]), device(2, ["deviceToken": nil]), device(3, token: description),
            device(4, ["deviceType": "android", "deviceToken": nil]), device(5),
        ]
        let report = try await imported(lines.map(\.canonicalText).joined(separator: "\n"), into: registry)
        #expect(report.added == 1 && report.unreachable == 4 && report.skippedCount == 0, "\(report.text)")
        #expect(report.text.contains("4 devices left out by design"))
    }

    @Test func aReportCannotSteerATerminal() async throws {
        let registry = try await Registry.test()
        let report = try await imported(
            device(1, ["\u{1B}[2J\n::error::x": 1]).canonicalBytes, into: registry)
        #expect(report.skippedCount == 1)
        #expect(!report.text.contains("\u{1B}"))
        #expect(!report.text.split(separator: "\n").contains { $0.hasPrefix("::") })
    }

    @Test func manyDifferentReasonsAreBounded() async throws {
        let registry = try await Registry.test()
        let lines = (0..<500).map { device($0, ["bad key \($0)": 1]).canonicalText }
        let report = try await imported(lines.joined(separator: "\n"), into: registry)
        #expect(report.skippedCount == 500)
        #expect(report.skipped.count <= TransferReport.mostReasons + 1)
        #expect(report.examples.count == TransferReport.mostNamed)
    }

    @Test func thousandsOfObjectsGoInSeveralTransactions() async throws {
        let registry = try await Registry.test()
        let text = (0..<2500).map { device($0).canonicalText }.joined(separator: "\n")
        #expect(try await imported(text, into: registry, pieces: 100_000).added == 2500)
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
