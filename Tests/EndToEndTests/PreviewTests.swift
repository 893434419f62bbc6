import Base
import Foundation
import ProgramTesting
import Testing

@Suite struct PreviewTests {
    private static let workspace = """
        kind: Workspace
        name: giants
        defaultRemote: production
        remotes:
          production:
            type: leancloud
            url: https://push.example.com
            appId: giants-demo
            masterKey: {env: NOT_SET}
          apple:
            type: apns
            registry: {sqlite: none.sqlite}
        """

    private static let files = """
        kind: DeviceProfile
        name: giants
        environment: production
        topic: com.example.giants
        token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: NOT_SET}}
        ---
        kind: Channel
        name: Giants
        ---
        kind: Campaign
        name: giants-score
        revision: 2
        audience: {channels: [Giants], platforms: [ios]}
        message:
          title: Giants
          body: {key: score, args: ["2-2"]}
          badge: increment
        expiration: {after: 2h}
        ---
        kind: Campaign
        name: one-device
        audience: {devices: [5ec7e7deadbeef005ec7e7deadbeef005ec7e7deadbeef005ec7e7deadbeef00], platforms: [ios]}
        message: {body: hello}
        expiration: {after: 2h}
        ---
        kind: Campaign
        name: too-large
        audience: {channels: [Giants]}
        message: {body: "\(String(repeating: "x", count: 5000))"}
        expiration: {after: 2h}
        """

