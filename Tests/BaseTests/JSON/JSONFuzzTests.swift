import Base
import Foundation
import Testing

/// Seeded texts, whole and mutated: they are read as Foundation reads them, and never trap.
@Suite struct JSONFuzzTests {
    @Test(arguments: 0..<8)
    func aWholeTextIsReadAsFoundationReadsIt(seed: UInt64) throws {
        var source = Source(seed: seed)
        for _ in 0..<150 {
            let text = source.text(depth: 5)
            let read = try JSONValue(parsing: text)
            #expect(Self.areAlike(read, Self.foundation(Array(text.utf8))), "\(text)")
            #expect(try JSONValue(parsing: read.canonicalBytes) == read)
            #expect(
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) is NSNull
                    == read.isNull)
        }
    }

    @Test(arguments: 0..<8)
    func aBrokenTextIsRefusedWhereFoundationRefusesIt(seed: UInt64) {
        var source = Source(seed: 1000 + seed)
        for _ in 0..<600 {
            var bytes = Array(source.text(depth: 3).utf8)
            for _ in 0...source.below(3) { source.mutate(&bytes) }
            let read = Result { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes) }
            // Zero bytes, and marks of byte orders, make Foundation guess another encoding.
            if bytes.contains(0) || bytes.contains(0xFE) || bytes.contains(0xFF) { continue }
            let theirs = Self.foundation(bytes)
            switch read {
            case .success(let value): #expect(Self.areAlike(value, theirs), "\(bytes)")
            // Foundation reads "[1, ]", and does not look at a number under a name that it has already.
            case .failure(let error):
                #expect(theirs == nil || [.value, .name, .number].contains(error.fault), "\(error): \(bytes)")
            }
            _ = JSONOutline(of: bytes)?.member("a")
            _ = JSONOutline.texts(under: ["a", "b"], inFirst: source.below(40), of: bytes)
        }
    }

    /// Whether two values are the same; numbers of more digits than doubles have may differ in the last ones.
    private static func areAlike(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { areAlike($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { areAlike($0.value, right[$0.key]) }
        case (.integer(let left), .integer(let right)):
            left == right || left.magnitude > 1 << 53 && Double(left) == Double(right)
        default: left == right || left?.double != nil && left?.double == right?.double
        }
    }

    private static func foundation(_ bytes: [UInt8]) -> JSONValue? {
        try? JSONDecoder().decode(Reference.self, from: Data(bytes)).value
    }
}

/// What Foundation reads.
private struct Reference: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let members = try? container.decode([String: Reference].self) {
            value = .object(JSONObject(members.mapValues(\.value)))
        } else if let whole = try? container.decode(Int64.self) {
            value = .integer(whole)
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let number = try? container.decode(Double.self) {
            value = .number(number)
        } else {
            value = .array(try container.decode([Reference].self).map(\.value))
        }
    }
}

/// Makes texts from a seed.
private struct Source {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

    private mutating func one(of texts: [String]) -> String { texts[below(texts.count)] }

    private mutating func space() -> String { one(of: ["", "", "", " ", "\n", "\t ", "\r\n"]) }

    private mutating func string() -> String {
        let parts = [
            "a", "b", "key", "é", "推送", "😀", "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00", "\\/", "\\u0000",
            "a text of some words", "\u{7F}", "\u{2028}",
        ]
        return "\"" + (0..<below(4)).map { _ in one(of: parts) }.joined() + "\""
    }

    private mutating func number() -> String {
        let digits = { (source: inout Source, most: Int) in
            (0...source.below(most)).map { _ in String(source.below(10)) }.joined()
        }
        let whole = below(4) == 0 ? "0" : "\(1 + below(9))" + digits(&self, 21)
        let fraction = below(3) == 0 ? "." + digits(&self, 20) : ""
        let exponent = below(4) == 0 ? one(of: ["e", "E", "e-", "E+"]) + digits(&self, 2) : ""
        return one(of: ["", "", "-"]) + whole + fraction + exponent
    }

    mutating func text(depth: Int) -> String {
        let kinds = depth > 0 ? 7 : 5
        let value: String
        switch below(kinds) {
        case 0: value = string()
        case 1: value = one(of: ["true", "false", "null"])
        case 2, 3, 4: value = number()
        case 5:
            value = "[" + (0..<below(5)).map { _ in text(depth: depth - 1) }.joined(separator: ",") + space() + "]"
        default:
            let members = (0..<below(6)).map { _ in space() + string() + space() + ":" + text(depth: depth - 1) }
            value = "{" + members.joined(separator: ",") + space() + "}"
        }
        return space() + value + space()
    }

    mutating func mutate(_ bytes: inout [UInt8]) {
        let marks =
            Array("{}[]\",:\\.eE+-0129utfn/ \n".utf8) + [
                0x00, 0x1F, 0x7F, 0x80, 0xBF, 0xC3, 0xE6, 0xED, 0xF0, 0xF5, 0xFF,
            ]
        let index = below(bytes.count + 1)
        switch below(5) {
        case 0: bytes.insert(marks[below(marks.count)], at: index)
        case 1: if index < bytes.count { bytes.remove(at: index) }
        case 2: if index < bytes.count { bytes[index] = marks[below(marks.count)] }
        case 3: bytes.removeSubrange(index...)
        default: bytes.insert(contentsOf: bytes[index...].prefix(1 + below(6)), at: below(bytes.count + 1))
        }
    }
}
