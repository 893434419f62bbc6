import Foundation
import Testing

@Suite struct ConsoleContrastTests {
    /// What is written on what.
    static let texts: [(ink: String, ground: String)] =
        [
            ("ink", "paper"), ("ink", "surface"), ("ink", "sunken"), ("quiet", "paper"), ("quiet", "surface"),
            ("quiet", "sunken"), ("accent", "paper"), ("accent", "surface"), ("on-accent", "accent"),
            ("good", "good-ground"), ("busy", "busy-ground"), ("bad", "bad-ground"), ("bad", "paper"),
            ("still", "still-ground"), ("on-danger", "danger"), ("note-ink", "note"), ("note-quiet", "note"),
        ]
        + ["screen", "android"].flatMap { name in
            ["top", "middle", "bottom"].map { ("on-screen", "\(name)-\($0)") }
        }
    /// What shows where a field ends, and where the keyboard is. Source: WCAG 2.2, 1.4.11.
    static let edges: [(ink: String, ground: String)] = [
        ("edge", "paper"), ("edge", "surface"), ("accent", "paper"), ("accent", "surface"), ("accent", "sunken"),
        ("bad", "surface"), ("good", "paper"),
    ]

    private func themes() async throws -> [[String: String]] {
        let css = try await ConsoleFixture().get("/console/style.css").text
        let blocks = css.matches(of: /:root \{([^}]*)\}/).map { block in
            Dictionary(
                uniqueKeysWithValues: block.output.1.matches(of: /--([a-z-]+): (#[0-9a-f]{6});/).map {
                    (String($0.output.1), String($0.output.2))
                })
        }
        try #require(blocks.count == 2)
        return [blocks[0], blocks[0].merging(blocks[1]) { _, dark in dark }]
    }

    private func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour.dropFirst(), radix: 16))
        let parts = [16, 8, 0].map { shift in
            let part = Double((number >> shift) & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private func contrast(_ left: String, _ right: String) throws -> Double {
        let pair = [try luminance(left), try luminance(right)].sorted()
        return (pair[1] + 0.05) / (pair[0] + 0.05)
    }

    @Test func blackOnWhiteIs21() throws {
        #expect(abs(try contrast("#000000", "#ffffff") - 21) < 0.001)
        #expect(abs(try contrast("#777777", "#ffffff") - 4.478) < 0.001)
    }

    @Test(arguments: [0, 1]) func everyTextCanBeReadInBothThemes(theme: Int) async throws {
        let colours = try await themes()[theme]
        for (pairs, least) in [(Self.texts, 4.5), (Self.edges, 3)] {
            for (ink, ground) in pairs {
                let value = try contrast(try #require(colours[ink]), try #require(colours[ground]))
                #expect(value >= least, "\(ink) on \(ground): \(value)")
            }
        }
    }

    @Test func everyColourOfTheSheetIsOneOfItsVariables() async throws {
        let css = try await ConsoleFixture().get("/console/style.css").text
        let rules = css.replacing(/:root \{[^}]*\}/, with: "")
        // The black of a phone's camera is no text's.
        #expect(rules.matches(of: /#[0-9a-fA-F]{3,8}\b/).map { String($0.output) } == ["#000000"])
        #expect(css.matches(of: /url\(|@import|https?:/).isEmpty)
    }
}