    private func inWorkspace(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.workspace.utf8).write(to: folder.appending(path: "bugle.yaml"))
        try Data(Self.files.utf8).write(to: folder.appending(path: "all.yaml"))
        try Data("\"score\" = \"It's now %@.\";".utf8).write(to: folder.appending(path: "Localizable.strings"))
        try await test(folder)
    }

    @Test(arguments: [
        ("local-time", "holiday-greeting", ["UTC+14:00", "UTC−12:00", "without a time zone"]),
        ("rollout", "new-app", ["10%", "2026-12-27 10:30 -08:00 at the earliest", "30m between stages"]),
    ])
    func itShowsTheWavesOrStagesOfACampaign(_ example: String, _ campaign: String, _ texts: [String]) async throws {
        let folder = repository.appending(path: "examples/\(example)")
        let run = try await Program.run(["preview", campaign, "--language", "en"], folder: folder)
        #expect(run.status == 0, "\(run.everything)")
        for text in texts { #expect(run.output.contains(text), "\(text)") }
    }

    @Test func itShowsPicturesAndBytesWithoutSecretOrNetwork() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(
                ["preview", "giants-score", "--strings", "Localizable.strings"], folder: folder)
            #expect(run.status == 0, "\(run.everything)")
            for text in [
                "iPhone, lock screen", "It's now 2-2.", "badge +1", "POST /push", "Largest fields", "of 4,096 bytes",
            ] {
                #expect(run.output.contains(text), "\(text)")
            }
            #expect(!run.output.contains("Android"))
            let apple = try await Program.run(["preview", "giants-score", "--remote", "apple"], folder: folder)
            #expect(apple.status == 0, "\(apple.everything)")
            #expect(apple.output.contains("What every device gets:") && apple.output.contains("loc-key"))
            #expect(apple.output.contains("localized in the app"))
        }
    }

    @Test func theCardOfAndroidNamesTheServicesThatShowItAndWhatIsTheirs() async throws {
        func profile(_ vendor: String, _ fields: String, environment: String = "production") -> String {
            "kind: DeviceProfile\nname: \(vendor)\nvendor: \(vendor)\nenvironment: \(environment)\n\(vendor): {\(fields)}\n---\n"
        }
        let secret = "{env: NOT_SET}"
        let profiles =
            profile("fcm", "serviceAccount: \(secret)")
            + profile("hms", "appId: \"1\", clientSecret: \(secret), category: WORK")
            + profile("mi", "package: com.example.app, appSecret: \(secret), channel: \"7\"")
            + profile("oppo", "appKey: k, masterSecret: \(secret)", environment: "development")
            + profile("vivo", "appId: \"1\", appKey: k, appSecret: \(secret)")
        func campaign(_ name: String, _ message: String) -> String {
            """
            kind: Campaign
            name: \(name)
            audience: {channels: [Giants], platforms: [android]}
            message: {\(message)}
            expiration: {after: 2h}
            ---

            """
        }
        let campaigns =
            campaign("shown", "title: Giants, body: one") + campaign("quiet", "android: {silent: true}, data: {a: b}")
        try await inWorkspace { folder in
            try Data((profiles + campaigns).utf8).write(to: folder.appending(path: "android.yaml"))
            func lines(_ arguments: String...) async throws -> Set<String> {
                let run = try await Program.run(["preview"] + arguments + ["--remote", "apple"], folder: folder)
                #expect(!run.output.contains("\n  OPPO"), "another environment's: \(run.everything)")
                return Set(run.output.split(separator: "\n").map(String.init))
            }
            let shown = try await lines("shown")
            #expect(shown.isSuperset(of: ["  FCM", "  Huawei: category WORK"]), "\(shown)")
            #expect(shown.contains("  Xiaomi: channel 7, 49 + 127 characters"), "\(shown)")
            #expect(
                shown.contains("  vivo: 2 a day and device, 07:00-23:00 in China only, 40 + 100 characters"), "\(shown)"
            )
            let chinese = try await lines("shown", "--language", "zh-Hans")
            #expect(chinese.contains("  vivo：每台设备每天 2 条、仅 07:00-23:00 送达、标题 40 字、正文 100 字以内"), "\(chinese)")
            let quiet = try await lines("quiet", "--language", "zh-Hans")
            #expect(quiet.isSuperset(of: ["  FCM", "  Xiaomi：不向其设备推送"]), "\(quiet)")
            let json = try await Program.run(
                ["preview", "shown", "--remote", "apple", "--format", "json"], folder: folder)
            let services = try JSONValue(parsing: json.output)["looks"]?.array?.first?["services"]
            #expect(
                services == [
                    ["vendor": "fcm"], ["vendor": "hms", "settings": ["category WORK"]],
                    ["vendor": "mi", "settings": ["channel 7"], "mostTitle": 49, "mostBody": 127],
                    ["vendor": "vivo", "mostTitle": 40, "mostBody": 100, "mostPerDay": 2, "hours": "07:00-23:00"],
                ], "\(json.everything)")
        }
    }

    @Test func theJSONHasTheRequestOfThisRevision() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(["preview", "giants-score", "--format", "json"], folder: folder)
            let json = try JSONValue(parsing: run.output)
            let delivery = try #require(json["delivery"]?.string)
            #expect(json["request"]?["body"]?["req_id"] == .string(delivery))
            #expect(json["revision"] == 2 && json["looks"]?.array?.count == 1)
            #expect(json["payload"]?["largest"]?.array?.isEmpty == false)
        }
    }

    @Test func thePictureIsOneSVGFile() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(
                ["preview", "giants-score", "--format", "svg=look.svg", "--format", "json"], folder: folder)
            #expect(run.status == 0, "\(run.everything)")
            let svg = try String(contentsOf: folder.appending(path: "look.svg"), encoding: .utf8)
            #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
        }
    }

    @Test(arguments: ["text", "html", "json", "svg"]) func noFormatHoldsADeviceToken(format: String) async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(["preview", "one-device", "--format", format], folder: folder)
            #expect(run.status == 0, "\(run.everything)")
            #expect(!run.everything.lowercased().contains("5ec7e7deadbeef"))
        }
    }

    @Test func whatTheEncoderFindsEndsWithInvalid() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(["preview", "too-large", "--remote", "production"], folder: folder)
            #expect(run.status == 3 && run.output.contains("[payload-too-large]"))
            #expect(run.output.contains("Android, expanded"))
        }
    }

    @Test func wrongNamesAndFilesAreSaid() async throws {
        try await inWorkspace { folder in
            let unknown = try await Program.run(["preview", "giants-scor"], folder: folder)
            #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'giants-score'?"))
            let platform = try await Program.run(["preview", "giants-score", "--platform", "android"], folder: folder)
            #expect(platform.status == 64 && platform.errors.contains("reaches no android device"))
            let file = folder.appending(path: "bad.strings")
            try Data("\"score\" = oops oops;\n".utf8).write(to: file)
            let bad = try await Program.run(["preview", "giants-score", "--strings", "bad.strings"], folder: folder)
            #expect(bad.status == 3 && bad.errors.contains("bad.strings:1:16: error:"), "\(bad.everything)")
            try Data("\"other\" = \"x\";\n".utf8).write(to: file)
            let other = try await Program.run(["preview", "giants-score", "--strings", "bad.strings"], folder: folder)
            #expect(other.status == 0 && other.output.contains("bad.strings has no text for the key 'score'"))
        }
    }
}
