import Base

/// Writes files that are well-formed and as badly laid out as YAML allows.
struct NastyFile {
    private var random: SeededGenerator
    private var text = ""
    private var names = 0
    private var anchors: [String] = []

    /// The file of a seed.
    static func text(_ seed: UInt64) -> String {
        var file = NastyFile(random: SeededGenerator(seed: seed))
        file.write()
        return file.text
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func spaces(_ range: ClosedRange<Int>) -> String {
        String(repeating: " ", count: number(range))
    }

    private mutating func write() {
        if chance(5) { text += "\u{FEFF}" }
        for document in 0..<number(1...3) {
            anchors = []
            if document > 0 || chance(20) {
                if chance(10) { text += document > 0 ? "...\n%YAML 1.2\n" : "%YAML 1.2\n" } else { noise() }
                text += "---" + (chance(30) ? spaces(1...4) + "# document" : spaces(0...2)) + "\n"
            }
            noise()
            if chance(85) { mapping(number(0...4), depth: 0) } else { sequence(number(0...3), depth: 0) }
        }
        noise()
        if chance(10) { while text.last == "\n" || text.last == " " { text.removeLast() } }
        if chance(25) { text = text.replacing("\n", with: "\r\n") }
    }

    /// Blank lines and comments, anywhere.
    private mutating func noise() {
        for _ in 0..<(chance(60) ? 0 : number(1...4)) {
            switch number(0...3) {
            case 0: text += spaces(0...6) + "\n"
            case 1: text += "\n"
            default: text += spaces(0...9) + comment() + "\n"
            }
        }
    }

    private mutating func comment() -> String {
        names += 1
        return "#" + one([" ", "", "  ", "# "]) + one(["why", "谁", "a: [b", "- x", "\"", "👍🏽"]) + " \(names)"
            + spaces(0...2)
    }

    private mutating func endLine() {
        if chance(20) { text += one(["  ", " ", "\t", "          "]) + comment() }
        text += spaces(0...2) + "\n"
    }

    private mutating func mapping(_ indentation: Int, depth: Int, compact: Bool = false) {
        for entry in 0..<number(1...4) {
            if entry > 0 || !compact {
                if entry > 0 { noise() }
                text += String(repeating: " ", count: indentation)
            }
            names += 1
            let name = "k\(names)"
            switch number(0...11) {
            case 0:
                text += "? " + spaces(0...2) + name
                endLine()
                noise()
                text += String(repeating: " ", count: indentation) + ":"
            case 1:
                text += "? |-\n" + String(repeating: " ", count: indentation + 3) + name + "\n"
                text += String(repeating: " ", count: indentation) + ":"
            case 2: text += "\"\(name) x\"" + spaces(0...2) + ":"
            case 3: text += "'\(name)'" + ":"
            case 4: text += "&a\(names) " + name + " :"
            case 5: text += "键\(names):"
            case 6: text += "!!str" + spaces(1...3) + name + ":"
            default: text += name + spaces(0...1) + ":"
            }
            value(indentation, depth: depth, isInSequence: false)
        }
    }

    private mutating func sequence(_ indentation: Int, depth: Int, compact: Bool = false) {
        for element in 0..<number(1...3) {
            if element > 0 || !compact {
                if element > 0 { noise() }
                text += String(repeating: " ", count: indentation)
            }
            text += "-"
            if chance(40), depth < 6 {
                let gap = number(1...4)
                text += String(repeating: " ", count: gap)
                if chance(70) {
                    mapping(indentation + 1 + gap, depth: depth + 1, compact: true)
                } else {
                    sequence(indentation + 1 + gap, depth: depth + 1, compact: true)
                }
            } else {
                value(indentation, depth: depth, isInSequence: true)
            }
        }
    }

    private mutating func value(_ indentation: Int, depth: Int, isInSequence: Bool) {
        let isDeep = depth >= 6
        switch number(0...15) {
        case 0: endLine()
        case 1 where !anchors.isEmpty:
            text += " *" + one(anchors)
            endLine()
        case 2...4 where !isDeep:
            if chance(20) { text += one([" &m\(names)", " !!map", " !!map &m\(names)"]) }
            endLine()
            noise()
            mapping(indentation + number(1...5), depth: depth + 1)
        case 5...6 where !isDeep:
            if chance(20) { text += " !!seq" }
            endLine()
            noise()
            sequence(indentation + number(isInSequence ? 1...4 : 0...4), depth: depth + 1)
        case 7...8:
            text += spaces(1...3)
            flow(indentation, depth: 0)
            endLine()
        case 9...11: block(indentation)
        default:
            if chance(15) {
                names += 1
                anchors.append("n\(names)")
                text += " &n\(names)"
            }
            if chance(20) {
                text += "\n" + spaces((indentation + 1)...(indentation + 6))
            } else {
                text += spaces(1...4)
            }
            scalar(indentation)
            endLine()
        }
    }

    private mutating func lineBreak(_ indentation: Int) -> String {
        String(repeating: "\n", count: number(1...3)) + spaces((indentation + 1)...(indentation + 8))
    }

    private mutating func scalar(_ indentation: Int) {
        let words = ["word", "字", "a  b", "x#y", "1", "~", "true", "http://x", "it's", "-1", "0x1f"]
        switch number(0...5) {
        case 0: text += "plain " + one(words) + lineBreak(indentation) + one(words) + "  z"
        case 1:
            text += "'one ''" + spaces(0...3) + lineBreak(indentation) + one(words).replacing("'", with: "''") + " '"
        case 2:
            text += "\"two \\\" \\n" + one(["", " \\", "\\ ", "\\ \\", "  "]) + spaces(0...2)
            text += lineBreak(indentation) + "# not a comment \\u6F22 " + one(["", "\\\\"]) + "\""
        case 3: text += "\"  " + one(words) + "\t\""
        default: text += one(words)
        }
    }

    private mutating func block(_ indentation: Int) {
        let indicator = chance(40) ? number(1...9) : nil
        let chomping = one(["", "+", "-"])
        let digits = indicator.map(String.init) ?? ""
        text += " " + one(["|", ">"]) + (chance(50) ? digits + chomping : chomping + digits)
        if chance(20) { text += "  # header" }
        text += spaces(0...1) + "\n"
        let content = indicator.map { indentation + $0 } ?? indentation + number(1...6)
        for line in 0..<number(0...4) {
            if chance(25) { text += spaces(0...max(0, content)) + "\n" }
            let extra = line == 0 && indicator == nil ? "" : spaces(0...4)
            text += String(repeating: " ", count: content) + extra
            text += one(["text", "# text", "\ttab", "- item", "key: value", "文字  ", "%", "--- x", "{"]) + "\n"
        }
        for _ in 0..<(chance(30) ? number(1...3) : 0) { text += spaces(0...max(0, content)) + "\n" }
    }

    private mutating func flow(_ indentation: Int, depth: Int) {
        let isList = chance(50)
        text += isList ? "[" : "{"
        for element in 0..<number(0...3) {
            if element > 0 { text += spaces(0...1) + "," }
            gap(indentation)
            names += 1
            if !isList {
                text += one(["f\(names)", "\"f\(names)\"", "'f \(names)'"]) + spaces(0...1) + ":"
                if chance(10) { continue }
                text += " "
            } else if chance(10) {
                text += "p\(names): "
            }
            if chance(25), depth < 4 {
                flow(indentation, depth: depth + 1)
            } else {
                text += one(["a", "1", "\"q,  }\"", "'s'", "b c", "-1.5", "null", "字", "http://a:1/"])
            }
        }
        gap(indentation)
        text += isList ? "]" : "}"
    }

    private mutating func gap(_ indentation: Int) {
        switch number(0...7) {
        case 0: text += spaces(0...2) + "\n" + spaces((indentation + 1)...(indentation + 9))
        case 1: text += " " + comment() + "\n\n\n" + spaces((indentation + 1)...(indentation + 3))
        default: text += spaces(0...2)
        }
    }
}
