internal import Base
internal import Foundation
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

/// The pages in a real browser, compared with pictures of how they were.
@Suite(
    .enabled(
        if: Browser.isInstalled && ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1",
        "long: 'make test-long', which installs Chromium"), .serialized)
struct PageBrowserTests {
    private static let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    private static let looks = [true, false].flatMap { isPhone in [true, false].map { (isPhone, $0) } }

    private static let reports = Dictionary(uniqueKeysWithValues: PageTests.reports)

    private static func open(_ report: Report, _ language: Language = .english, in page: BrowserPage) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).html")
        try Data(report.bytes(as: .html, options: ReportOptions(language: language))).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await page.open(file.absoluteString)
    }

    /// Ten campaigns with everything that a page shows of one.
    private static let ten: Plan = {
        var plan = ReportFixtures.review
        let base = plan.changes.filter { !$0.looks.isEmpty }
        plan.changes = (0..<10).map { index in
            var change = base[index % base.count]
            change.name = "campaign-\(index)"
            return change
        }
        plan.calendar.entries = plan.changes.map { change in
            var entry = plan.calendar.entries[0]
            entry.campaign = change.name
            return entry
        }
        return plan
    }()

    @Test(arguments: [Language.english, .chinese]) func tenCampaignsAreSeenInFourThousandPixels(_ language: Language)
        async throws
    {
        try await Browser.run { (page) async throws in
            try await page.setAppearance(width: 1280, height: 900, isPhone: false, isDark: false)
            try await Self.open(.plan(Self.ten), language, in: page)
            let height = try #require(try await page.value("document.documentElement.scrollHeight").integer)
            #expect((1000..<4000).contains(height), "\(height)")
            // Two lock screens beside each other, each half as wide as it is drawn.
            let widths = try await page.value(
                "[...document.querySelectorAll('.card .look svg')].map((one) => one.getBoundingClientRect().width)")
            #expect(widths.array?.allSatisfy { ($0.integer ?? 0) <= 196 } == true)
            try await page.setAppearance(width: 390, height: 740, isPhone: true, isDark: true)
            #expect(try await page.value("document.documentElement.scrollWidth <= innerWidth") == true)
        }
    }

    @Test(arguments: ["review", "everyAction", "status", "diagnostics"])
    func everyPageIsSoundInEveryLook(name: String) async throws {
        try await Browser.run { (page) async throws in
            // The page must work where scripts do not.
            try await page.allowScripts(false)
            for (isPhone, isDark) in Self.looks {
                try await page.setAppearance(
                    width: isPhone ? 360 : 1280, height: isPhone ? 740 : 900, isPhone: isPhone, isDark: isDark)
                _ = page.browser.takeEvents()
                try await Self.open(try #require(Self.reports[name]), in: page)
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
