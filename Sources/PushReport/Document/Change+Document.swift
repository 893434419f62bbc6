internal import PushModel
internal import PushPlan

extension Change {
    /// The change as people read it.
    ///
    /// - Parameter isWarned: whether a diagnostic speaks of its document.
    func item(isWarned: Bool) -> ReportDocument.Item {
        ReportDocument.Item(
            mark: isBlocked ? .blocked : Mark(action), kind: kind.word, name: name,
            outcome: isBlocked ? "blocked: " + blocked.map(\.message).joined(separator: "; ") : outcome,
            details: details, risk: risk(isWarned: isWarned),
            devices: action.isSending ? audience?.devices ?? 0 : 0, place: place,
            hasPictures: !looks.isEmpty)
    }

    /// What happens, in a few words; nil where the symbol says it.
    private var outcome: String? {
        let time = delivery?.at?.displayText
        let expires = delivery?.expires.map { ", expires \($0)" } ?? ""
        return switch action {
        case .create, .update, .delete: nil
        case .send: "sends now"
        case .schedule: time.map { $0 + expires } ?? "sends now"
        case .reschedule: "rescheduled to " + (time.map { $0 + expires } ?? "now")
        case .cancel: "cancels" + (time.map { " " + $0 } ?? "")
        case .resume: "settles an open delivery"
        case .wait: "waits" + (time.map { " for " + $0 } ?? "")
        case .missed: "missed" + (time.map { " " + $0 } ?? "")
        case .none: "outcome unknown"
        }
    }

    private var details: [ReportDocument.Detail] {
        var details: [ReportDocument.Detail] = []
        switch action {
        case .create where kind != .campaign: details = FieldChanges.fields(of: after)
        case .update: details = FieldChanges.changes(from: before, to: after)
        case .reschedule: details = FieldChanges.sharedChanges(from: before, to: after)
        case .create, .delete, .send, .schedule, .cancel, .resume, .wait, .missed, .none: break
        }
        if let audience {
            let devices = audience.devices.map { Wording.count($0, "device") } ?? "not counted"
            details.append(.field(label: "audience", value: audience.description, aside: devices))
        }
        if let payload {
            details.append(.field(label: "payload", value: Wording.size(payload), aside: nil))
        }
        if let preview { details.append(.quote(preview)) }
        switch action {
        case .reschedule, .cancel, .resume, .wait, .missed, .none:
            if !reason.isEmpty { details.append(.field(label: "reason", value: reason, aside: nil)) }
        case .create, .update, .delete, .send, .schedule: break
        }
        return details
    }
}

extension Mark {
    /// The mark of an action that no rule holds back.
    init(_ action: Action) {
        self =
            switch action {
            case .create: .create
            case .update: .update
            case .delete: .delete
            case .send: .send
            case .schedule, .reschedule: .schedule
            case .cancel: .cancel
            case .resume: .resume
            case .wait: .wait
            case .missed: .missed
            case .none: .unknown
            }
    }
}
