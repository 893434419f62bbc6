import Base
import DeviceRegistry
import Foundation
import RegistryTesting
import Testing

@testable import PushServer

@Suite struct ExportImportTests {
    private static let devices = (0..<5).map { device($0) }
    private static let lines = devices.map(\.canonicalText)

    /// One export in every layout that is read.
    static let layouts: [String: String] = [
        "lines": lines.joined(separator: "\n"),
        "linesWithEnd": lines.joined(separator: "\n") + "\n",
        "windows": "\u{FEFF}" + lines.joined(separator: "\r\n") + "\r\n",
        "blankLines": "\n\n" + lines.joined(separator: "\n\n  \n") + "\n\n",
        "heading": "#filetype:JSON-streaming {\"type\":\"Class\",\"class\":\"_Installation\"}\n"
            + lines.joined(separator: "\n"),
        "list": "[" + lines.joined(separator: ",") + "]",
        "listOfLines": "[\n" + lines.joined(separator: ",\n") + "\n]\n",
        "pretty": JSONValue.array(devices).prettyText,
        "results": JSONValue.object(["results": .array(devices)]).canonicalText,
        "resultsBehindOthers": JSONValue.object(["cursor": "x\"[]", "count": 5, "a": [[1]], "results": .array(devices)])
            .canonicalText,
        "prettyResults": JSONValue.object(["results": .array(devices), "z": [1]]).prettyText,
        "headingAndList": "# a\n# b\n[" + lines.joined(separator: " , ") + "]",
    ]

