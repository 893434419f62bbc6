internal import PushModel
internal import PushPlan

/// The words and numbers that reports share.
enum Wording {
    /// A number with a comma between thousands.
    static func number(_ value: Int) -> String {
        let digits = Array(String(value.magnitude).utf8)
        var bytes: [UInt8] = value < 0 ? [UInt8(ascii: "-")] : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number and its noun, with an `s` unless it is one.
    static func count(_ value: Int, _ noun: String) -> String { count(value, noun, plural: noun + "s") }

    /// A number and its noun, whose plural is not one of `s` alone.
    static func count(_ value: Int, _ noun: String, plural: String) -> String {
        "\(number(value)) \(value == 1 ? noun : plural)"
    }

    /// `312 of 4,096 bytes`.
    static func size(_ payload: PlannedPayload) -> String {
        "\(number(payload.bytes)) of \(number(payload.limit)) bytes"
    }

    /// A commit as people name it: the first seven digits of a full hash.
    static func commit(_ text: String) -> String {
        let isHash = text.utf8.count >= 40 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? String(text.prefix(7)) : text
    }

    /// `last applied abc1234, 2 h ago, by github run 812`.
    static func lastApplied(_ last: LastApplied, now: Instant) -> String {
        let age = now > last.at ? (now - last.at).roundedText : "0 s"
        let commit = last.commit.map { " \(Self.commit($0))," } ?? ""
        return "last applied\(commit) \(age) ago" + (last.run.map { ", by \($0)" } ?? "")
    }
}
