internal import Base
internal import ProgramTesting
internal import Push
internal import Testing

@testable internal import PushReport

@Suite struct NotificationDrawingTests {
    private func pictures(_ sample: Samples.Sample) -> [String] {
        Platform.allCases.flatMap { platform -> [String] in
            let drawing = sample.drawing(platform)
            return drawing.views.flatMap { [drawing.figure($0), drawing.figure($0, .dark)] }
                + [NotificationDrawing.sheet([drawing], title: sample.app)]
        }
    }

    @Test(arguments: Samples.all) func everyPictureIsWellFormed(sample: Samples.Sample) throws {
        for picture in pictures(sample) {
            let check = try XMLCheck(picture)
            let root = try #require(check.elements.first)
            #expect(root.name == "svg" && root.attributes["role"] == "img")
            #expect(check.elements.dropFirst().first?.name == "title")
            let names = Set(check.elements.map(\.name))
            #expect(names.isSubset(of: ["svg", "title", "style", "g", "rect", "circle", "path", "text", "tspan"]))
        }
    }

    @Test(arguments: Samples.all) func aPictureRunsNothingAndAsksForNothing(sample: Samples.Sample) throws {
        for picture in pictures(sample) {
            let check = try XMLCheck(picture)
            for (name, value) in check.elements.flatMap(\.attributes) {
                #expect(!name.hasPrefix("on") && !["href", "xlink:href", "src", "style"].contains(name))
                #expect(!value.contains("http") || value == "http://www.w3.org/2000/svg")
                #expect(!value.contains("url("))
            }
            #expect(!picture.contains("<script") && !picture.contains("url(") && !picture.contains("@import"))
            #expect(
                !picture.unicodeScalars.contains { HiddenCharacters.contain($0) && $0.value != 0x200D && $0 != "\n" })
        }
    }

    @Test(arguments: Samples.all) func everyViewIsAsRecorded(sample: Samples.Sample) throws {
        var text = ""
        for platform in Platform.allCases {
            let drawing = sample.drawing(platform)
            for view in drawing.views { text += drawing.text(view).joined(separator: "\n") + "\n" }
        }
        try expectGolden(text, sample.name + ".txt")
        let chinese = Platform.allCases.map { sample.drawing($0, language: .chinese) }.flatMap { drawing in
            drawing.views.map { drawing.text($0).joined(separator: "\n") + "\n" }
        }
        try expectGolden(chinese.joined(), "Chinese/\(sample.name).txt")
        let drawings = Platform.allCases.map { sample.drawing($0) }
        try expectGolden(NotificationDrawing.sheet(drawings, title: sample.name), sample.name + ".svg")
    }

    @Test func anIconStandsInADrawingOnceAndInsteadOfTheFirstLetter() throws {
        let icon = "iVBORw0KGgo=\"/><script>"
        let sample = try #require(Samples.all.first { $0.name == "long" })
        var app = ShownApp(name: "Giants", icon: icon)
        let look = sample.drawing(.ios).look
        let drawing = NotificationDrawing(look, app: app)
        for drawings in [[drawing], [drawing, drawing]] {
            let picture = NotificationDrawing.sheet(drawings, title: "x")
            let check = try XMLCheck(picture)
            let images = check.elements.filter { $0.name == "image" }
            #expect(images.map { $0.attributes["href"] } == ["data:image/png;base64," + icon])
            #expect(!check.elements.contains { $0.name == "script" } && !picture.contains(">G<"))
        }
        let definitions = try XMLCheck(NotificationDrawing.definitions(of: app))
        #expect(definitions.elements.contains { $0.name == "pattern" && $0.attributes["id"] == "bp-icon" })
        #expect(drawing.figure(.lockScreen).contains("url(#bp-icon)"))
        app.icon = nil
        #expect(NotificationDrawing.definitions(of: app) == "")
    }

    @Test func localizedTextsAreFilledAndWithoutThemTheKeyIsMarked() throws {
        let sample = try #require(Samples.all.first { $0.name == "localized" })
        let filled = sample.drawing(.ios, strings: Samples.strings).text(.lockScreen).joined(separator: "\n")
        #expect(filled.contains("Storm warning") && filled.contains("Today 晴, 15 degrees (100%)"))
        #expect(!filled.contains("localized in the app"))
        let bare = sample.drawing(.ios).text(.lockScreen).joined(separator: "\n")
        #expect(bare.contains("weather(晴, 15)") && bare.contains("localized in the app"))
    }

    @Test func aSilentPushHasOneViewThatSaysSo() throws {
        let drawing = try #require(Samples.all.first { $0.name == "silent" }).drawing(.ios)
        #expect(drawing.views == [.lockScreen])
        #expect(drawing.text(.lockScreen)[2].contains("Nothing is shown."))
        #expect(try XMLCheck(drawing.figure(.lockScreen)).text.contains("Nothing is shown."))
    }

    @Test func whatASilentPushDoesInsteadIsSaidByItsType() {
        var look = NotificationLook(platform: .ios, pushType: .alert)
        look.badge = .number(0)
        #expect(look.silence(in: .english) == "Nothing is shown. The badge is removed.")
        look.pushType = .voip
        #expect(look.silence(in: .english) == "Nothing is shown. The app is woken and shows the call itself.")
        look.pushType = .background
        #expect(look.silence(in: .english) == "Nothing is shown. The app is woken in the background and gets the data.")
        look.pushType = .alert
        look.body = .text("4:2")
        #expect(look.silence(in: .english) == nil)
    }

    @Test func aPictureOfTheMessageIsNamedAndNeverLoaded() throws {
        let svg = try #require(Samples.all.first { $0.name == "image" }).drawing(.ios).figure(.expanded)
        let texts = try XMLCheck(svg).text
        #expect(texts.contains("news.jpg") && texts.contains("img.example.com"))
    }

    @Test func rightToLeftTextBeginsAtTheRightEdge() throws {
        let drawing = try #require(Samples.all.first { $0.name == "arabic" }).drawing(.ios)
        let lines = try XMLCheck(drawing.figure(.expanded)).elements.filter {
            $0.attributes["class"]?.contains("r") == true
        }
        #expect(lines.contains { $0.name == "text" && $0.attributes["x"] == "366" })
    }

    @Test func whatNoScreenShowsStandsBesideIt() throws {
        let text = try #require(Samples.all.first { $0.name == "long" }).drawing(.ios).text(.lockScreen)
        #expect(
            text.last == "  ♪ cheering.caf · badge +1 · grouped: scores · actions: GAME_ALERT · breaks through a Focus")
    }

    @Test func withoutUnicodeOnlyTheMessageHasOther() throws {
        let drawing = try #require(Samples.all.first { $0.name == "long" }).drawing(.ios)
        for view in drawing.views {
            let lines = drawing.text(view, usesUnicode: false)
            #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
            #expect(Set(lines.dropFirst().prefix { $0.hasPrefix("+") || $0.hasPrefix("|") }.map(\.count)).count == 1)
        }
    }

    @Test func fiftyCampaignsFitIntoAPage() {
        // Every platform, every view, light and dark; the page itself has 2 MB.
        let appearances: [NotificationDrawing.Appearance] = [.light, .dark]
        var figures: [Int] = []
        for sample in Samples.all.prefix(6) {
            for drawing in Platform.allCases.map({ sample.drawing($0) }) {
                for view in drawing.views { figures += appearances.map { drawing.figure(view, $0).utf8.count } }
            }
        }
        #expect(figures.reduce(0, +) / 6 * 50 < 1_200_000)
        #expect(figures.allSatisfy { $0 < 4096 })
    }

    @Test func aTextOfAnyLengthIsDrawnInBoundedSpace() {
        var look = NotificationLook(platform: .ios, pushType: .alert)
        look.title = .text(String(repeating: "a", count: 100_000))
        look.body = .text(
            "e" + String(repeating: "\u{301}", count: 100_000) + String(repeating: "\n", count: 10_000) + "x")
        look.category = String(repeating: "界", count: 100_000)
        let drawing = NotificationDrawing(look, app: ShownApp(name: String(repeating: "🏳️‍🌈", count: 10_000)))
        for view in drawing.views { #expect(drawing.figure(view).utf8.count < 6400) }
    }
}
