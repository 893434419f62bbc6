import Diagnostics
import Foundation
import PushModel
import Testing

@testable import PushConfig

/// What newcomers get wrong in files: each is told what is wrong, where, and what to do. `MistakenCommandTests` has the
/// commands.
@Suite struct CommonMistakeTests {
    /// A mistake in a campaign, and everything that is said: message, place and help.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let said: [String]

        init(_ name: String, _ text: String, _ said: String...) { self.init(name, Array(text.utf8), said) }

        init(_ name: String, _ bytes: [UInt8], _ said: [String]) {
            self.name = name
            self.bytes = bytes
            self.said = said
        }

        var testDescription: String { name }
    }

    /// A valid campaign with a part of it replaced.
    private static func campaign(_ part: String, _ replacement: String) -> String {
        MistakeTableTests.Mistake(part, replacement).text(in: MistakeTableTests.campaign)
    }

    private static func body(_ text: String) -> String { campaign("Giants won", text) }

    private static func schedule(_ at: String) -> String { campaign("expiration", "schedule: {at: \(at)}\nexpiration") }

    private static func message(_ field: String) -> String { campaign("  body", "  \(field)\n  body") }

    private static func `where`(_ condition: String) -> String { campaign("channels: [Giants]", "where: \(condition)") }

    private static let mapping = "keys of the same mapping begin in the same column"
    private static let instant = "'at' must be an instant such as 2026-11-27T20:00:00+08:00, but found"
    private static let duration = "'after' must be a duration such as 90s, 15m, 36h, 7d or 2w, but found"

    static let yaml: [Mistake] = [
        Mistake(
            "a tab", campaign("  body", "\tbody"), "6:1 a tab cannot indent a line", "use spaces, two for each level"),
        Mistake(
            "@", body("@everyone Giants won"), "6:9 a text cannot begin with '@'", "put the text in quotes"),
        Mistake("*", body("*Giants* won"), "6:9 a text cannot begin with '*'", "put the text in quotes"),
        Mistake(
            "indented too far", message("title: Giants").replacing("  body", with: "   body"),
            "7:8 this line is indented further than the one above, which is complete", mapping),
        Mistake(
            "indented too little", message("title: Giants").replacing("  body", with: " body"),
            "7:2 the indentation of this line fits no line above it", mapping),
        Mistake(
            "a full-width colon", campaign("body: ", "body："),
            "6:3 'message' must be a mapping, but found a string", "write ': ' instead of the full-width '：'"),
        Mistake(
            "a full-width colon at the top", campaign("name: ", "name："),
            "2:1 this line has no ': ' and continues nothing", "write ': ' instead of the full-width '：'"),
        Mistake(
            "no space after the colon", campaign("body: ", "body:"),
            "6:3 'message' must be a mapping, but found a string", "put a space after ':'"),
        Mistake(
            "a colon in the text", body("Today: 50% off"), "6:14 a text that contains ': ' must be quoted",
            "put the text in quotes"),
        Mistake(
            "an unclosed quote", body("\"Giants won"), "6:9 the quote that opens here is never closed",
            "add \" at its end"),
        Mistake(
            "an unclosed quote before another", message("title: \"Giants").replacing("Giants won", with: "\"won\""),
            "6:10 the quote that opens here is closed only in line 7",
            #"close it where the text ends; inside the quotes write \" for ""#),
        Mistake(
            "an apostrophe", body("'It's now 2-2'"), "6:13 nothing may follow the closing quote",
            "inside the quotes write '' for ', and quote all of the text"),
        Mistake(
            "an unclosed bracket", campaign("[Giants]", "[Giants"), "4:13 the '[' that opens here is not closed",
            "add ']', or the ',' that is missing between two of its entries"),
        Mistake(
            "a text that is a comment", body("#1 in the league"),
            "6:8 'body' must be a string or a mapping, but found null",
            "'#' begins a comment: put the text in quotes"),
        Mistake(
            "a text that ends in a comment", body("We are #1"), "6:9 'body' ends where '#' begins a comment",
            "put the text in quotes if the rest of the line is part of it"),
        Mistake(
            "a merge conflict",
            campaign("  body: Giants won", "<<<<<<< HEAD\n  body: a\n=======\n  body: b\n>>>>>>> x"),
            "6:1 a merge conflict is not resolved",
            "keep one side and delete the lines that begin with <<<<<<<, ======= and >>>>>>>"),
        Mistake(
            "no line between two documents", "kind: Channel\nname: A\nkind: Channel\nname: B\n",
            "3:1 duplicate key 'kind'", "if a second document begins here, put a line '---' above it",
            "4:1 duplicate key 'name'"),
        Mistake(
            "UTF-16", [0xFF, 0xFE] + body("won").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            ["1:1 the file is encoded in UTF-16, but only UTF-8 is read", "save the file as UTF-8"]),
        Mistake(
            "a mark at the beginning and CR LF", [0xEF, 0xBB, 0xBF] + body("won").replacing("\n", with: "\r\n").utf8, []
        ),
        Mistake(
            "JSON", #"{"kind": "Campaign", "name": "a", "audience": {"everyone": true}, "message": {"body": "won"}}"#),
        Mistake("an empty file", ""),
    ]

    static let fields: [Mistake] = [
        Mistake(
            "body one level out", campaign("  body", "body"), "5:9 'message' must be a mapping, but found null",
            "indent its fields under it", "6:1 unknown key 'body'; it belongs in 'message'"),
        Mistake("alert", campaign("body", "alert"), "6:3 unknown key 'alert'; did you mean 'body'?"),
        Mistake("channel", campaign("channels", "channel"), "4:3 unknown key 'channel'; did you mean 'channels'?"),
        Mistake(
            "push_time", campaign("expiration", "push_time: 2026-11-27T20:00:00+08:00\nexpiration"),
            "7:1 unknown key 'push_time'; did you mean 'schedule.at'?"),
        Mistake(
            "expire", campaign("expiration: {after: 7d}", "expire: 7d"),
            "7:1 unknown key 'expire'; did you mean 'expiration'?"),
        Mistake(
            "a custom key beside the message", message("newsItem: 5"), "6:3 unknown key 'newsItem'",
            "custom keys belong in 'data'"),
        Mistake(
            "badge: +1", message("badge: +1"), "6:10 'badge' is set to a number, not raised by it",
            "write increment to add one, or the number without '+'"),
        Mistake(
            "contentAvailable: 1", message("contentAvailable: 1"),
            "6:21 'contentAvailable' must be true or false, but found an integer", "write true"),
        Mistake(
            "environment: dev", campaign("expiration", "environment: dev\nexpiration"),
            "7:14 'environment' must be production or development, but found 'dev'; did you mean 'development'?"),
        Mistake(
            "audience: everyone", campaign("\n  channels: [Giants]", " everyone"),
            "3:11 'audience' must be a mapping, but found a string", "write {everyone: true}"),
        Mistake(
            "after: 604800", campaign("7d", "604800"), "7:21 \(duration) an integer", "write 604800s or 7d"),
        Mistake("after: 7 days", campaign("7d", "7 days"), "7:21 \(duration) '7 days'", "write 7d"),
        Mistake(
            "expiration: 7d", campaign("{after: 7d}", "7d"),
            "7:13 'expiration' must be {after: 7d}, {at: INSTANT} or never, but found a string", "write {after: 7d}"),
        Mistake(
            "a thirteenth month", schedule("2026-13-01T20:00:00+08:00"), "7:16 \(instant) '2026-13-01T20:00:00+08:00'",
            "there is no day 2026-13-01"),
        Mistake(
            "no zone", schedule("2026-11-27T20:00:00"), "7:16 \(instant) '2026-11-27T20:00:00'",
            "add the offset from UTC, for example 2026-11-27T20:00:00+08:00, or 'zone: device', which sends when each "
                + "device's own clock shows the time"),
        Mistake(
            "an undeclared channel", campaign("[Giants]", "[Dodgers]"), "4:14 channel 'Dodgers' is not declared",
            "declare it in a document with kind: Channel and name: Dodgers"),
        Mistake(
            "$contains", `where`("{name: {$contains: a}}"), "4:18 unknown operator '$contains'",
            "'$regex' matches part of a string; field: value matches an element of a list"),
        Mistake(
            "an operator without $", `where`("{age: {gte: 18}}"),
            "4:17 'gte' is a field of an object here, not an operator", "write '$gte' to compare"),
        Mistake(
            "a path for a certificate",
            "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\ncertificate: d.p12\n",
            "5:14 'certificate' must be a mapping, but found a string", "write {file: d.p12}"),
    ]

    @Test(arguments: yaml + fields) func aMistakeInAFileIsSaidWithItsPlaceAndWhatToDo(_ mistake: Mistake) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", Sample.workspace)
        folder.write("resources.yaml", Sample.resources)
        folder.write("x.yaml", bytes: mistake.bytes)
        #expect(await folder.load().diagnostics.flatMap(Self.said) == mistake.said)
    }

    @Test(arguments: [
        (
            "https://giants.lncldglobal.com/1.1",
            ["7:10 'url' must end before the version: leave '/1.1' out", "write https://giants.lncldglobal.com"]
        ),
        (
            "giants.example.com",
            [
                "7:10 'url' must begin with https:// (or http:// for this machine)",
                "write https://giants.example.com",
            ]
        ),
    ]) func anAddressThatIsNearlyRightIsCompleted(url: String, said: [String]) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", Sample.workspace.replacing("http://127.0.0.1:8710", with: url))
        #expect(await folder.load().diagnostics.flatMap(Self.said) == said)
    }

    /// The suggestions of the table would mislead if a field had another name.
    @Test func everyFieldThatIsSuggestedExists() {
        let reference = DocumentKind.allCases.map(\.description)
        for (word, path) in Mistakes.fields {
            var map = reference.first { path.hasPrefix($0.name + ".") }
            for name in path.split(separator: ".").dropFirst() where name != "<name>" {
                let field = map?.fields.first { $0.name == name }
                #expect(field != nil, "\(word): \(path)")
                map = field?.type.maps.first
            }
        }
    }

    private static func said(_ diagnostic: Diagnostic) -> [String] {
        let start = diagnostic.range?.start
        let place = "\(start?.line ?? 0):\(start?.column ?? 0)"
        return ["\(place) \(diagnostic.message)"] + (diagnostic.help.map { [$0] } ?? [])
    }
}
