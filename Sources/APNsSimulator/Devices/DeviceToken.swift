internal import Crypto

/// A device token in 32 bytes, so that a million tokens take little memory.
///
/// A token of 64 digits is stored as is; any other as the SHA-256 of its digits.
struct DeviceToken: Hashable, Sendable {
    private let a: UInt64
    private let b: UInt64
    private let c: UInt64
    private let d: UInt64

    /// The most hexadecimal digits accepted as a token; Apple only says not to assume a length.
    private static let digitLimit = 512

    /// Parses hexadecimal digits of either case; nil for any other character or an odd number of digits.
    init?(_ text: Substring) {
        var text = text
        let read = text.withUTF8 { Self.words($0) }
        guard let read else { return nil }
        self = read
    }

    init?(_ text: String) { self.init(text[...]) }

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    /// A value that is the same in every run, for seeded draws.
    var mixed: UInt64 { a &+ b &* 0x9E37_79B9_7F4A_7C15 &+ (c ^ d &* 0xBF58_476D_1CE4_E5B9) }

    private static func words(_ digits: UnsafeBufferPointer<UInt8>) -> DeviceToken? {
        guard !digits.isEmpty, digits.count % 2 == 0, digits.count <= digitLimit else { return nil }
        guard digits.count == 64 else { return hashed(digits) }
        guard let a = word(digits, 0), let b = word(digits, 16), let c = word(digits, 32), let d = word(digits, 48)
        else { return nil }
        return DeviceToken(a, b, c, d)
    }

    private static func word(_ digits: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64? {
        var word: UInt64 = 0
        var index = start
        while index < start + 16 {
            let value = digit(digits[index])
            guard value < 16 else { return nil }
            word = word << 4 | UInt64(value)
            index += 1
        }
        return word
    }

    private static func hashed(_ digits: UnsafeBufferPointer<UInt8>) -> DeviceToken? {
        var values: [UInt8] = []
        for byte in digits {
            let value = digit(byte)
            guard value < 16 else { return nil }
            values.append(value)
        }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in SHA256.hash(data: values).enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        return DeviceToken(words[0], words[1], words[2], words[3])
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        case 0x41...0x46: byte - 0x37
        default: 16
        }
    }
}
