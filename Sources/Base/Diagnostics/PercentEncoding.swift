extension UInt8 {
    /// True for a byte that may stand unencoded anywhere in a URL. Source: RFC 3986, section 2.3.
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension String {
    /// The text as one component of a URL: everything but unreserved characters is percent-encoded, as UTF-8.
    package var percentEncoded: String { percentEncoded { !$0.isUnreserved } }

    /// The text with the selected bytes of its UTF-8 written as `%` and two upper-case hexadecimal digits.
    package func percentEncoded(where isEncoded: (UInt8) -> Bool) -> String {
        let bytes = utf8.flatMap { byte in
            isEncoded(byte) ? Array("%\(byte.hexadecimal(digits: 2, uppercase: true))".utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes percent-encoded text; nil when an escape is broken or the bytes are not UTF-8.
    package init?(percentDecoding text: some StringProtocol, plusIsSpace: Bool = false) {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = source.next()?.hexadecimalValue, let low = source.next()?.hexadecimalValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}
