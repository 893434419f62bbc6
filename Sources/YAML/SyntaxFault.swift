internal import Base

/// Turns libyaml's syntax errors into messages about the user's mistake: the place where it began, and a remedy.
struct SyntaxFault {
    let source: SourceText
    let problem: EventReader.Problem
    /// The last value before the error.
    let previous: SourceRange?
    /// The lines of the file, without a line break after the last.
    private let lines: [[Unicode.Scalar]]
    /// The mark where libyaml stopped, within the text.
    private let mark: Mark

    init(_ problem: EventReader.Problem, after previous: SourceRange?, in source: SourceText) {
        self.source = source
        self.problem = problem
        self.previous = previous
        lines = source.lines()
        mark = Self.clamped(problem.mark, lines)
    }

    var diagnostic: Diagnostic {
        if let line = lines.firstIndex(where: { $0.starts(with: "<<<<<<<".unicodeScalars) }) {
            return fault(
                "a merge conflict is not resolved", at: Mark(line: UInt32(line)),
                help: "keep one side and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
        }
        return known ?? fault(problem.message, at: mark, related: problem.context)
    }

    /// The mistakes behind libyaml's messages, which are constants of the library.
    private var known: Diagnostic? {
        switch problem.message {
        case "found character that cannot start any token": character
        case "mapping values are not allowed in this context": colon
        case "did not find expected key": misplaced
        case "could not find expected ':'": keyWithoutColon(at: Self.clamped(problem.contextMark, lines))
        case "found unexpected end of stream", "found unexpected document indicator": unclosedQuote
        case "did not find expected ',' or ']'": unclosed("[", with: "]")
        case "did not find expected ',' or '}'": unclosed("{", with: "}")
        case "did not find expected alphabetic or numeric character", "did not find expected comment or line break":
            reference
        case "mapping keys are not allowed in this context":
            fault("a text cannot begin with '?'", at: mark, help: Self.quoting)
        case "found unknown escape character":
            fault(
                "'\(String(String.UnicodeScalarView(rest.prefix(2))))' is no escape", at: mark,
                related: problem.context,
                help: "write \\\\ for a backslash, or put the text in single quotes")
        case "block sequence entries are not allowed in this context":
            fault(
                "a list cannot begin on the line of its key", at: mark,
                help: "put '- ' on the next line, or quote a text that begins with it")
        case "did not find expected '-' indicator":
            fault(
                "this line does not belong to the list above it", at: mark, related: "the list begins here",
                help: "begin it with '- ', or indent it under the entry it belongs to")
        default: nil
        }
    }
}

extension SyntaxFault {
    private var character: Diagnostic? {
        guard let character = rest.first else { return nil }
        if character == "\t" {
            return fault("a tab cannot indent a line", at: mark, help: "use spaces, two for each level")
        }
        if rest.starts(with: "```".unicodeScalars) {
            return fault("this line is Markdown, not YAML", at: mark, help: "delete the lines that begin with ```")
        }
        return fault("a text cannot begin with '\(character)'", at: mark, help: Self.quoting)
    }

    private var reference: Diagnostic {
        let place = problem.contextMark
        let character = text(from: place).first ?? "*"
        return fault("a text cannot begin with '\(character)'", at: place, help: Self.quoting)
    }

    /// A `:` that turns a text into a mapping, or a line that is indented too far.
    private var colon: Diagnostic? {
        let line = lines[Int(mark.line)]
        let start = line.firstIndex { $0 != " " } ?? 0
        let before = line.prefix(Int(mark.column))
        if zip(before, before.dropFirst()).contains(where: { $0 == ":" && $1 == " " }) {
            return fault("a text that contains ': ' must be quoted", at: mark, help: Self.quoting)
        }
        let above = lines[..<Int(mark.line)].last { line in line.contains { $0 != " " } }
        let indentation = above?.firstIndex { $0 != " " } ?? 0
        if start == indentation, let line = lines[..<Int(mark.line)].lastIndex(where: { $0 == above }) {
            return keyWithoutColon(at: Mark(line: UInt32(line), column: UInt32(start)))
        }
        guard start > indentation else { return nil }
        return fault(
            "this line is indented further than the one above, which is complete", at: mark,
            help: "keys of the same mapping begin in the same column")
    }

