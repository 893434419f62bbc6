import ProgramTesting
import PushReport
import Testing

@Suite struct ConsoleContrastTests {
    /// What is written on what.
    static let texts: [(ink: String, ground: String)] = [
        ("ink", "paper"), ("ink", "surface"), ("ink", "sunken"), ("quiet", "paper"), ("quiet", "surface"),
        ("quiet", "sunken"), ("accent", "paper"), ("accent", "surface"), ("on-accent", "accent"),
        ("good", "good-ground"), ("busy", "busy-ground"), ("bad", "bad-ground"), ("bad", "paper"),
        ("still", "still-ground"), ("on-danger", "danger"),
    ]
    /// What shows where a field ends, and where the keyboard is. Source: WCAG 2.2, 1.4.11.
    static let edges: [(ink: String, ground: String)] = [
        ("edge", "paper"), ("edge", "surface"), ("accent", "paper"), ("accent", "surface"), ("accent", "sunken"),
        ("bad", "surface"), ("good", "paper"),
    ]

    @Test(arguments: [0, 1]) func everyTextCanBeReadInBothThemes(theme: Int) async throws {
        let palette = try Palette.themes(of: await ConsoleFixture().get("/console/style.css").text)[theme]
        for (pairs, least) in [(Self.texts, 4.5), (Self.edges, 3)] {
            for (ink, ground) in pairs {
                let value = try palette.contrast(ink, on: ground)
                #expect(value >= least, "\(ink) on \(ground): \(value)")
            }
        }
    }

    @Test func everyColourOfTheSheetIsOneOfItsVariables() async throws {
        let css = try await ConsoleFixture().get("/console/style.css").text
        let rules = css.replacing(/:root \{[^}]*\}/, with: "").replacing(NotificationDrawing.styles, with: "")
        // The black of a phone's camera is no text's.
        #expect(rules.matches(of: /#[0-9a-fA-F]{3,8}\b/).map { String($0.output) } == ["#000000"])
        #expect(css.matches(of: /url\(|@import|https?:/).isEmpty)
    }
}
