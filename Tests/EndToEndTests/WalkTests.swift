import Base
import Foundation
import ProgramTesting
import Push
import Testing

/// What a newcomer looks at on the way from the first page to a delivered push, in a real browser: on a phone and a
/// desktop, light and dark, in both languages.
@Suite(
    .enabled(
        if: Browser.isInstalled && FileManager.default.isExecutableFile(atPath: Markdown.program),
        "Chromium or cmark-gfm is not installed: 'make walk' installs both"), .serialized)
struct WalkTests {
    /// The most pixels that a page with ten campaigns takes on a desktop.
    private static let mostOfTen = 4000

    private struct Look: CustomStringConvertible {
        let isPhone: Bool
        let isDark: Bool
        var width: Int64 { isPhone ? 390 : 1280 }
        var description: String { "\(width)-\(isDark ? "dark" : "light")" }

        static let all = [true, false].flatMap { isPhone in [true, false].map { Look(isPhone: isPhone, isDark: $0) } }
    }

    /// Looks at pages, by what the reports call them, in every look of a language.
    private func look(
        at addresses: [(name: String, address: String)], in language: Language, with page: BrowserPage,
        then check: (String, Look) async throws -> Void = { _, _ in }
    ) async throws {
        let accepted = language == .chinese ? "zh-CN" : "en"
        try await page.call("Network.setExtraHTTPHeaders", ["headers": ["Accept-Language": .string(accepted)]])
        for look in Look.all {
            try await page.setAppearance(
                width: look.width, height: look.isPhone ? 844 : 900, isPhone: look.isPhone, isDark: look.isDark)
            for (name, address) in addresses {
                try await page.open(address)
                let flaws = try await page.flaws(in: language)
                #expect(flaws.isEmpty, "\(name), \(look), \(language): \(flaws.joined(separator: "\n"))")
                try await check(name, look)
                guard let folder = ProcessInfo.processInfo.environment["BUGLE_PICTURES"] else { continue }
                let file = "\(name)-\(look)-\(language.rawValue).png"
                try await page.picture().write(to: URL(filePath: folder).appending(path: file))
            }
        }
    }

    /// The four commands, and what they leave to look at: the plan's page, its comment, and the console.
    @Test func theFiveMinutesAreReadableInEveryLook() async throws {
        try await Demo.run { (demo) async throws in
            var addresses: [Language: [(name: String, address: String)]] = [:]
            _ = try await demo.walk()
            let environment = try PrintedPage.environment(["BUGLE_SERVER_KEY": demo.key])
            try write(ten: demo)
            for language in Language.allCases {
                let option = "--language \(language.rawValue)"
                for (name, command) in [
                    ("plan", "bugle plan -C my-app \(option) --format html=plan.html --out plan.json"),
                    ("ten", "bugle plan -C ten \(option) --format html=ten.html --out ten.json"),
                ] {
                    let run = try await PrintedPage.shell(command, in: demo.folder, environment)
                    #expect(run.status == 0, "\(run.output)")
                    let page = demo.folder.appending(path: "\(name)-\(language.rawValue).html")
                    try FileManager.default.moveItem(at: demo.folder.appending(path: "\(name).html"), to: page)
                    addresses[language, default: []].append((name, page.absoluteString))
                    let comment = try await PrintedPage.shell(
                        "bugle comment \(name).json \(option)", in: demo.folder, environment)
                    #expect(comment.status == 0, "\(comment.output)")
                    let shown = demo.folder.appending(path: "\(name)-comment-\(language.rawValue).html")
                    try await Markdown.page(comment.output, in: demo.folder).write(
                        to: shown, atomically: true, encoding: .utf8)
                    addresses[language, default: []].append(("\(name)-comment", shown.absoluteString))
                }
            }
            let pages = try await consolePages(demo)
            try await Browser.run { (page) async throws in
                try await logIn(page, demo)
                for language in Language.allCases {
                    try await look(
                        at: (addresses[language] ?? []) + pages.map { ($0.name, demo.url + "/console" + $0.path) },
                        in: language, with: page
                    ) { name, look in
                        guard name == "ten", !look.isPhone else { return }
                        let height = try await page.value("document.documentElement.scrollHeight").integer ?? .max
                        #expect(height < Self.mostOfTen, "ten campaigns take \(height) px")
                    }
                }
            }
        }
    }

