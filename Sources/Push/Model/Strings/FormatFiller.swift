/// Fills the placeholders of a format string.
///
/// Source: Apple's "String Format Specifiers"; a localized argument of a push is always text, whatever the placeholder
/// says.
enum FormatFiller {
    /// Returns the format string with each placeholder replaced by its argument.
    static func filled(_ format: String, with arguments: [String]) -> String {
        var result = ""
        var rest = format[...]
        var next = 0
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                result.append("%")
                rest.removeFirst()
                continue
            }
            guard let place = Place(rest) else {
                result.append("%")
                continue
            }
            let index = place.position.map { $0 - 1 } ?? next
            if place.position == nil { next += 1 }
            if arguments.indices.contains(index) {
                result += arguments[index]
            } else {
                result += "%" + rest.prefix(place.length)
            }
            rest = rest.dropFirst(place.length)
        }
        return result + rest
    }

    /// The number of arguments that a format string takes.
    static func arguments(of format: String) -> Int {
        var (rest, next, most) = (format[...], 0, 0)
        while let percent = rest.firstIndex(of: "%") {
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                rest.removeFirst()
            } else if let place = Place(rest) {
                if place.position == nil { next += 1 }
                most = max(most, place.position ?? next)
                rest = rest.dropFirst(place.length)
            }
        }
        return most
    }

    /// A placeholder: `@`, `2$@`, `d`, `-5.2lf`.
    private struct Place {
        /// The number of its argument, from 1; nil: the next.
        var position: Int?
        /// The number of its characters after the percent sign.
        var length: Int

        private static let flags = Set("+-0#'")
        private static let modifiers = Set("hlqLztj")
        private static let conversions = Set("@dDiuUxXoOfFeEgGcCsSaAp")

        init?(_ text: Substring) {
            var characters = text.prefix(32)[...]
            let digits = characters.prefix { $0.isASCII && $0.isNumber }
            if !digits.isEmpty, characters.dropFirst(digits.count).first == "$" {
                guard let position = Int(digits), position > 0 else { return nil }
                self.position = position
                characters = characters.dropFirst(digits.count + 1)
            }
            characters = characters.drop { Self.flags.contains($0) || $0.isASCII && $0.isNumber || $0 == "." }
            characters = characters.drop(while: Self.modifiers.contains)
            guard let conversion = characters.first, Self.conversions.contains(conversion) else { return nil }
            length = text.distance(from: text.startIndex, to: characters.startIndex) + 1
        }
    }
}
