package import Push

/// The parts of a time that a mark on a time line shows.
package enum TickDetail: Sendable {
    /// The year and the month.
    case month
    /// The month and the day.
    case day
    /// The day and the time.
    case hour
}

extension Language {
    private func written(_ english: @autoclosure () -> String, _ chinese: @autoclosure () -> String) -> String {
        switch self {
        case .english: english()
        case .chinese: chinese()
        }
    }

    /// A time with its offset, to the minute unless it has seconds: `2026-11-27 20:00 +08:00`.
    package func time(_ time: OffsetInstant) -> String { written(time.displayText, Chinese.time(time)) }

    /// An instant in UTC: `2026-11-27T12:00:00Z`.
    package func instant(_ instant: Instant) -> String { written(instant.text, Chinese.instant(instant)) }

    /// A day and a time in UTC to the second, without a zone: `2026-11-27 12:00:00`.
    package func dayAndTime(_ instant: Instant) -> String {
        written(instant.text.prefix(10) + " " + instant.text.dropFirst(11).prefix(8), Chinese.dayAndTime(instant))
    }

    /// A day in UTC: `2026-11-27`.
    package func day(_ instant: Instant) -> String { day(OffsetInstant(instant).date) }

    /// The label of a mark on a time line: `11-27 20:00`.
    package func tick(_ instant: Instant, _ detail: TickDetail) -> String {
        written(English.tick(instant, detail), Chinese.tick(instant, detail))
    }

    /// An approximate duration: `2 h`.
    package func duration(_ duration: Duration) -> String { written(duration.roundedText, Chinese.duration(duration)) }

    /// A reason with its values.
    package func say(_ reason: Reason) -> String { written(reason.text, Chinese.text(reason)) }

    /// A day in UTC: `2026-11-27`.
    package func day(_ day: CivilDate) -> String { written(day.text, Chinese.day(day)) }

    /// Joins texts with commas.
    package func list(_ texts: [String]) -> String { texts.joined(separator: written(", ", "、")) }

    /// Joins clauses with semicolons.
    package func clauses(_ texts: [String]) -> String { texts.joined(separator: written("; ", "；")) }
}

extension Language {
    /// A part of a whole in percent, with a tenth where it is small; the whole is at least 1.
    package func share(_ part: Int, of whole: Int) -> String {
        let tenths = Int((Double(part) * 1000 / Double(whole)).rounded())
        if tenths == 0, part > 0 { return say(.underShare("0.1")) }
        let isWhole = tenths % 10 == 0 || tenths >= 100
        return say(.share(isWhole ? ((tenths + 5) / 10).grouped : "\(tenths / 10).\(tenths % 10)"))
    }
}

enum English {
    static func tick(_ instant: Instant, _ detail: TickDetail) -> String {
        // `2026-11-27 20:00 +00:00`: a month keeps its year, since several years may be shown.
        let text = OffsetInstant(instant).displayText
        return switch detail {
        case .month: String(text.prefix(7))
        case .day: String(text.dropFirst(5).prefix(5))
        case .hour: String(text.dropFirst(5).prefix(11))
        }
    }

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    static func lastDelivery(_ revision: Int, _ devices: Int, _ at: Instant, _ change: Int?, _ share: String?) -> String
    {
        let share = share.map { " (\($0))" } ?? ""
        let comparison =
            switch change {
            case nil: ""
            case 0?: ", as many as now"
            case let more? where more > 0: "; that is \(more.grouped) more now\(share)"
            case let fewer?: "; that is \((-fewer).grouped) fewer now\(share)"
            }
        return "Revision \(revision) went to \(Phrase.counted(devices, "device")) at \(at.text)\(comparison)."
    }
}

enum Chinese {
    /// `2026年11月27日 20:00 +08:00`.
    static func time(_ time: OffsetInstant) -> String {
        let text = time.displayText
        return date(text) + text.dropFirst(10)
    }

    /// `2026年11月27日 12:00:00 UTC`.
    static func instant(_ instant: Instant) -> String { dayAndTime(instant) + " UTC" }

    static func dayAndTime(_ instant: Instant) -> String {
        let text = instant.text
        return "\(date(text)) \(text.dropFirst(11).prefix(8))"
    }

    static func day(_ day: CivilDate) -> String { date(day.text) }

    static func tick(_ instant: Instant, _ detail: TickDetail) -> String {
        let text = OffsetInstant(instant).displayText
        let date = date(text)
        return switch detail {
        case .month: String(date.prefix { $0 != "月" }) + "月"
        case .day: String(date.dropFirst(5))
        case .hour: "\(date.dropFirst(5)) \(text.dropFirst(11).prefix(5))"
        }
    }

    static let weekdays = ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"]

    static func duration(_ duration: Duration) -> String {
        let seconds = duration.wholeSeconds
        if seconds < 120 { return "\(seconds) 秒" }
        if seconds < 7200 { return "\(seconds / 60) 分钟" }
        if seconds < 172_800 { return "\(seconds / 3600) 小时" }
        return "\(seconds / 86_400) 天"
    }

    static func text(_ reason: Reason) -> String { reason.filled(reason.code.chinese, value) }

    private static func value(_ value: Reason.Value) -> String {
        switch value {
        case .text, .count, .number: value.text
        case .instant(let moment): instant(moment)
        case .time(let moment): time(moment)
        case .day(let date): day(date)
        case .duration(let length): exactly(length)
        case .age(let seconds): duration(.seconds(seconds))
        case .reason(let reason): text(reason)
        }
    }

    /// A duration as configured: `90 分钟`.
    static func exactly(_ duration: Duration) -> String {
        let text = duration.configurationText
        let units: [Character: String] = ["s": "秒", "m": "分钟", "h": "小时", "d": "天"]
        return "\(text.dropLast()) \(text.last.flatMap { units[$0] } ?? "")"
    }

    /// `2026-11-07…` as `2026年11月7日`.
    private static func date(_ text: String) -> String {
        let parts = text.prefix(10).split(separator: "-").map { Int($0) ?? 0 }
        return parts.count == 3 ? "\(parts[0])年\(parts[1])月\(parts[2])日" : text
    }

    /// Joins clauses; a clause that ends like a sentence needs no separator.
    static func sentences(_ texts: [String]) -> String {
        texts.dropLast().map { $0.hasSuffix("。") ? $0 : $0 + "；" }.joined() + (texts.last ?? "")
    }

    static func lastDelivery(_ revision: Int, _ devices: Int, _ at: Instant, _ change: Int?, _ share: String?) -> String
    {
        let share = share.map { "（\($0)）" } ?? ""
        let comparison =
            switch change {
            case nil: ""
            case 0?: "，与现在相同"
            case let more? where more > 0: "；现在多 \(more.grouped) 台\(share)"
            case let fewer?: "；现在少 \((-fewer).grouped) 台\(share)"
            }
        return "版本 \(revision) 于 \(instant(at)) 发给 \(devices.grouped) 台设备\(comparison)。"
    }
}
