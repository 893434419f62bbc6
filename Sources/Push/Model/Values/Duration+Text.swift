extension Duration {
    /// Reads `90s`, `15m`, `36h`, `7d` or `2w`; nil when it is anything else or longer than 1,000 years.
    package init?(configurationText text: String) {
        guard let unit = text.utf8.last, text.utf8.count > 1 else { return nil }
        var count: Int64 = 0
        for byte in text.utf8.dropLast() {
            // Far more digits than a thousand years of seconds have.
            guard (0x30...0x39).contains(byte), count < 1_000_000_000_000 else { return nil }
            count = count * 10 + Int64(byte - 0x30)
        }
        let seconds: Int64
        switch unit {
        case UInt8(ascii: "s"): seconds = 1
        case UInt8(ascii: "m"): seconds = 60
        case UInt8(ascii: "h"): seconds = 3600
        case UInt8(ascii: "d"): seconds = 86_400
        case UInt8(ascii: "w"): seconds = 604_800
        default: return nil
        }
        let (total, overflow) = count.multipliedReportingOverflow(by: seconds)
        guard !overflow, total <= 31_622_400_000 else { return nil }
        self = .seconds(total)
    }

    /// The shortest exact form in a configuration: `7d` rather than `168h`; weeks are written as days.
    package var configurationText: String {
        let seconds = wholeSeconds
        for (unit, size) in [("d", Int64(86_400)), ("h", 3600), ("m", 60)] where seconds % size == 0 && seconds > 0 {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }

    /// The approximate length, for people: `2 h`, `3 d`, `45 s`.
    package var roundedText: String {
        let seconds = wholeSeconds
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3600) h" }
        return "\(seconds / 86_400) d"
    }
}
