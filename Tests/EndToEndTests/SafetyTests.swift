import Base
import Foundation
import Testing

@Suite struct SafetyTests {
    private static let one = ["a.yaml": String.giants, "one.yaml": .campaign("one")]

    @Test func anUntrustedHostGetsNoRequestAtAll() async throws {
        try await World.run(Self.one) { world in
            for command in [["plan"], ["apply", "--auto-approve"], ["status"], ["unlock", "1"], ["validate"]] {
                let run = try await world.bugle(command, environment: ["BUGLE_TRUSTED_HOSTS": "push.example.com"])
                #expect(run.status == 3, "\(command): \(run.everything)")
                #expect(run.errors.contains("[untrusted-host]"))
                #expect(world.takeSeen().isEmpty)
            }
            try await world.devices(1)
            _ = world.takeSeen()
            let trusted = "push.example.com, 127.0.0.1:\(world.port)"
            #expect(try await world.bugle(["plan"], environment: ["BUGLE_TRUSTED_HOSTS": trusted]).status == 0)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:PORT@evil.example.com", "http://127.0.0.1.evil.example.com",
        "https://evil.example.com/127.0.0.1:PORT", "https://evil.example.com?127.0.0.1:PORT",
        "https://evil.example.com#@127.0.0.1:PORT", "https://evil.example.com\\@127.0.0.1:PORT",
    ])
    func anAddressThatOnlyLooksTrustedIsNot(url: String) async throws {
        try await World.run(Self.one) { world in
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            let hostile = url.replacingOccurrences(of: "PORT", with: "\(world.port)")
            try world.write("bugle.yaml", text.replacingOccurrences(of: world.url, with: "{env: PUSH_URL}"))
            let run = try await world.bugle(
                ["plan"], environment: ["BUGLE_TRUSTED_HOSTS": "127.0.0.1:\(world.port)", "PUSH_URL": hostile])
            #expect(run.status == 3, "\(run.everything)")
            #expect(world.takeSeen().isEmpty)
        }
    }

    @Test func theMasterKeyIsInNoOutput() async throws {
        try await World.run(Self.one) { world in
            try await world.devices(1)
            let commands = [
                ["validate"], ["plan", "-v", "--out", world.path("plan.json")], ["plan", "--format", "json"],
                ["apply", "--auto-approve", "-v", "--log-format", "json"], ["status", "-v", "--format", "json"],
                ["show", world.path("plan.json"), "--format", "json"],
            ]
            for command in commands {
                let run = try await world.bugle(command)
                #expect(run.status == 0, "\(run.everything)")
                #expect(!run.everything.contains(World.masterKey))
                if command.contains("-v") { #expect(run.errors.contains("<redacted>")) }
            }
            let plan = try String(contentsOf: URL(filePath: world.path("plan.json")), encoding: .utf8)
            #expect(!plan.contains(World.masterKey))
            let refused = try await world.bugle(["plan", "-v"], environment: ["BUGLE_SERVER_KEY": "wrong-key-123456"])
            #expect(refused.status == 4, "\(refused.everything)")
            #expect(!refused.everything.contains("wrong-key-123456"))
            let missing = try await world.bugle(["plan"], environment: ["BUGLE_SERVER_KEY": ""])
            #expect(missing.status == 4)
            #expect(missing.errors.contains("BUGLE_SERVER_KEY"))
        }
    }

    @Test func hostileTextStaysTextInEveryLine() async throws {
        let hostile = #"a\e[31m\u202Eb\n::error file=x::y\n##[error]z"#
        let campaign = """
            kind: Campaign
            name: one
            description: "\(hostile)"
            labels: {a: "\(hostile)"}
            audience: {channels: [Giants], platforms: [ios], where: {city: "\(hostile)"}}
            message: {title: "\(hostile)", body: "\(hostile)", data: {"k\(hostile)": "\(hostile)"}}
            expiration: {after: 7d}
            """
        try await World.run(["a.yaml": .giants, "one.yaml": campaign]) { world in
            for command in [
                ["validate"], ["plan"], ["plan", "--format", "json"], ["plan", "--format", "github"],
                ["apply", "--auto-approve"], ["status"],
            ] {
                let run = try await world.bugle(command)
                for line in run.everything.split(whereSeparator: \.isNewline) {
                    #expect(
                        !line.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E }, "\(command): \(line)")
                    let start = line.drop(while: \.isWhitespace)
                    #expect(!start.hasPrefix("##["), "\(command): \(line)")
                    #expect(command.contains("github") || !start.hasPrefix("::"), "\(command): \(line)")
                }
                #expect(!run.everything.contains("\n::error file=x"))
            }
        }
    }

    @Test func tenBrokenFilesGiveAllTheirErrorsInOneRun() async throws {
        var files: [String: String] = ["a.yaml": .giants]
        for number in 0..<10 { files["broken\(number).yaml"] = "kind: Campaign\nname: c\(number)\nchanels: [x]\n" }
        try await World.run(files) { world in
            let run = try await world.bugle("validate")
            #expect(run.status == 3)
            for number in 0..<10 {
                #expect(run.errors.contains("broken\(number).yaml:3:1: error: unknown key 'chanels'"))
            }
        }
    }

    @Test func aPolicyRuleAloneEndsWith6() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one", more: "")]) { world in
            let run = try await world.bugle("validate")
            #expect(run.status == 6, "\(run.everything)")
            #expect(run.errors.contains("[policy-require-expiration]"))
            try await world.devices(1)
            #expect(try await world.apply(expecting: 6).output.contains("requireExpiration"))
            #expect(try await world.inbox("d0") == [:])
        }
    }
}

