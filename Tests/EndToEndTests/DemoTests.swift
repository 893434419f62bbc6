import Base
import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// `bugle-server demo`, and the way from nothing to a push that it and `bugle init` print.
@Suite struct DemoTests {
    @Test(arguments: [SIGTERM, SIGINT]) func itLeavesNothing(signal: Int32) async throws {
        try await Demo.run { (demo) async throws in
            #expect(FileManager.default.fileExists(atPath: demo.said("registry")))
            #expect(try await demo.count([:]) == 10_000)
            demo.program.send(signal)
            #expect(try await demo.program.ending == .exited(0))
            #expect(try FileManager.default.contentsOfDirectory(atPath: demo.temporary.path) == [])
        }
    }

    @Test func aPortThatIsTakenIsSaidAndNothingIsLeft() async throws {
        try await Demo.run { (demo) async throws in
            let before = try FileManager.default.contentsOfDirectory(atPath: demo.temporary.path)
            let address = demo.url.replacing("http://", with: "")
            let second = try await FinishedProgram.run(
                "bugle-server", ["demo", "--listen", address], environment: ["TMPDIR": demo.temporary.path])
            #expect(second.ending == .exited(1))
            #expect(
                second.errors.contains(
                    "cannot listen on \(address): another program listens there already; stop it, or"),
                "\(second.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: demo.temporary.path) == before)
        }
    }

    @Test func anAddressThatIsNoneIsWrongUsage() async throws {
        let run = try await FinishedProgram.run("bugle-server", ["demo", "--listen", "8710"], environment: [:])
        #expect(run.ending == .exited(64) && run.errors.contains("must be HOST:PORT"), "\(run.errors)")
    }

    /// Every channel, field, zone and profile that an example's audience names.
    @Test func everyExampleHasDevicesThere() async throws {
        var conditions: Set<String> = []
        for folder in ["examples", "campaigns"] {
            let root = ExamplesTests.root.appending(path: folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".yaml") {
                let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                for match in text.matches(of: /kind: Channel\nname: (\S+)/) {
                    conditions.insert(#"{"channels":"\#(match.output.1)"}"#)
                }
                for match in text.matches(of: /where: \{(\w+): (true|[\w\/]+)\}/) {
                    let value = match.output.2 == "true" ? "true" : "\"\(match.output.2)\""
                    conditions.insert(#"{"\#(match.output.1)":\#(value)}"#)
                }
                for match in text.matches(of: /deviceProfile: (\w+)/) {
                    conditions.insert(#"{"deviceProfile":"\#(match.output.1)"}"#)
                }
            }
        }
        #expect(conditions.count >= 15, "\(conditions)")
        try await Demo.run { (demo) async throws in
            for condition in conditions.sorted() {
                let count = try await demo.count(try JSONValue(parsing: condition))
                #expect(count > 100 && count < 10_000, "\(condition): \(count)")
            }
        }
    }

    /// The four commands of a newcomer: what each prints is the next one.
    @Test func fromNothingToADeliveredPushInFourCommands() async throws {
        try await Demo.run { (demo) async throws in
            let promised = try await demo.walk()
            let ledger = try await demo.call("/classes/BugleLedger?limit=10")["results"]?.array ?? []
            let ids = ledger.compactMap { $0["notificationId"]?.string }
            let id = try #require(ids.first)
            let inboxes = try await demo.call("/bugle/inboxes?notificationId=\(id)")
            #expect(inboxes["devices"]?.integer == Int64(promised), "\(inboxes)")
            #expect(inboxes["duplicates"] == 0)
        }
    }

    @Test func aServerThatDoesNotRunIsSaidAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DeafPort.with { port in
            let address = "127.0.0.1:\(port)"
            let made = try await Program.run(["init", "app", "--url", "http://\(address)"], folder: folder)
            #expect(made.status == 0, "\(made.everything)")
            for command in [["plan"], ["status"], ["apply", "--auto-approve"], ["doctor"]] {
                let run = try await Program.run(
                    command + ["-C", "app"], environment: ["BUGLE_SERVER_KEY": "demo-master-key-of-giants"],
                    folder: folder)
                let said = "nothing answers at \(address): is bugle-server running? (bugle-server demo)"
                #expect(run.status == 1 && run.everything.contains(said), "\(run.everything)")
                #expect(!run.everything.contains("trying again"), "\(run.everything)")
            }
        }
    }

    /// A service that is busy for a moment, and answers then.
    @Test func aRetryIsSaidWhileItHappens() async throws {
        try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            try await world.fault("status", "GET", "/1.1/scheduledPushMessages", value: 503)
            let run = try await world.bugle("plan")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.errors.contains(/bugle: .* answered .*503.*; trying again in [12] s\n/), "\(run.everything)")
        }
    }

    @Test func aPlanIsShownInABrowserOrItsPageIsNamed() async throws {
        try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            try world.write("bin/xdg-open", "#!/bin/sh\ncp \"$1\" opened.html\necho \"$1\" >opened\n")
            let browser = world.path("bin/xdg-open")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
            let environment = ["PATH": world.path("bin") + ":/usr/bin:/bin", "TMPDIR": world.folder.path]
            let shown = try await world.bugle("plan", "--open", environment: environment)
            #expect(shown.status == 0 && shown.output.contains("campaign one"), "\(shown.everything)")
            let page = try String(contentsOfFile: world.path("opened.html"), encoding: .utf8)
            #expect(page.hasPrefix("<!DOCTYPE html>") || page.hasPrefix("<!doctype html>"), "\(page.prefix(200))")
            let own = try await world.bugle("plan", "--open", "--format", "html=mine.html", environment: environment)
            #expect(own.status == 0)
            #expect(try String(contentsOfFile: world.path("opened"), encoding: .utf8) == "mine.html\n")
            // Nowhere is a browser.
            let none = try await world.bugle(
                "plan", "--open", environment: ["PATH": "/nonexistent", "TMPDIR": world.folder.path])
            #expect(none.status == 0, "\(none.everything)")
            #expect(none.errors.contains("bugle: no browser was found; the page is \(world.folder.path)/bugle-plan-"))
        }
    }
}
