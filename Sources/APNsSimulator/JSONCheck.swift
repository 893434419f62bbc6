/// A validator for one JSON object that builds no value: payloads are checked by the million and never read.
///
/// Source: RFC 8259. Nesting deeper than 200 levels is refused.
struct JSONCheck {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0

    /// True if `bytes` are a JSON object in UTF-8.
    static func isObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var check = JSONCheck(bytes: bytes)
        check.skipSpace()
        guard check.next == UInt8(ascii: "{"), check.value(200) else { return false }
        check.skipSpace()
        return check.place == bytes.count
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(_ depth: Int) -> Bool {
        switch next {
        case UInt8(ascii: "{"): depth > 0 && list(UInt8(ascii: "}"), depth, isObject: true)
        case UInt8(ascii: "["): depth > 0 && list(UInt8(ascii: "]"), depth, isObject: false)
        case UInt8(ascii: "\""): string()
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        case .some, .none: number()
        }
    }

    private mutating func list(_ end: UInt8, _ depth: Int, isObject: Bool) -> Bool {
        place += 1
        skipSpace()
        if take(end) { return true }
        while true {
            if isObject {
                skipSpace()
                guard string() else { return false }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return false }
            }
            skipSpace()
            guard value(depth - 1) else { return false }
            skipSpace()
            if take(end) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = next {
            place += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = next else { return false }
        place += 1
        switch byte {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = next, Character(UnicodeScalar(digit)).isHexDigit else { return false }
                place += 1
            }
            return true
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        default: return false
        }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[index]) { return false }
        return true
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { guard digits() else { return false } }
        if take(UInt8(ascii: ".")) { guard digits() else { return false } }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }
}