/// What an attack of the built program found.
@Suite struct HardeningTests {
    @Test(arguments: ["http:/127.0.0.1:PORT/x://trusted.com", "https:trusted.com", "//trusted.com", "trusted.com"])
    func anAddressThatIsReadTwoWaysGetsNoRequest(url: String) async throws {
        try await World.run(["a.yaml": .giants]) { world in
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            try world.write("bugle.yaml", text.replacingOccurrences(of: world.url, with: "{env: PUSH_URL}"))
            let hostile = url.replacingOccurrences(of: "PORT", with: "\(world.port)")
            for trusted in ["trusted.com", nil] {
                var environment = ["PUSH_URL": hostile]
                environment["BUGLE_TRUSTED_HOSTS"] = trusted
                #expect(try await world.bugle(["plan"], environment: environment).status == 3)
            }
            #expect(world.takeSeen().isEmpty)
        }
    }

    @Test(arguments: [
        "postgresql://team:PASSWORD@evil.example.com/devices",
        "host=push.example.com hostaddr=203.0.113.9 password=PASSWORD",
        "host=push.example.com,evil.example.com password=PASSWORD",
        "postgresql://push.example.com@evil.example.com:5432/devices?password=PASSWORD",
    ])
    func aRegistryOnAnUntrustedHostIsNotConnectedTo(address: String) async throws {
        try await World.run(["a.yaml": .giants]) { world in
            try world.write(
                "bugle.yaml",
                """
                kind: Workspace
                name: giants
                remotes:
                  apple: {type: apns, registry: {postgres: {env: DATABASE_URL}}}
                """)
            let run = try await world.bugle(
                ["validate"],
                environment: [
                    "DATABASE_URL": address.replacingOccurrences(of: "PASSWORD", with: "swordfish"),
                    "BUGLE_TRUSTED_HOSTS": "push.example.com",
                ])
            #expect(run.status == 3, "\(run.everything)")
            #expect(run.errors.contains("[untrusted-host]"))
            #expect(!run.everything.contains("swordfish"))
        }
    }

    @Test func aPasswordInAnUntrustedAddressIsNotPrinted() async throws {
        try await World.run(["a.yaml": .giants]) { world in
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            try world.write("bugle.yaml", text.replacingOccurrences(of: world.url, with: "{env: PUSH_URL}"))
            let run = try await world.bugle(
                ["plan"],
                environment: ["BUGLE_TRUSTED_HOSTS": "a.example", "PUSH_URL": "https://user:PassWord99@b.example/"])
            #expect(run.status == 3)
            #expect(!run.everything.lowercased().contains("password99"))
        }
    }