    /// More text after a value, or a line whose indentation matches no other.
    private var misplaced: Diagnostic? {
        let line = lines[Int(mark.line)]
        if line.firstIndex(where: { $0 != " " }) == Int(mark.column), rest.first != "]", rest.first != "}" {
            return fault(
                "the indentation of this line fits no line above it", at: mark, related: "the mapping begins here",
                help: "keys of the same mapping begin in the same column")
        }
        guard let previous, previous.end.line == Int(mark.line) + 1 else { return nil }
        if rest.starts(with: "//".unicodeScalars) {
            return fault("'//' begins no comment", at: mark, help: "write # instead of //")
        }
        if let opening = line.prefix(Int(mark.column)).firstIndex(where: { $0 == "{" || $0 == "[" }),
            line[..<opening].last(where: { $0 != " " }) != "\"", rest.first != "]", rest.first != "}"
        {
            return fault(
                "a text that begins with '\(line[opening])' must be quoted",
                at: Mark(line: mark.line, column: UInt32(opening)), help: Self.quoting)
        }
        let (start, end) = (previous.start, previous.end)
        let opening = Mark(line: UInt32(start.line - 1), column: UInt32(start.column - 1))
        guard let quote = text(from: opening).first, quote == "\"" || quote == "'" else { return nil }
        let escape = "inside the quotes write \(quote == "'" ? "'' for '" : "\\\" for \"")"
        guard end.line > start.line else {
            return fault("nothing may follow the closing quote", at: mark, help: "\(escape), and quote all of the text")
        }
        return fault(
            "the quote that opens here is closed only in line \(end.line)", at: opening,
            help: "close it where the text ends; \(escape)")
    }

    private func keyWithoutColon(at place: Mark) -> Diagnostic {
        fault("this line has no ': ' and continues nothing", at: place, help: Self.help(for: lines[Int(place.line)]))
    }

    /// What a line needs to become a key and its value.
    private static func help(for line: [Unicode.Scalar]) -> String {
        if line.contains("：") { return "write ': ' instead of the full-width '：'" }
        if let colon = line.firstIndex(of: ":") {
            guard let next = line[colon...].dropFirst().first, next.isForeignSpace else {
                return "put a space after ':'"
            }
            return "write a space after ':' instead of \(next.codePoint)"
        }
        return line.contains("=") ? "write ': ' instead of '='" : "write a text of several lines after '|', indented"
    }

    private var unclosedQuote: Diagnostic? {
        guard problem.context == "while scanning a quoted scalar" else { return nil }
        let quote = text(from: problem.contextMark).first ?? "\""
        return fault(
            "the quote that opens here is never closed", at: problem.contextMark, help: "add \(quote) at its end")
    }

    private func unclosed(_ bracket: String, with closing: String) -> Diagnostic? {
        guard problem.contextMark.line != mark.line else { return nil }
        let related = RelatedPlace("'\(closing)' or ',' was expected here", at: range(mark))
        var result = fault("the '\(bracket)' that opens here is not closed", at: problem.contextMark)
        result.help = "add '\(closing)', or the ',' that is missing between two of its entries"
        result.related = [related]
        return result
    }
}

extension SyntaxFault {
    private func fault(_ message: String, at place: Mark, related: String? = nil, help: String? = nil) -> Diagnostic {
        var diagnostic = Diagnostic(.error, .yamlSyntax, message, at: range(place), help: help)
        if help == Self.quoting {
            let line = Int(Self.clamped(place, lines).line)
            diagnostic.mend = TextQuoting.mend(lines, at: line + 1, file: source.file)
        }
        let context = Self.clamped(problem.contextMark, lines)
        if let related, context != place {
            diagnostic.related = [RelatedPlace(related, at: range(context))]
        }
        return diagnostic
    }

    private func range(_ mark: Mark) -> SourceRange {
        let place = Self.clamped(mark, lines)
        return SourceRange(
            file: source.file, start: SourcePosition(line: Int(place.line) + 1, column: Int(place.column) + 1))
    }

    private func text(from mark: Mark) -> [Unicode.Scalar] {
        let place = Self.clamped(mark, lines)
        return Array(lines[Int(place.line)].dropFirst(Int(place.column)))
    }

    private var rest: [Unicode.Scalar] { text(from: mark) }

    /// The text itself is not quoted in the message: it may be a secret.
    static let quoting = "put the text in quotes"

    /// libyaml adds a final line break to a text without one; editors show no such line.
    private static func clamped(_ mark: Mark, _ lines: [[Unicode.Scalar]]) -> Mark {
        let last = lines.count - 1
        return mark.line > last ? Mark(line: UInt32(last), column: UInt32(lines[last].count)) : mark
    }
}

extension SourceText {
    /// The lines as an editor shows them.
    func lines() -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = [[]]
        var previous: Unicode.Scalar = " "
        for scalar in String(decoding: bytes[start...], as: UTF8.self).unicodeScalars {
            if scalar == "\r" || scalar == "\n" && previous != "\r" {
                lines.append([])
            } else if scalar != "\n" {
                lines[lines.count - 1].append(scalar)
            }
            previous = scalar
        }
        return lines
    }
}
