import Base
import DeviceRegistry
import Foundation
import RegistryTesting
import Testing

/// One workspace, deployed through a server with LeanCloud's API and straight to Apple: the same devices get the same.
@Suite struct AppleConformanceTests {
    private static let examples = ["giants", "driver-passenger", "silent", "localized", "rich"]

    /// What a device shows and hands to the app.
    private struct Visible: Hashable, Comparable, CustomStringConvertible {
        let text: String
        var description: String { text }

        /// From LeanCloud's flat form.
        init(flat: JSONValue) {
            var members = flat.object ?? [:]
            if let own = members["ios"]?.object { members.merge(own) { $1 } }
            if let title = members.removeValue(forKey: "title"), let body = members["alert"]?.string {
                members["alert"] = ["title": title, "body": .string(body)]
            }
            var (aps, custom): (JSONObject, JSONObject) = ([:], [:])
            for (key, value) in members where key != "ios" && key != "android" {
                switch key {
                case "alert", "badge", "sound", "category", "thread-id", "content-available", "mutable-content":
                    aps[key] = value
                case "collapse-id", "_profile", "apns-priority", "apns-push-type": break
                default: custom[key] = value
                }
            }
            self.init(aps: aps, custom: custom)
        }

        /// From Apple's form.
        init(payload: JSONValue) {
            var custom = payload.object ?? [:]
            custom["aps"] = nil
            self.init(aps: payload["aps"]?.object ?? [:], custom: custom)
        }

        private init(aps: JSONObject, custom: JSONObject) {
            var aps = aps
            // A text alone is an alert's body.
            if let text = aps["alert"]?.string { aps["alert"] = ["body": .string(text)] }
            text = JSONValue.object(["aps": .object(aps), "custom": .object(custom)]).canonicalText
        }

        static func < (left: Visible, right: Visible) -> Bool { left.text < right.text }
    }

    /// A copied example with the other remote and what it needs besides.
    private func copy(_ name: String, into folder: URL, _ server: ServerProcess, _ apple: AppleSimulator) throws {
        let target = folder.appending(path: name)
        try FileManager.default.copyItem(at: ExamplesTests.root.appending(path: "examples/\(name)"), to: target)
        try FileManager.default.copyItem(at: apple.authority, to: target.appending(path: "ca.pem"))
        try FileManager.default.copyItem(at: apple.key, to: target.appending(path: "key.p8"))
        let file = target.appending(path: "bugle.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacingOccurrences(of: "http://127.0.0.1:8710", with: "http://127.0.0.1:\(server.port)")
            .replacingOccurrences(
                of: "remotes:\n",
                with: """
                    defaultRemote: local
                    remotes:
                      apple:
                        type: apns
                        registry: {sqlite: ../devices.sqlite}
                        hosts: {production: "\(apple.url)"}
                        ca: ca.pem

                    """)
        try Data(text.utf8).write(to: file)
        let profiles = target.appending(path: "profiles.yaml")
        if let given = try? String(contentsOf: profiles, encoding: .utf8) {
            // The key is the simulator's.
            let own = given.replacingOccurrences(of: "ABCDE12345", with: apple.team)
                .replacingOccurrences(of: "F4K3K3Y1D0", with: apple.keyID)
            try Data(own.utf8).write(to: profiles)
        } else {
            let all = ["main", "driver", "passenger"].map { profile in
                """
                kind: DeviceProfile
                name: \(profile)
                default: \(profile == "main")
                environment: production
                topic: com.example.\(profile)
                token: {teamId: \(apple.team), keyId: \(apple.keyID), key: {file: key.p8}}
                """
            }
            try Data(all.joined(separator: "\n---\n").utf8).write(to: profiles)
        }
    }

    /// A campaign for Android devices only says that Apple is not meant; else the plan for Apple says so.
    private func leaveOutAndroid(_ name: String, _ environment: [String: String], _ folder: URL) async throws {
        let file = folder.appending(path: "\(name)/campaigns/suitcases.yaml")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        let run = try await Program.run(
            ["plan", "-C", name, "--remote", "apple"], environment: environment, folder: folder)
        #expect(run.status == 3)
        #expect(run.errors.contains("Apple reaches iOS devices only"), "\(run.errors)")
        let left = text.replacing("name: suitcase-robots\n", with: "name: suitcase-robots\nremotes: [local]\n")
        try Data(left.utf8).write(to: file)
    }

    @Test func theExamplesReachTheSameDevicesWithTheSameNotifications() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "same-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
        // The same devices in both registries.
        var tokens: [String] = []
        for name in ["leancloud.sqlite", "devices.sqlite"] {
            let isServers = name == "leancloud.sqlite"
            let registry =
                isServers ? try await RegistryPlace.open(path(name)) : try Registry.test(at: path(name))
            _ = try await registry.seed(devices: 240, at: AppleWorld.now)
            var query = ObjectQuery()
            query.condition = ["deviceType": "ios"]
            query.limit = 1000
            tokens = try await registry.find(query, in: .installation, as: .master).results
                .compactMap { $0["deviceToken"]?.string }
            await registry.shutDown()
        }
        let server = try await ServerProcess.start(data: path("leancloud.sqlite"))
        let apple = try await AppleSimulator.start(["--accept-every-token"], certificates: ["com.example.driver"])
        let environment = [
            "BUGLE_SERVER_KEY": World.masterKey,
            "DRIVER_P12": try Data(contentsOf: apple.certificates[0]).base64EncodedString(),
            "DRIVER_P12_PASSPHRASE": "none",
            "PASSENGER_KEY": try String(contentsOf: apple.key, encoding: .utf8),
        ]
        for name in Self.examples {
            try copy(name, into: folder, server, apple)
            let file = folder.appending(path: "\(name)/bugle.yaml")
            try await leaveOutAndroid(name, environment, folder)
            for remote in ["local", "apple"] {
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacing(/defaultRemote: \w+/, with: "defaultRemote: \(remote)").utf8).write(to: file)
                // The examples share an app: each says that its workspace is a new one.
                let start = try await Program.run(
                    ["ledger", "start", "-C", name], environment: environment, folder: folder)
                #expect(start.status == 0, "\(name), \(remote): \(start.everything)")
                let run = try await Program.run(
                    ["apply", "-C", name, "--auto-approve"], environment: environment, folder: folder)
                #expect(run.status == 0, "\(name), \(remote): \(run.everything)")
                let plan = try await Program.run(
                    ["plan", "-C", name, "--detailed-exitcode"], environment: environment, folder: folder)
                #expect(plan.status == 0, "\(name), \(remote): \(plan.everything)")
            }
        }
        var messages = 0
        for token in tokens {
            let flat = try await server.call("GET", "/bugle/devices/\(token)/inbox")["results"]?.array ?? []
            let left = flat.map { Visible(flat: $0["data"] ?? .null) }.sorted()
            let right = try await apple.inbox(token).map { Visible(payload: $0["data"] ?? .null) }.sorted()
            #expect(left == right, "\(token)")
            messages += right.count
        }
        #expect(messages > tokens.count)
        await apple.stop()
        await server.kill()
    }
}
