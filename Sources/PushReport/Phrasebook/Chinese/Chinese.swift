internal import Push

/// The texts in Chinese.
enum Chinese: Phrases {
    static let (comma, semicolon) = ("、", "；")

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
