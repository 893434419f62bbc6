internal import Foundation

/// The colours of a page in one of its themes, which stand as variables in `:root`.
package struct Palette {
    /// A page whose colours cannot be judged.
    package struct Problem: Error, CustomStringConvertible {
        /// In one sentence.
        package let description: String
    }

    private let colours: [String: String]

    package init(_ colours: [String: String]) { self.colours = colours }

    /// The light and the dark theme of a style sheet, which has two blocks of variables.
    package static func themes(of style: String) throws -> [Palette] {
        let blocks = style.matches(of: /:root \{([^}]*)\}/).map { block in
            Dictionary(
                uniqueKeysWithValues: block.output.1.matches(of: /--([a-z-]+): (#[0-9a-f]{6});/).map {
                    (String($0.output.1), String($0.output.2))
                })
        }
        guard blocks.count == 2 else { throw Problem(description: "there are \(blocks.count) themes") }
        return [Palette(blocks[0]), Palette(blocks[0].merging(blocks[1]) { _, dark in dark })]
    }

    /// The contrast of one colour on another, from 1 to 21.
    ///
    /// Source: WCAG 2.2, "contrast ratio".
    package func contrast(_ ink: String, on ground: String) throws -> Double {
        let pair = [try luminance(ink), try luminance(ground)].sorted()
        return (pair[1] + 0.05) / (pair[0] + 0.05)
    }

    /// Source: WCAG 2.2, "relative luminance".
    private func luminance(_ name: String) throws -> Double {
        guard let number = colours[name].flatMap({ Int($0.dropFirst(), radix: 16) }) else {
            throw Problem(description: "there is no colour \(name)")
        }
        let parts = [16, 8, 0].map { shift in
            let part = Double((number >> shift) & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
