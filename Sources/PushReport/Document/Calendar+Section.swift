internal import Diagnostics
internal import PushModel
internal import PushPlan

extension PlanCalendar {
    /// When pushes go out, and which come too close to each other.
    var section: ReportDocument.Section {
        guard !entries.isEmpty else { return ReportDocument.Section(heading: "Calendar", aside: nil, blocks: []) }
        var blocks = collisions.prefix(Self.mostCollisions).map {
            ReportDocument.Block.remark($0.devices == nil ? .note : .warning, sentence(on: $0))
        }
        let number = collisions.count + otherCollisions
        if number > blocks.count {
            let rest = Wording.number(number - blocks.count)
            blocks.append(.remark(.note, "\(rest) more pairs come as close to each other"))
        }
        blocks.append(.calendar(self))
        if let quietHours, quietHours.from != quietHours.to {
            blocks.append(.paragraph("Quiet hours: \(quietHours.text)."))
        }
        var aside = Wording.count(entries.count, "push", plural: "pushes")
        if number > 0 { aside += ", " + Wording.count(number, "collision") }
        return ReportDocument.Section(heading: "Calendar", aside: aside, blocks: blocks)
    }

    private static let mostCollisions = 20
    private static let mostRows = 200

    private func sentence(on collision: Collision) -> String {
        let devices = collision.devices.map { " to " + Wording.count($0, "device") } ?? ", maybe to the same devices"
        let apart = collision.apart == .zero ? "go out at the same time" : "come \(collision.apart.roundedText) apart"
        return "campaigns \(collision.first) and \(collision.second) \(apart)\(devices), "
            + "and should be \(minimumGap.configurationText) apart"
    }

    /// The calendar in words, where it is not drawn.
    var table: ReportDocument.Table {
        let columns = [
            ("Sent at", false), ("Campaign", false), ("What happens", false), ("Worth delivering until", false),
            ("Local times", false),
        ].map { ReportDocument.Table.Column(heading: $0.0, isNumeric: $0.1) }
        var rows: [[String?]] = entries.prefix(Self.mostRows).map { entry in
            [
                entry.at.displayText, entry.campaign ?? "not bugle's", entry.words, entry.expiresAt?.text,
                entry.localTimes.isEmpty ? nil : entry.localTimes.map(\.words).joined(separator: "; "),
            ]
        }
        if entries.count > Self.mostRows {
            rows.append(["…", "\(Wording.number(entries.count - Self.mostRows)) more pushes", nil, nil, nil])
        }
        return ReportDocument.Table(columns: columns, rows: rows)
    }
}

extension PlanCalendar.Entry {
    /// What the plan does with it, in a word.
    var words: String {
        if isBlocked { return "blocked" }
        return switch action {
        case nil: "pending"
        case .send: "sends"
        case .schedule: "is scheduled"
        case .reschedule: "is rescheduled"
        case .cancel: "is cancelled"
        case .resume: "is settled"
        case .wait: "waits"
        case .missed: "is missed"
        case .create, .update, .delete: "changes"
        case .some(.none): "unknown"
        }
    }
}

extension PlanCalendar.LocalTime {
    /// `20:00 Asia/Shanghai, 9,000 devices (clocks change that day)`.
    var words: String {
        var text = "\(at.displayText) \(timeZone)"
        if let devices { text += ", " + Wording.count(devices, "device") }
        if let remark { text += " (\(remark))" }
        return text
    }
}
