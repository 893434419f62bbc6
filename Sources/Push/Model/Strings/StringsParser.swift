internal import Base

/// Parses the pairs of a `strings` file.
///
/// Source: Apple's "String Resources": old-style property list dictionaries without their braces.
struct StringsParser {
    private let scalars: [Unicode.Scalar]
    private let file: String
    private var index = 0

    init(scalars: [Unicode.Scalar], file: String) {
        self.scalars = scalars
        self.file = file
    }

    /// Parses all pairs.
    ///
    /// - Throws: a `Diagnostic` at the first syntax error.
    mutating func parse() throws(Diagnostic) -> [String: String] {
        var texts: [String: String] = [:]
        while true {
            try skipSpace()
            guard index < scalars.count else { return texts }
            let key = try word("a key")
            try skipSpace()
            guard peek == "=" else {
                // A key alone stands for itself.
                try expect(";", "'=' and a text, or ';',", after: key)
                texts[key] = key
                continue
            }
            index += 1
            try skipSpace()
            texts[key] = try word("a text")
            try skipSpace()
            try expect(";", "';'", after: key)
        }
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func expect(_ scalar: Unicode.Scalar, _ what: String, after key: String) throws(Diagnostic) {
        guard peek == scalar else { throw problem("\(what) must follow \(quoted(key))", at: index) }
        index += 1
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(Diagnostic) {
        while let scalar = peek {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            if scalar == "/", next == "/" {
                while let other = peek, other != "\n", other != "\r", other.value != 0x2028 { index += 1 }
            } else if scalar == "/", next == "*" {
                let start = index
                index += 2
                while index + 1 < scalars.count, scalars[index] != "*" || scalars[index + 1] != "/" { index += 1 }
                guard index + 1 < scalars.count else {
                    throw problem("a comment that never ends: '*/' is missing", at: start)
                }
                index += 2
            } else if scalar.properties.isWhitespace {
                index += 1
            } else {
                return
            }
        }
    }

    /// Reads a quoted string or an unquoted word.
    private mutating func word(_ what: String) throws(Diagnostic) -> String {
        if peek == "\"" { return try quotedText() }
        let start = index
        while let scalar = peek, Self.standsUnquoted(scalar) { index += 1 }
        guard index > start else { throw problem("\(what) is expected here, in quotation marks", at: start) }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<index])
        return String(text)
    }

    private static func standsUnquoted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "$", ":", "/": true
        default: false
        }
    }

    private mutating func quotedText() throws(Diagnostic) -> String {
        let start = index
        index += 1
        var units: [UInt16] = []
        while let scalar = peek {
            index += 1
            switch scalar {
            case "\"":
                guard let text = String(validating: units, as: UTF16.self) else {
                    throw problem("an escape encodes half of a surrogate pair", at: start)
                }
                return text
            case "\\": try appendEscape(to: &units)
            default: units.append(contentsOf: String(scalar).utf16)
            }
        }
        throw problem("a text that never ends: its closing quotation mark is missing", at: start)
    }

    private mutating func appendEscape(to units: inout [UInt16]) throws(Diagnostic) {
        let start = index - 1
        guard let scalar = peek else { throw problem("a backslash at the end of the file", at: start) }
        index += 1
        switch scalar {
        case "n": units.append(0x0A)
        case "r": units.append(0x0D)
        case "t": units.append(0x09)
        case "a": units.append(0x07)
        case "b": units.append(0x08)
        case "f": units.append(0x0C)
        case "v": units.append(0x0B)
        case "\"", "\\", "'", "\n": units.append(contentsOf: String(scalar).utf16)
        case "U", "u": units.append(try number(radix: 16, digits: 4, from: start))
        case "0"..."7":
            index -= 1
            units.append(try number(radix: 8, digits: 3, from: start))
        default:
            throw problem(#"an unknown escape: only \n \t \" \\ and \Uxxxx are understood"#, at: start)
        }
    }

    /// Reads up to `digits` digits; of four hexadecimal ones, all are required.
    private mutating func number(radix: UInt16, digits: Int, from start: Int) throws(Diagnostic) -> UInt16 {
        var value: UInt16 = 0
        var count = 0
        while count < digits, let digit = peek.flatMap({ Character($0).hexDigitValue }), digit < radix {
            value = value * radix + UInt16(digit)
            index += 1
            count += 1
        }
        guard count > 0, radix == 8 || count == digits else {
            throw problem("\\U needs four hexadecimal digits", at: start)
        }
        return value
    }

    /// Lines and columns count from 1, columns in Unicode scalars.
    private func problem(_ message: String, at index: Int) -> Diagnostic {
        var (line, column) = (1, 1)
        for scalar in scalars[..<index] {
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        return Diagnostic(
            .error, .invalidValue, message,
            at: SourceRange(file: file, start: SourcePosition(line: line, column: column)),
            help: #"a strings file holds lines such as "key" = "text";"#)
    }
}
