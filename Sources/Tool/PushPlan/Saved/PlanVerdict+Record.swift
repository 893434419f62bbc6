internal import JSONValue
internal import PushModel
internal import Records

extension JSONForm<PlanVerdict> {
    /// What carrying out the plan does, which is written for programs and not read back.
    static var verdict: Self {
        JSONForm(
            schema: { sentence, _ in PlanVerdict.record.schema(sentence) },
            write: { PlanVerdict.record.json(of: $0) }, read: { _ in PlanVerdict() })
    }
}

extension PlanVerdict {
    fileprivate static let record = Record<PlanVerdict>(
        written: [
            Field("code", .choice(Code.self), "The most important thing about it.", { $0.code }),
            Field("sends", .record(Reach.record), "Pushes that are sent at once.", { $0.sends }),
            Field("schedules", .record(Reach.record), "Pushes that are scheduled.", { $0.schedules }),
            Field("reschedules", .record(Reach.record), "Pending pushes that are replaced.", { $0.reschedules }),
            Field("resumes", .record(Reach.record), "Open deliveries that go on or are settled.", { $0.resumes }),
            Field("cancels", .integer(), "Pending pushes that are cancelled.", { $0.cancels }),
            Field("starts", .integer(), "Recurring campaigns that begin.", { $0.starts }),
            Field("creates", .integer(), "Resources that are created.", { $0.creates }),
            Field("updates", .integer(), "Resources that are updated.", { $0.updates }),
            Field("deletes", .integer(), "Resources that are deleted.", { $0.deletes }),
            Field("blocked", .list(of: .record(Blocked.record)), "What is blocked, by rule.", { $0.blocked }),
            Field("onHold", .integer(), "Deliveries on hold.", { $0.onHold }),
            Field("inParts", .integer(), "Deliveries that go on in parts, when their time comes.", { $0.inParts }),
            Field("waits", .integer(), "Other deliveries that wait for their time.", { $0.waits }),
            Field("missed", .integer(), "Deliveries whose time has passed.", { $0.missed }),
            Field("undecided", .integer(), "Deliveries that a person must decide about.", { $0.undecided }),
        ])
}

extension PlanVerdict.Reach {
    fileprivate static let record = Record<Self>(
        written: [
            Field("pushes", .integer(), "The number of pushes.", { $0.pushes }),
            Field("devices", .integer(), "The devices that they reach, as far as they were counted.", { $0.devices }),
            Field("uncounted", .integer(), "The number of pushes whose devices were not counted.", { $0.uncounted }),
        ])
}

extension PlanVerdict.Blocked {
    fileprivate static let record = Record<Self>(
        written: [
            Field("rule", .choice(Block.Rule.self), "The rule.", { $0.rule }),
            Field("pushes", .integer(), "The number of pushes that it blocks.", { $0.pushes }),
            Field("others", .integer(), "The number of other changes that it blocks.", { $0.others }),
            Field(optional: "until", .text, "The time of day when it blocks no more.", { $0.until }),
        ])
}