    @Test(arguments: layouts.keys.sorted(), [1, 7, 1 << 20])
    func everyLayoutGivesTheSameObjects(layout: String, size: Int) async throws {
        let registry = try await Registry.test()
        let report = try await imported(try #require(Self.layouts[layout]), into: registry, pieces: size)
        #expect(report.added == 5 && report.read == 5, "\(report.text)")
        let wanted = Self.devices.map { device in
            var device = device
            device["valid"] = true
            return device.canonicalText
        }
        #expect(try await registry.contents() == wanted)
    }

    @Test func idsTimesAndACLsStayAsTheyAre() async throws {
        let registry = try await Registry.test()
        let typed: JSONValue = ["__type": "Date", "iso": "2025-05-06T07:08:09.123Z"]
        let acl: JSONValue = ["*": ["read": true]]
        let object = device(1, ["createdAt": typed, "updatedAt": typed, "ACL": acl, "valid": false, "nothing": nil])
        _ = try await imported(object.canonicalText, into: registry)
        let text = try #require(try await registry.contents().first)
        let stored = try JSONValue(parsing: text)
        #expect(stored["objectId"] == "id1")
        #expect(stored["createdAt"] == "2025-05-06T07:08:09.123Z")
        #expect(stored["updatedAt"] == "2025-05-06T07:08:09.123Z")
        #expect(stored["ACL"] == acl)
        #expect(stored["valid"] == false)
        #expect(stored["nothing"] == nil)
    }

    @Test func importedTwiceNothingChanges() async throws {
        let registry = try await Registry.test()
        let text = Self.lines.joined(separator: "\n")
        _ = try await imported(text, into: registry)
        let first = try await registry.contents()
        let again = try await imported(text, into: registry)
        #expect(again.kept == 5 && again.added == 0 && again.updated == 0)
        #expect(try await registry.contents() == first)
    }

    @Test func theVersionWrittenLaterStays() async throws {
        let registry = try await Registry.test()
        _ = try await imported(device(1, updated: "2026-10-02T00:00:00.000Z", ["a": 1]).canonicalText, into: registry)
        let older = device(1, updated: "2026-10-01T00:00:00.000Z", ["a": 2]).canonicalText
        #expect(try await imported(older, into: registry).kept == 1)
        #expect(try await registry.contents()[0].contains(#""a":1"#))
        let newer = device(1, updated: "2026-10-03T00:00:00.000Z", ["a": 3]).canonicalText
        #expect(try await imported(newer, into: registry).updated == 1)
        #expect(try await registry.contents()[0].contains(#""a":3"#))
    }

    /// Old apps took their token from how the system shows its bytes.
    @Test(arguments: ["0A1B2C3D", "<0a1b2c3d>", "<0A1B 2C3D>", "0a1b 2c3d"])
    func ofTwoSpellingsOfOneTokenTheLaterStaysWhateverTheOrder(spelling: String) async throws {
        let old = device(1, token: spelling, updated: "2026-10-01T00:00:00.000Z")
        let new = device(2, token: "0a1b2c3d", updated: "2026-10-02T00:00:00.000Z")
        for order in [[old, new], [new, old]] {
            let registry = try await Registry.test()
            for _ in 0..<2 {
                _ = try await imported(order.map(\.canonicalText).joined(separator: "\n"), into: registry)
                let left = try await registry.contents().map { try JSONValue(parsing: $0) }
                #expect(left.map { $0["objectId"] } == ["id2"])
                #expect(left.map { $0["deviceToken"] } == ["0a1b2c3d"])
            }
        }
    }

    @Test func aTokenIsSpelledAsDevicesRegisterItAndADescriptionIsRefused() async throws {
        let registry = try await Registry.test()
        let lines = [device(1, token: "<0A1B 2C3D>"), device(2, token: "{length = 32, bytes = 0x0a1b ... }")]
        let report = try await imported(lines.map(\.canonicalText).joined(separator: "\n"), into: registry)
        #expect(report.added == 1 && report.read == 2, "\(report.text)")
        let again = try await registry.create(
            ["deviceType": "ios", "deviceToken": "0a1b2c3d"], in: .installation, as: .client, at: .noon)
        #expect(again.object.objectID == "id1")
    }

    @Test func aDeviceThatRegisteredHereIsNotPushedOutByItsOldExport() async throws {
        let registry = try await Registry.test()
        _ = try await registry.create(
            ["deviceType": "ios", "deviceToken": "token1", "here": true], in: .installation, as: .master, at: .noon)
        let report = try await imported(device(1).canonicalText, into: registry)
        #expect(report.superseded == 1)
        #expect(try await registry.contents().count == 1)
        #expect(try await registry.contents()[0].contains("here"))
    }

    @Test func channelsFollowAnUpdate() async throws {
        let registry = try await Registry.test()
        _ = try await imported(device(1).canonicalText, into: registry)
        _ = try await imported(
            device(1, updated: "2026-11-01T00:00:00Z", ["channels": ["Mets"]]).canonicalText, into: registry)
        for (channel, count) in [("Giants", 0), ("Mets", 1)] {
            let query = ObjectQuery(where: ["channels": .string(channel)], countsAll: true)
            #expect(try await registry.find(query, in: .installation, as: .master).count == count)
        }
    }

    @Test func otherClassesAreTakenToo() async throws {
        let registry = try await Registry.test()
        let note: JSONValue = ["objectId": "n1", "createdAt": "2026-01-01T00:00:00Z", "text": "x", "ACL": [:]]
        try await imported(note.canonicalBytes, into: registry, className: "Note")
        #expect(try await registry.contents("Note").count == 1)
        #expect(try await registry.contents("Note")[0].contains(#""updatedAt":"2026-01-01T00:00:00.000Z""#))
    }

    @Test func whatLetsAUserSignInIsDroppedAndCounted() async throws {
        let registry = try await Registry.test()
        let users = (0..<3).map { number in
            device(
                number,
                [
                    "deviceType": nil, "deviceToken": nil, "channels": ["a@b.c"], "username": "u", "password": "geheim",
                    "salt": "geheim", "sessionToken": "geheim", "authData": number == 0 ? ["weixin": "geheim"] : nil,
                    "before": [["account": ["password": "geheim", "name": "n"]]],
                ])
        }
        let bytes = Array(users.map(\.canonicalText).joined(separator: "\n").utf8)
        let report = try await imported(bytes, into: registry, className: "_User")
        #expect(report.added == 3 && report.skippedCount == 0 && report.mended == 0, "\(report.text)")
        #expect(report.secrets == ["password": 6, "salt": 3, "sessionToken": 3, "authData": 1])
        #expect(report.text.contains("authData 1, password 6, salt 3, sessionToken 3"))
        let kept = try await registry.contents("_User")
        #expect(kept.count == 3 && kept.allSatisfy { $0.contains("username") && !$0.contains("geheim") })
        // A list of another class that is called like one of devices stays as it is.
        #expect(kept.allSatisfy { $0.contains(#""channels":["a@b.c"]"#) })
    }

    @Test(arguments: ["_Installation", "Note", "_User"])
    func whatLetsAUserSignInIsDroppedAtAnyDepthOfAnyRow(className: String) async throws {
        let user: JSONValue = [
            "__type": "Object", "className": "_User", "objectId": "u1", "username": "u", "password": "geheim",
            "authData": ["weixin": "geheim"], "friend": ["className": "_User", "salt": "geheim"],
        ]
        let row = device(
            1,
            [
                "owner": user, "token": ["password": "kept"],
                "friends": [
                    ["a": [["__type": "Pointer", "className": "_User", "objectId": "u2", "sessionToken": "geheim"]]]
                ],
            ])
        let registry = try await Registry.test()
        let report = try await imported(row.canonicalBytes, into: registry, className: className)
        // What stands in a user is the user's.
        let isUser = className == "_User"
        #expect(
            report.secrets == ["password": isUser ? 2 : 1, "authData": 1, "salt": 1, "sessionToken": 1],
            "\(report.text)")
        let kept = try #require(try await registry.contents(className).first)
        #expect(
            !kept.contains("geheim") && kept.contains("kept") != isUser && kept.contains(#""objectId":"u2""#), "\(kept)"
        )
    }

    @Test func aLockIsNeverTaken() async throws {
        let registry = try await Registry.test()
        #expect(throws: TransferError.self) { try ExportTransfer(into: registry, classes: ["BugleLock"]) }
        #expect(throws: TransferError.self) { try ExportTransfer(into: registry, classes: ["a b"]) }
    }

    @Test func anEmptyListIsNoError() async throws {
        for text in ["[]", "{\"results\":[]}", "#filetype:JSON-streaming\n"] {
            let report = try await imported(text, into: try await Registry.test())
            #expect(report.read == 0, "\(text)")
        }
    }
}
