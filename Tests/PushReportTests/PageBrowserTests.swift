internal import Foundation
internal import JSONValue
internal import PageTesting
internal import PushModel
internal import Testing

/// The pages in a real browser, compared with pictures of how they were.
@Suite(
    .enabled(
        if: Browser.isInstalled && ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1",
        "long: 'make test-long', which installs Chromium"), .serialized)
struct PageBrowserTests {
    private static let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    private static let looks = [true, false].flatMap { isPhone in [true, false].map { (isPhone, $0) } }

    @Test(arguments: ["review", "everyAction", "status", "diagnostics"])
    func everyPageIsSoundInEveryLook(name: String) async throws {
        try await Browser.run { (page) async throws in
            // The page must work where scripts do not.
            try await page.allowScripts(false)
            for (isPhone, isDark) in Self.looks {
                try await page.setAppearance(
                    width: isPhone ? 360 : 1280, height: isPhone ? 740 : 900, isPhone: isPhone, isDark: isDark)
                _ = page.browser.takeEvents()
                try await page.open(Self.goldens.appending(path: "\(name).html").absoluteString)
                try await inspect(page, isDark: isDark)
                let look = "\(isPhone ? "phone" : "desktop")-\(isDark ? "dark" : "light")"
                try await page.expectPicture(
                    at: Self.goldens.appending(path: "Pictures/\(name)-\(look).png"), keepsBlocks: true)
            }
        }
    }

    private func inspect(_ page: BrowserPage, isDark: Bool) async throws {
        // With everything unfolded too.
        _ = try await page.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        #expect(try await page.flaws(in: .english) == [])
        _ = try await page.value("document.querySelectorAll('main details').forEach((one) => { one.open = false; })")
        let ground = try await page.value("getComputedStyle(document.body).backgroundColor")
        #expect(ground == (isDark ? "rgb(19, 20, 24)" : "rgb(245, 243, 238)"))
        let problems = page.browser.takeEvents().compactMap { event -> String? in
            let parameters = event["params"] ?? [:]
            switch event["method"]?.string {
            case "Log.entryAdded", "Runtime.exceptionThrown": return parameters.canonicalText
            case "Network.requestWillBeSent":
                let address = parameters["request"]?["url"]?.string ?? ""
                return address.hasPrefix("file://") ? nil : address
            default: return nil
            }
        }
        #expect(problems == [])
    }
}
