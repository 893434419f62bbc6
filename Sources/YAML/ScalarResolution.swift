/// The type of a plain scalar by the core schema of YAML 1.2 (section 10.3.2 of its specification).
extension NodeForm {
    /// True if the text from `offset` on may be something other than a string, judged by its first byte.
    static func mayResolve(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset < text.count else { return true }
        switch text[offset] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
            UInt8(ascii: "f"), UInt8(ascii: "F"):
            return true
        default: return false
        }
    }

    /// The form of a plain scalar; invalid for `.inf`, `.nan`, or a number beyond the largest double.
    init(_ text: ArraySlice<UInt8>) {
        guard let first = text.first else {
            self = .null
            return
        }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            self = Self.number(text)
        case UInt8(ascii: "~"): self = text.count == 1 ? .null : .string
        case UInt8(ascii: "n"), UInt8(ascii: "N"):
            self = text.isOne(of: "null", "Null", "NULL") ? .null : .string
        case UInt8(ascii: "t"), UInt8(ascii: "T"):
            self = text.isOne(of: "true", "True", "TRUE") ? .bool : .string
        case UInt8(ascii: "f"), UInt8(ascii: "F"):
            self = text.isOne(of: "false", "False", "FALSE") ? .bool : .string
        default: self = .string
        }
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Self {
        let signed = text.first == UInt8(ascii: "+") || text.first == UInt8(ascii: "-")
        let body = signed ? text.dropFirst() : text
        if body.first == UInt8(ascii: ".") {
            if body.isOne(of: ".inf", ".Inf", ".INF") { return .invalid }
            if !signed, body.isOne(of: ".nan", ".NaN", ".NAN") { return .invalid }
        }
        if !signed, let radix = radix(of: body) {
            let digits = body.dropFirst(2)
            guard !digits.isEmpty, digits.allSatisfy({ $0.digit(radix) != nil }) else { return .string }
            return integer(text) == nil ? .hugeInteger : .integer
        }
        let whole = body.prefix { $0.digit(10) != nil }
        if !whole.isEmpty, whole.count == body.count {
            return body.count <= 18 || integer(text) != nil ? .integer : .hugeInteger
        }
        return float(text, afterWhole: body.dropFirst(whole.count), hasWhole: !whole.isEmpty)
    }

    /// 16 after `0x`, 8 after `0o`, otherwise nil.
    private static func radix(of text: ArraySlice<UInt8>) -> UInt8? {
        guard text.count >= 2, text.first == UInt8(ascii: "0") else { return nil }
        switch text[text.startIndex + 1] {
        case UInt8(ascii: "x"): return 16
        case UInt8(ascii: "o"): return 8
        default: return nil
        }
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, the part after the whole digits.
    private static func float(_ text: ArraySlice<UInt8>, afterWhole: ArraySlice<UInt8>, hasWhole: Bool) -> Self {
        var rest = afterWhole
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0.digit(10) != nil }
            guard hasWhole || !fraction.isEmpty else { return .string }
            rest = rest.dropFirst(1 + fraction.count)
        } else if !hasWhole {
            return .string
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard !rest.isEmpty, rest.allSatisfy({ $0.digit(10) != nil }) else { return .string }
        } else if !rest.isEmpty {
            return .string
        }
        return double(text) == nil ? .invalid : .float
    }

    /// The value of a text that resolves to an integer; nil when it does not fit 64 bits.
    static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
        var digits = text
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        let prefixed = radix(of: digits)
        if prefixed != nil { digits = digits.dropFirst(2) }
        let radix = prefixed ?? 10
        var value: Int64 = 0
        for byte in digits {
            guard let digit = byte.digit(radix) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: Int64(radix))
            // Negative numbers count down from zero, since their range is one longer.
            let step = isNegative ? -Int64(digit) : Int64(digit)
            let (sum, carried) = product.addingReportingOverflow(step)
            if overflow || carried { return nil }
            value = sum
        }
        return value
    }

    /// The value of a text that resolves to a float; nil when it is not finite.
    static func double(_ text: ArraySlice<UInt8>) -> Double? {
        Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func isOne(of first: StaticString, _ second: StaticString, _ third: StaticString) -> Bool {
        equals(first) || equals(second) || equals(third)
    }

    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // The pointer of a literal lives as long as the program, and is read only within its count.
        let literal = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return unsafe elementsEqual(literal)
    }
}

extension UInt8 {
    /// The value of an ASCII digit below `radix`.
    fileprivate func digit(_ radix: UInt8) -> UInt8? {
        let value: UInt8
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): value = self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): value = self - UInt8(ascii: "A") + 10
        default: return nil
        }
        return value < radix ? value : nil
    }
}

enum CoreTag: String {
    case null
    case bool
    case int
    case float
    case str
    case seq
    case map
    /// `!`: the tag of a quoted scalar.
    case nonSpecific

    private static let prefix = "tag:yaml.org,2002:"

    /// Recognises a tag whose handle is resolved.
    init?(_ tag: String) {
        if tag == "!" {
            self = .nonSpecific
        } else if tag.hasPrefix(Self.prefix), let known = Self(rawValue: String(tag.dropFirst(Self.prefix.count))),
            known != .nonSpecific
        {
            self = known
        } else {
            return nil
        }
    }

    /// A tag as usually written: `!!str`.
    static func spelling(_ tag: String) -> String {
        tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag
    }

    /// The form of a scalar with this tag; nil when its text does not fit.
    func form(of text: ArraySlice<UInt8>) -> NodeForm? {
        let resolved = NodeForm(text)
        switch (self, resolved) {
        case (.str, _), (.nonSpecific, _): return .string
        case (.null, .null), (.bool, .bool), (.int, .integer), (.int, .hugeInteger), (.float, .float),
            (.float, .invalid):
            return resolved
        case (.float, .integer), (.float, .hugeInteger):
            // `0o17` and `0x1f` are not floats.
            return NodeForm.double(text) == nil || text.contains { $0 >= UInt8(ascii: "A") } ? nil : .float
        default: return nil
        }
    }
}
