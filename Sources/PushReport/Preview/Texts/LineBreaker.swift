/// A text broken into lines of a given width, and cut as systems cut it.
struct BrokenText: Hashable {
    /// The lines, up to the limit; the last one ends in an ellipsis when text was cut.
    var lines: [Line]
    /// True when text was cut.
    var isCut: Bool
    /// The reading direction of the whole text.
    var direction: TextDirection

    /// One line.
    struct Line: Hashable {
        /// The content of the line.
        var text: String
        /// The width, in the unit of the metrics.
        var width: Double
    }

    /// Breaks a text into at most `limit` lines (1 or more) of the available width.
    init(_ text: String, width: Double, limit: Int, metrics: FontMetrics) {
        var breaking = LineBreaker(width: width, limit: limit, metrics: metrics)
        breaking.add(VisibleText.paragraphs(text))
        lines = breaking.lines
        isCut = breaking.isCut
        direction = TextDirection(of: text)
    }

    /// A text cut to one line, in the font of small print.
    static func line(_ text: String, width: Double, size: Double = 13) -> String {
        BrokenText(text, width: width, limit: 1, metrics: FontMetrics(size: size)).lines[0].text
    }
}

/// A text as lines of a terminal.
package enum TerminalLines {
    /// The lines, each at most so many columns wide: whole words where they fit.
    package static func of(_ text: String, columns: Int) -> [String] {
        let metrics = FontMetrics(size: 1, isTerminal: true)
        return BrokenText(text, width: Double(columns), limit: .max, metrics: metrics).lines.map(\.text)
    }
}

/// Fills one line after another: whole words where they fit, otherwise as much of them as fits.
private struct LineBreaker {
    let width: Double
    let limit: Int
    let metrics: FontMetrics
    var lines: [BrokenText.Line] = []
    var isCut = false

    mutating func add(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            add(paragraph, isLast: index == paragraphs.count - 1)
            if isCut { return }
        }
    }

    private mutating func add(_ paragraph: String, isLast: Bool) {
        let characters = Array(paragraph)
        var start = 0
        repeat {
            let end = endOfLine(characters, from: start)
            let isEnd = end == characters.count
            if lines.count == limit - 1, !isEnd || !isLast {
                append(cut(characters[start...]))
                isCut = true
                return
            }
            append(characters[start..<end])
            start = end
            while start < characters.count, BreakClass(characters[start]) == .space { start += 1 }
        } while start < characters.count
    }

    /// The end of the line that begins at an index: the last possible break, or where the line is full.
    private func endOfLine(_ characters: [Character], from start: Int) -> Int {
        var used = 0.0
        var lastBreak: Int?
        var lastBreakInCommand: Int?
        var isInCommand = false
        var previous: BreakClass?
        for index in start..<characters.count {
            var kind = BreakClass(characters[index])
            if metrics.isTerminal {
                // A name or a command in quotes is copied from a terminal whole.
                if characters[index] == "'" {
                    isInCommand = !isInCommand && characters[index...].starts(with: "'bugle ")
                }
                if isInCommand, kind == .space { lastBreakInCommand = index }
                if kind == .hyphen || isInCommand && kind == .space { kind = .letter }
            }
            if let previous, BreakClass.mayBreak(previous, kind) { lastBreak = index }
            used += metrics.width(of: characters[index])
            // Spaces at the end of a line have no width.
            if used > width, kind != .space { return lastBreak ?? lastBreakInCommand ?? max(index, start + 1) }
            previous = kind
        }
        return characters.count
    }

    /// As much of the rest as fits before an ellipsis.
    private func cut(_ rest: ArraySlice<Character>) -> ArraySlice<Character> {
        var used = metrics.width(of: FontMetrics.ellipsis)
        var end = rest.startIndex
        while end < rest.endIndex {
            used += metrics.width(of: rest[end])
            if used > width { break }
            end += 1
        }
        var kept = rest[..<end]
        while let last = kept.last, BreakClass(last) == .space { kept.removeLast() }
        return kept + [FontMetrics.ellipsis]
    }

    private mutating func append(_ characters: ArraySlice<Character>) {
        var characters = characters
        while let last = characters.last, BreakClass(last) == .space { characters.removeLast() }
        let text = String(characters)
        lines.append(BrokenText.Line(text: text, width: metrics.width(of: text)))
    }
}
