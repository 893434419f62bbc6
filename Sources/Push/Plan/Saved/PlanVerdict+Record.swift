internal import Base

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
            reach("sends", "Pushes that are sent at once.") { $0.sends },
            reach("schedules", "Pushes that are scheduled.") { $0.schedules },
            reach("reschedules", "Pending pushes that are replaced.") { $0.reschedules },
            reach("resumes", "Open deliveries that go on or are settled.") { $0.resumes },
            count("cancels", "Pending pushes that are cancelled.") { $0.cancels },
            count("starts", "Recurring campaigns that begin.") { $0.starts },
            count("creates", "Resources that are created.") { $0.creates },
            count("updates", "Resources that are updated.") { $0.updates },
            count("deletes", "Resources that are deleted.") { $0.deletes },
            Field(optional: "blocked", .list(of: .record(Blocked.record)), "What is blocked, by rule.") {
                $0.blocked.isEmpty ? nil : $0.blocked
            },
            count("onHold", "Deliveries on hold.") { $0.onHold },
            count("inParts", "Deliveries that go on in parts, when their time comes.") { $0.inParts },
            count("waits", "Other deliveries that wait for their time.") { $0.waits },
            count("missed", "Deliveries whose time has passed.") { $0.missed },
            count("undecided", "Deliveries that a person must decide about.") { $0.undecided },
        ])

    /// A number that is left out where it is zero.
    private static func count(
        _ name: String, _ sentence: String, _ get: @escaping @Sendable (PlanVerdict) -> Int
    ) -> Field<PlanVerdict> {
        Field(optional: name, .integer(), sentence) { get($0) == 0 ? nil : get($0) }
    }

    private static func reach(
        _ name: String, _ sentence: String, _ get: @escaping @Sendable (PlanVerdict) -> Reach
    ) -> Field<PlanVerdict> {
        Field(optional: name, .record(Reach.record), sentence) { get($0).pushes == 0 ? nil : get($0) }
    }
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
