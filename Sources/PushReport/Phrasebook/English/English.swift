internal import Push

/// The texts in English.
enum English: Phrases {
    static let (comma, semicolon) = (", ", "; ")

    static func time(_ time: OffsetInstant) -> String { time.displayText }
    static func instant(_ instant: Instant) -> String { instant.text }
    static func dayAndTime(_ instant: Instant) -> String {
        instant.text.prefix(10) + " " + instant.text.dropFirst(11).prefix(8)
    }
    static func day(_ day: CivilDate) -> String { day.text }
    static func duration(_ duration: Duration) -> String { duration.roundedText }
    static func text(_ reason: Reason) -> String { reason.text }

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
