internal import DeviceRegistry
internal import JSONValue

extension Int64 {
    /// The number with its thousands apart: `12,345`.
    var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}

extension Timestamp {
    /// `2026-11-21 12:00:05`, in UTC.
    var dayAndTime: String { String(isoText.prefix(19).map { $0 == "T" ? " " : $0 }) }

    /// `12:00`, in UTC.
    var hourAndMinute: String { String(isoText.dropFirst(11).prefix(5)) }

    /// `Saturday, 21 November`, in UTC.
    var weekdayAndDay: String {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let (weekday, month, day) = date
        return "\(days[weekday]), \(day) \(months[month - 1])"
    }

    /// How long ago or ahead it is, in the largest unit that fits: `now`, `5 min ago`, `in 2 h`, `3 d ago`.
    func distance(from now: Timestamp) -> String {
        let seconds = (milliseconds - now.milliseconds) / 1000
        let amount =
            switch seconds.magnitude {
            case ..<60: ""
            case ..<3600: "\(seconds.magnitude / 60) min"
            case ..<86_400: "\(seconds.magnitude / 3600) h"
            default: "\(seconds.magnitude / 86_400) d"
            }
        if amount.isEmpty { return seconds <= 0 ? "now" : "in a moment" }
        return seconds < 0 ? "\(amount) ago" : "in \(amount)"
    }
}

extension String {
    /// The beginning of a token or id, which tells devices apart and is of no use to a thief.
    var shortened: String {
        count > 14 ? "\(prefix(8))…\(suffix(4))" : self
    }

    /// The text as one part of an address: everything but letters, digits and `-._~` is escaped.
    var addressPart: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-._~".unicodeScalars.contains(scalar)
            {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// At most so many characters, with a sign that there were more.
    func cut(to length: Int) -> String {
        count > length ? prefix(length - 1) + "…" : self
    }
}

extension JSONValue {
    /// The value with every device's token and id cut short, so that a page can show it.
    var withShortTokens: JSONValue {
        switch self {
        case .object(let members):
            .object(
                JSONObject(
                    members.lazy.map { key, value in
                        (key, Self.tokenKeys.contains(key) ? value.shortenedTexts : value.withShortTokens)
                    }))
        case .array(let elements): .array(elements.map(\.withShortTokens))
        case .null, .bool, .integer, .number, .string: self
        }
    }

    private static let tokenKeys: Set<String> = ["deviceToken", "installationId", "registrationId"]

    private var shortenedTexts: JSONValue {
        switch self {
        case .string(let text): .string(text.shortened)
        case .array(let elements): .array(elements.map(\.shortenedTexts))
        case .object(let members): .object(members.mapValues { $0.shortenedTexts })
        case .null, .bool, .integer, .number: self
        }
    }
}

extension PushOrder {
    /// Whom the push is for, in a few words.
    var audienceText: String {
        switch audience {
        case .devices(let platform, let ids, _):
            return "\(ids.count) \(platform) \(ids.count == 1 ? "device" : "devices") by id"
        case .query(let condition):
            if condition == [:] { return "Everyone" }
            if let members = condition.object, members.count == 1, let channels = members["channels"] {
                if let name = channels.string { return "Channel \(name)" }
                if let names = channels["$in"]?.array?.compactMap(\.string), !names.isEmpty {
                    return "Channels \(names.joined(separator: ", "))".cut(to: 120)
                }
            }
            return condition.withShortTokens.canonicalText.cut(to: 120)
        }
    }
}