    @Test(arguments: ["PLAINSECRET99", "[PLAINSECRET99]", "{env: \"PLAINSECRET99 x\"}"])
    func aSecretInAFileIsNotPrinted(value: String) async throws {
        try await World.run(["a.yaml": .giants]) { world in
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            try world.write("bugle.yaml", text.replacingOccurrences(of: "{env: BUGLE_SERVER_KEY}", with: value))
            for format in ["text", "json", "github"] {
                let run = try await world.bugle("validate", "--format", format)
                #expect(run.status == 3)
                #expect(!run.everything.contains("PLAINSECRET99"), "\(run.everything)")
            }
        }
    }

    @Test func aReaderThatGoesAwayEndsNoApply() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            let script = "bugle apply --auto-approve --json-result result.json | true; exit ${PIPESTATUS[0]}"
            let run = try await ShellScript.run(
                ["/bin/bash", "-c", script], environment: ["BUGLE_SERVER_KEY": World.masterKey], folder: world.folder)
            #expect(run.status == 0 && !run.wasKilled, "\(run.errors)")
            #expect(FileManager.default.fileExists(atPath: world.path("result.json")))
            #expect(try await world.inbox("d0") == ["one": 1])
            // Its lock is free.
            #expect(try await world.apply().output.contains("matches the workspace"))
        }
    }

    @Test(arguments: [
        "masterKey: PLAIN\"SECRET99", "url: https://user:PLAINSECRET99@example.com", "masterKey: \"PLAINSECRET99",
    ])
    func whatCannotBeReadIsNotShown(line: String) async throws {
        try await World.run(["a.yaml": .giants]) { world in
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            let key = line.prefix { $0 != ":" }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { old in
                old.contains("\(key):") ? "      \(line)" : String(old)
            }
            try world.write("bugle.yaml", lines.joined(separator: "\n"))
            for command in [["validate"], ["fmt", "--check"]] {
                for format in ["text", "json", "github", "markdown", "html", "sarif"] {
                    let run = try await world.bugle(command + ["--format", format])
                    #expect(!run.everything.contains("SECRET99"), "\(command) \(run.everything)")
                }
            }
        }
    }

    @Test func anOutputThatIsAPipeOrALinkIsWrittenToAndNotReplaced() async throws {
        try await World.run(["a.yaml": .giants]) { world in
            try FileManager.default.createSymbolicLink(
                atPath: world.path("link.json"), withDestinationPath: world.path("target.json"))
            #expect(try await world.bugle("plan", "--out", world.path("link.json")).status == 0)
            let kind =
                try FileManager.default.attributesOfItem(atPath: world.path("link.json"))[.type] as? FileAttributeType
            #expect(kind == .typeSymbolicLink)
            #expect(FileManager.default.fileExists(atPath: world.path("target.json")))
        }
    }

    @Test(arguments: ["generation", "fence", "revision", "devices"])
    func aNumberOutsideEveryMeaningIsAnErrorThatNamesTheObject(field: String) async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            try await world.apply()
            let object = try #require(try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first)
            let id = try #require(object["objectId"]?.string)
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", [field: .integer(.max), "state": "refused"])
            let run = try await world.bugle("plan")
            #expect(run.status == 1, "\(run.everything)")
            #expect(run.errors.contains(id))
        }
    }

    @Test func anAppliedPlanWithTargetsIsAppliedToThemOnly() async throws {
        let files = ["a.yaml": String.giants, "one.yaml": .campaign("one"), "two.yaml": .campaign("two")]
        try await World.run(files) { world in
            try await world.devices(1)
            let out = world.path("plan.json")
            #expect(try await world.bugle("plan", "--target", "Campaign/one", "--out", out).status == 0)
            #expect(try await world.bugle("apply", out).status == 0)
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }
}
