import Foundation
import Testing

/// The container's command on the first page, against the Containerfile; there is no container here to run it.
@Suite struct ContainerPageTests {
    private static func command(_ page: String) throws -> [String] {
        let lines = try PrintedPage(page).blocks.filter { $0.language == "sh" }.flatMap(\.commands)
        let line = try #require(lines.first { $0.hasPrefix("docker run ") }, "\(page)")
        return line.prefix { $0 != "#" }.split(separator: " ").map { String($0).replacing("\"", with: "") }
    }

    private static func containerfile() throws -> [Substring] {
        try String(contentsOf: PrintedPage.root.appending(path: "Containerfile"), encoding: .utf8).split(
            separator: "\n")
    }

    @Test func theCommandFitsTheImage() async throws {
        let words = try Self.command("README.md")
        for page in ["README.zh-CN.md", "docs/start/install.md", "docs/start/install.zh-CN.md"] {
            #expect(try Self.command(page) == words, "\(page)")
        }
        #expect(words.prefix(3) == ["docker", "run", "--rm"])
        func value(_ option: String) -> String? { words.firstIndex(of: option).map { words[$0 + 1] } }
        let mount = try #require(value("-v")).split(separator: ":").map(String.init)
        #expect(mount == ["$PWD", value("-w"), "ro"], "the workspace is the folder it starts in, and only read")
        let lines = try Self.containerfile()
        #expect(!lines.contains { $0.hasPrefix("VOLUME \(mount[1])") || $0.hasPrefix("WORKDIR \(mount[1])") })
        // The image's name is that of the build in the Containerfile and on the page; without an entry point the words after
        // it are the program's.
        let place = try #require(words.firstIndex(of: "-e")) + 2
        let image = words[place]
        #expect(lines.contains { $0.hasPrefix("#") && $0.contains("-t \(image) .") })
        let build = try PrintedPage("docs/start/install.md").blocks.flatMap(\.commands).first {
            $0.hasPrefix("docker build ")
        }
        #expect(build?.contains(" -t \(image) ") == true && build?.contains("-f Containerfile .") == true)
        #expect(build?.contains("--build-arg VERSION=") == true && lines.contains("ARG VERSION"))
        #expect(!lines.contains { $0.hasPrefix("ENTRYPOINT") })
        #expect(lines.contains { $0.hasPrefix("USER ") && $0 != "USER root" }, "it needs no right but to read")
        let rest = Array(words.dropFirst(place + 1))
        #expect(rest.first == "bugle")

        // What it runs in the container, with the variable that it passes on.
        let variable = try #require(value("-e"))
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            #expect(try world.text("bugle.yaml").contains(variable))
            #expect(try await world.bugle(Array(rest.dropFirst())).status == 0)
        }
    }

    @Test func theFormulaStandsBesideIt() throws {
        let page = try String(contentsOf: PrintedPage.root.appending(path: "docs/start/install.md"), encoding: .utf8)
        #expect(page.contains("](../../.ci/homebrew/bugle.rb)"))
        let formula = PrintedPage.root.appending(path: ".ci/homebrew/bugle.rb")
        #expect(try String(contentsOf: formula, encoding: .utf8).contains("class Bugle < Formula"))
    }
}

extension World {
    fileprivate func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
