/// UUIDs as Apple's headers write them: lower case, 8-4-4-4-12.
enum APNsUUID {
    /// Generates a random UUID (version 4).
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var place = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                let byte = UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
                buffer[place] = digit(byte >> 4)
                buffer[place + 1] = digit(byte & 15)
                place += 2
            }
            return place
        }
    }

    /// True if a text is such a UUID.
    static func isValid(_ text: String) -> Bool {
        var place = 0
        for byte in text.utf8 {
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            switch byte {
            case UInt8(ascii: "-"): if !isDash { return false }
            case 0x30...0x39, 0x61...0x66: if isDash { return false }
            default: return false
            }
            place += 1
        }
        return place == 36
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
