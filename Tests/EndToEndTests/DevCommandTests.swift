import Foundation
import FoundationNetworking
import ProgramTesting
import Testing

/// `bugle dev`: a page that follows every save, and reads only.
@Suite struct DevCommandTests {
    /// The page of a running `bugle dev`.
    private struct Page {
        let program: BackgroundProgram
        var address: String { program.head[0] }

        static func start(_ world: World, _ more: String..., environment: [String: String] = [:]) async throws -> Page {
            let given = ["BUGLE_SERVER_KEY": World.masterKey].merging(environment) { $1 }
            return Page(
                program: try await BackgroundProgram.start(
                    "bugle", ["dev", world.folder.path] + more, environment: given))
        }

        func get(_ path: String = "", headers: [String: String] = [:]) async throws -> (status: Int, body: String) {
            var request = URLRequest(url: try #require(URL(string: address + path)))
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await answered(request)
            return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
        }

        func shows(_ text: String) async throws -> Bool { try await get().body.contains(text) }

        /// Waits until the page has a text, and returns it.
        @discardableResult
        func wait(for text: String) async throws -> String {
            try await eventually { try await shows(text) }
            return try await get().body
        }
    }

    @Test func aSaveShowsWithoutAnotherRequestUnlessItsAudienceIsNew() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one", body: "first words")]) { world in
            try await world.devices(3)
            let page = try await Page.start(world)
            let first = try await page.wait(for: "first words")
            #expect(first.contains("<script src=\"/live.js\" data-version=\"1\">"), "the page loads itself anew")
            #expect(first.contains("script-src 'self'") && !first.contains("'unsafe-eval'"))
            #expect(try await page.get("live.js").body.contains("location.reload()"))
            #expect(!world.takeSeen().isEmpty)

            try world.write("one.yaml", .campaign("one", body: "second words"))
            try await page.wait(for: "second words")
            #expect(world.takeSeen().isEmpty, "what the remote said is kept")

            try world.write("two.yaml", .campaign("two").replacing("[ios]", with: "[android]"))
            try await page.wait(for: ">two<")
            let seen = world.takeSeen()
            #expect(!seen.isEmpty && seen.allSatisfy { $0.method == "GET" }, "\(seen)")
            #expect(!seen.contains { $0.path.contains("BugleLedger") }, "only the new audience is asked for: \(seen)")
            // Last: whoever asks for it looks at the page, for whom a remote that was read a minute ago is read again.
            #expect(try await page.get("version").body == "3\n", "each save is one")
            page.program.send(SIGINT)
            #expect(try await page.program.ending == .signaled(SIGINT), "Ctrl-C ends it at once")
        }
    }

    @Test func anErrorLeavesTheLastPlanBesideItsLine() async throws {
        try await World.run(["a.yaml": .giants, "sub/one.yaml": .campaign("one", body: "good words")]) { world in
            let page = try await Page.start(world)
            try await page.wait(for: "good words")
            // As editors do: a draft beside it gets its name.
            try world.write("sub/.one.yaml.swp", .campaign("one").replacing("audience:", with: "audeince:"))
            #expect(rename(world.path("sub/.one.yaml.swp"), world.path("sub/one.yaml")) == 0)
            let broken = try await page.wait(for: "audeince: {channels")
            #expect(broken.contains("did you mean &#39;audience&#39;") || broken.contains("did you mean 'audience'"))
            #expect(broken.contains("good words"), "the last plan stays")
            #expect(broken.contains("below is the last plan that could be made"))
            try world.write("sub/one.yaml", .campaign("one", body: "mended words"))
            let mended = try await page.wait(for: "mended words")
            #expect(!mended.contains("below is the last plan"))
            try world.remove("sub")
            try await eventually { try await !page.shows("mended words") }
            try world.remove("bugle.yaml")
            try await page.wait(for: "there is no bugle.yaml")
            await page.program.kill()
        }
    }

    @Test func aRecordedStateNeedsNoRemoteAndTheFirstErrorHasAPage() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one", body: "some words")]) { world in
            try await world.devices(2)
            #expect(try await world.bugle("plan", "--record", world.path("state.json")).status == 0)
            try world.write("b.yaml", "kind: [\n")
            _ = world.takeSeen()
            let page = try await Page.start(world, "--against", world.path("state.json"))
            try await page.wait(for: "b.yaml:")
            try world.remove("b.yaml")
            try await page.wait(for: "some words")
            #expect(world.takeSeen().isEmpty)
            await page.program.kill()
        }
    }

    @Test func otherSitesGetNothing() async throws {
        try await World.run(["a.yaml": .giants]) { world in
            let page = try await Page.start(world)
            try await eventually { try await page.get().status == 200 }
            #expect(try await page.get(headers: ["Origin": "https://evil.example"]).status == 403)
            #expect(try await page.get(headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
            #expect(try await page.get(headers: ["Sec-Fetch-Site": "same-origin"]).status == 200)
            #expect(try await page.get("other").status == 404)
            await page.program.kill()
            let both = try await world.bugle("dev", "a", "-C", "b")
            #expect(both.status == 64, "\(both.everything)")
            #expect(try await world.bugle("dev", "nowhere").status == 3)
        }
    }

    @Test func theSimulatorGetsEachPayloadThatChanges() async throws {
        let profile = """
            kind: DeviceProfile
            name: app
            environment: production
            topic: com.example.giants
            default: true
            token: {teamId: ABCDE12345, keyId: ABCDE12345, key: {env: APNS_KEY}}

            """
        let files = [
            "a.yaml": .giants, "p.yaml": profile, "one.yaml": String.campaign("one", body: "Hello you"),
        ]
        try await World.run(files) { world in
            let tools = world.path(".tools")
            try world.write(".tools/xcrun", "#!/bin/sh\necho \"$@\" >> \(tools)/calls\n")
            #expect(chmod(tools + "/xcrun", 0o755) == 0)
            let page = try await Page.start(
                world, "--simulator", environment: ["PATH": "\(tools):/usr/bin:/bin"])
            let file = world.path(".apns/one.apns")
            func written() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
            try await eventually { !written().isEmpty }
            #expect(written().contains("\"Simulator Target Bundle\":\"com.example.giants\""))
            #expect(written().contains("\"Hello you\""))
            #expect(try String(contentsOfFile: world.path(".apns/.gitignore"), encoding: .utf8) == "*\n")
            try world.write("one.yaml", .campaign("one", body: "changed"))
            func calls() -> String { (try? String(contentsOfFile: tools + "/calls", encoding: .utf8)) ?? "" }
            try await eventually { !calls().isEmpty }
            #expect(calls() == "simctl push booted \(file)\n", "only what changed, and nothing at the start")
            try world.remove("one.yaml")
            try await eventually { !FileManager.default.fileExists(atPath: file) }
            await page.program.kill()
        }
    }
}

extension String {
    fileprivate func replacing(_ text: String, with other: String) -> String {
        replacingOccurrences(of: text, with: other)
    }
}