    /// The pictures of the first page are there, fit, and are those of the reader's scheme.
    @Test func theFirstPageShowsItsPictures() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walk-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Browser.run { (page) async throws in
            for (language, name) in [(Language.english, "README.md"), (.chinese, "README.zh-CN.md")] {
                let text = try String(contentsOf: PrintedPage.root.appending(path: name), encoding: .utf8)
                let file = folder.appending(path: "\(name).html")
                try await Markdown.page(text, in: folder, base: PrintedPage.root).write(
                    to: file, atomically: true, encoding: .utf8)
                try await look(at: [(name, file.absoluteString)], in: language, with: page) { _, look in
                    let shown = try await page.value(
                        "[...document.images].map((image) => [image.currentSrc, image.naturalWidth])")
                    let images = (shown.array ?? []).map {
                        ($0.array?.first?.string ?? "", $0.array?.last?.integer ?? 0)
                    }
                    #expect(images.count > 1 && images.allSatisfy { $0.1 > 0 }, "\(shown)")
                    #expect(images[0].0.contains(look.isDark ? "-dark" : "-light"), "\(images[0].0)")
                }
            }
        }
    }

    /// The same workspace with ten campaigns beside the one that was delivered.
    private func write(ten demo: Demo) throws {
        let ten = demo.folder.appending(path: "ten")
        try FileManager.default.copyItem(at: demo.folder.appending(path: "my-app"), to: ten)
        func edit(_ file: String, to other: String, _ text: String, _ replacement: String) throws {
            let old = try String(contentsOf: ten.appending(path: file), encoding: .utf8)
            #expect(old.contains(text))
            try old.replacing(text, with: replacement).write(
                to: ten.appending(path: other), atomically: true, encoding: .utf8)
        }
        try edit("bugle.yaml", to: "bugle.yaml", "maxSendsPerApply: 5", "maxSendsPerApply: 10")
        for number in 1...10 {
            try edit(
                "campaigns/welcome.yaml", to: "campaigns/welcome-\(number).yaml", "name: welcome",
                "name: welcome-\(number)")
        }
    }

    /// The console's pages, once a push is scheduled as well.
    private func consolePages(_ demo: Demo) async throws -> [(name: String, path: String)] {
        let push: JSONValue = [
            "data": ["alert": "Doors open at noon"], "channels": ["news"], "push_time": "2099-01-01T12:00:00.000Z",
        ]
        _ = try await LoopbackHTTP.send(
            try #require(URL(string: demo.url + "/1.1/push")), method: "POST", body: push, key: demo.key)
        let device = try await demo.call("/installations?limit=1")["results"]?.array?.first?["objectId"]?.string
        let ledger = try await demo.call("/classes/BugleLedger?limit=1")["results"]?.array?.first
        let id = try #require(ledger?["pushId"]?.string)
        return [
            ("console", ""), ("console-pushes", "/pushes"), ("console-push", "/pushes/\(id)"),
            ("console-installations", "/installations"), ("console-search", "/installations?platform=ios&seen=stale"),
            ("console-device", "/installations/\(try #require(device))"),
        ]
    }

    private func logIn(_ page: BrowserPage, _ demo: Demo) async throws {
        try await page.open(demo.url + "/console")
        _ = try await page.value("document.getElementById('key').focus()")
        try await page.call("Input.insertText", ["text": .string(demo.key)])
        try await page.press("Enter", code: 13, text: "\r")
        _ = try await page.browser.wait(for: "Page.loadEventFired")
    }
}

/// Markdown as GitHub shows it, near enough to look at: tables and details, text that breaks, pictures that fit.
private enum Markdown {
    /// The path that Debian's package uses.
    static let program = "/usr/bin/cmark-gfm"

    static func page(_ markdown: String, in folder: URL, base: URL? = nil) async throws -> String {
        let file = folder.appending(path: "markdown-\(UUID()).md")
        try markdown.write(to: file, atomically: true, encoding: .utf8)
        let run = try await PrintedPage.shell("\(program) --unsafe -e table \(file.lastPathComponent)", in: folder, [:])
        try #require(run.status == 0, "\(run.output)")
        return """
            <!DOCTYPE html>
            <html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            \(base.map { "<base href=\"\($0.absoluteString)\">" } ?? "")
            <style>
            :root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --link: #0969da; --code: #eff1f3; }
            @media (prefers-color-scheme: dark) {
              :root { --ink: #f0f6fc; --paper: #0d1117; --link: #4493f8; --code: #262c36; }
            }
            body { max-width: 860px; margin: 0 auto; padding: 16px; font: 14px/1.5 sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: break-word; }
            a { color: var(--link); }
            img { max-width: 100%; }
            table { display: block; max-width: 100%; overflow: auto; border-collapse: collapse; }
            th, td { padding: 6px 13px; border: 1px solid; }
            pre { padding: 16px; overflow: auto; background: var(--code); }
            code { background: var(--code); white-space: break-spaces; }
            pre code { white-space: pre; }
            summary { min-height: 24px; }
            </style></head><body>
            \(run.output)
            </body></html>
            """
    }
}
