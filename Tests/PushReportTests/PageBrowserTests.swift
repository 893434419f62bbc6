internal import Foundation
internal import JSONValue
internal import PageTesting
internal import PushModel
internal import PushPlan
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
                try await compare(page, "\(name)-\(look).png")
            }
        }
    }

    private func inspect(_ page: BrowserPage, isDark: Bool) async throws {
        // Nothing is wider than the window, but what scrolls by itself; with everything unfolded too.
        _ = try await page.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        #expect(try await page.value("document.documentElement.scrollWidth <= innerWidth") == true)
        _ = try await page.value("document.querySelectorAll('main details').forEach((one) => { one.open = false; })")
        // Fingers need room. Source: WCAG 2.2, 2.5.8.
        let small = try await page.value(
            """
            [...document.querySelectorAll("main summary, nav a")]
              .map((one) => one.getBoundingClientRect()).filter((box) => box.width < 24 || box.height < 24).length
            """)
        #expect(small == 0)
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

    /// So many pixels of the page become one of the picture that is kept: letters vanish in it, blocks stay.
    private static let block = 16

    /// Compares the page with its recorded picture, block by block; with `BUGLE_RECORD=1` in the environment, records it.
    private func compare(_ page: BrowserPage, _ name: String) async throws {
        let picture = try await page.picture()
        if let folder = ProcessInfo.processInfo.environment["BUGLE_PICTURES"] {
            try picture.write(to: URL(filePath: folder).appending(path: name))
        }
        let file = Self.goldens.appending(path: "Pictures").appending(path: name)
        try await page.allowScripts(true)
        try await page.open("about:blank")
        if ProcessInfo.processInfo.environment["BUGLE_RECORD"] == "1" {
            let small = try await page.value(
                Self.script(picture, then: "return shrunk(images[0]).canvas.toDataURL('image/png')"))
            let data = try #require(
                small.string?.split(separator: ",").last.flatMap { Data(base64Encoded: String($0)) })
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        let difference = try await page.value(Self.script(picture, try Data(contentsOf: file), then: Self.difference))
        try await page.allowScripts(false)
        // In thousandths. Another font moves lines a little: a tenth of the height, and some blocks.
        let (height, blocks) = (
            try #require(difference["height"]?.integer), try #require(difference["blocks"]?.integer)
        )
        #expect(height < 100 && blocks < 120, "\(name): height \(height), blocks \(blocks)")
    }

    /// The share by which heights differ, and the share of blocks that are clearly of another colour.
    private static let difference = """
        const [now, then] = [shrunk(images[0]), images[1]];
        const canvas = new OffscreenCanvas(then.width, then.height).getContext("2d");
        canvas.drawImage(then, 0, 0);
        const height = Math.min(now.canvas.height, then.height);
        const one = now.getImageData(0, 0, then.width, height).data, other = canvas.getImageData(0, 0, then.width, height).data;
        let count = 0;
        for (let index = 0; index < one.length; index += 4) {
          const apart = [0, 1, 2].map((part) => Math.abs(one[index + part] - other[index + part]));
          if (Math.max(...apart) > 40) count += 1;
        }
        return {
          height: Math.round(1000 * Math.abs(now.canvas.height - then.height) / then.height),
          blocks: Math.round(4000 * count / one.length),
        };
        """

    private static func script(_ pictures: Data..., then body: String) -> String {
        """
        (async () => {
          const images = await Promise.all([\(pictures.map { "\"data:image/png;base64,\($0.base64EncodedString())\"" }.joined(separator: ", "))]
            .map(async (address) => createImageBitmap(await (await fetch(address)).blob())));
          const shrunk = (image) => {
            const canvas = document.createElement("canvas");
            canvas.width = Math.round(image.width / \(block));
            canvas.height = Math.round(image.height / \(block));
            const context = canvas.getContext("2d");
            context.imageSmoothingQuality = "high";
            context.drawImage(image, 0, 0, canvas.width, canvas.height);
            return context;
          };
          \(body)
        })()
        """
    }
}
