internal import Base
internal import YAML

/// Checks the rule of a recurring campaign beyond its single fields.
struct RecurrenceCheck {
    let rule: Recurrence
    let campaign: Campaign
    let schedule: MapReader
    /// The campaign's document.
    let document: MapReader

    /// Reports everything that keeps the rule from meaning something.
    func check() {
        guard schedule.has("every") else { return checkWithoutRule() }
        checkTime()
        schedule.require("timeZone", help: "for example timeZone: Asia/Shanghai")
        checkEnd()
        if case .at = campaign.expiration, let node = document["expiration"] {
            schedule.context.report(
                .conflictingKeys, "'expiration.at' is one instant, and 'schedule.every' has many", at: node,
                help: "write {after: DURATION}, which counts from each time it is sent")
        }
        guard schedule["every"]?.string.flatMap(Recurrence.Unit.init) != nil, checkDays(),
            let timetable = Timetable(rule)
        else { return }
        checkWindow()
        checkExceptions(timetable)
    }

    private func checkWithoutRule() {
        for name in ["on", "timeZone", "from", "until", "count", "except"] where schedule.has(name) {
            schedule.report(.conflictingKeys, "\(quoted(name)) needs 'every'", atKeyOf: name)
        }
        guard let node = schedule["at"], let text = node.string, FieldType.minutes(text) != nil else { return }
        let wanted = FieldType.instant.expectation
        schedule.context.report(
            .invalidValue, "'at' must be \(wanted), but found \(quoted(text))", at: node,
            help: "a time of day needs 'every'")
    }

    private func checkTime() {
        guard let node = schedule["at"] else {
            return schedule.require("at", help: "write the time of day, for example at: \"09:00\"")
        }
        guard let at = campaign.scheduledAt else { return }
        schedule.context.report(
            .conflictingKeys, "'at' is one instant, and 'every' needs a time of day", at: node,
            help: "write \"\(QuietHours.timeOfDay(at.minuteOfDay))\"")
    }

    private func checkEnd() {
        let ends = ["until", "count"].filter(schedule.has)
        if ends.isEmpty {
            schedule.context.report(
                .missingKey, "one of 'until' and 'count' is needed", at: schedule.holder,
                help: "what is sent again and again needs an end")
        } else if ends.count == 2 {
            schedule.report(.conflictingKeys, "'until' and 'count' exclude each other", atKeyOf: "count")
        }
        if schedule.has("count"), !schedule.has("from") {
            schedule.report(
                .conflictingKeys, "'count' needs 'from'", atKeyOf: "count",
                help: "without the first day nobody can tell which is the last")
        }
        if let from = rule.from, let until = rule.until, until < from, let node = schedule["until"] {
            schedule.context.report(.conflictingKeys, "'until' is before 'from'", at: node)
        }
    }

    /// Checks the days of each week or month; false when they do not fit.
    private func checkDays() -> Bool {
        switch rule.every {
        case .day:
            guard schedule.has("on") else { return true }
            schedule.report(
                .conflictingKeys, "'on' cannot be combined with 'every: day'", atKeyOf: "on",
                help: "write every: week or every: month")
            return false
        case .week, .month:
            let isWeek = rule.every == .week
            let help = isWeek ? "for example on: [mon, thu]" : "for example on: [1, 15] or on: [last]"
            guard let nodes = schedule["on"]?.elements else {
                schedule.require("on", help: help)
                return false
            }
            var fits = true
            for node in nodes {
                guard let text = node.text, let day = Recurrence.Day(text), day.unit != rule.every else { continue }
                let message = "\(quoted(text)) is no day of a \(rule.every.rawValue)"
                schedule.context.report(.conflictingKeys, message, at: node, help: help)
                fits = false
            }
            return fits
        }
    }

    private func checkWindow() {
        let days = rule.shortestInterval
        guard campaign.window >= .seconds(days * 86_400), let node = schedule["window"] else { return }
        schedule.context.report(
            .conflictingKeys,
            "'window' must be shorter than the \(days == 1 ? "day" : "\(days) days") between two sends",
            at: node)
    }

    private func checkExceptions(_ timetable: Timetable) {
        if timetable.isEmpty {
            if let from = rule.from, let until = rule.until, until < from { return }
            schedule.report(
                .conflictingKeys, "there is no day on which it would be sent", atKeyOf: "every",
                help: "check 'on', 'from', 'until' and 'except'")
            return
        }
        for node in schedule["except"]?.elements.map({ $0 }) ?? [] {
            guard let text = node.string, let day = CivilDate(text), !timetable.names(day) else { continue }
            schedule.context.warn(
                .invalidValue, "'except' names \(text), on which it would not be sent anyway", at: node.range)
        }
    }
}

extension DocumentReader {
    /// Checks a time by the devices' own clocks beyond its single fields.
    func checkLocalTime(_ schedule: MapReader, of document: MapReader) {
        guard schedule.has("zone") else { return checkWithoutZone(schedule) }
        if let node = schedule["at"] {
            if node.string.flatMap({ LocalTime($0) }) == nil, node.string.flatMap({ OffsetInstant($0) }) != nil {
                context.report(
                    .conflictingKeys, "'at' has an offset, and with 'zone: device' each device's own clock decides",
                    at: node, help: "leave the offset out")
            }
        } else {
            schedule.require("at", help: "for example at: 2026-12-01T09:00:00")
        }
        schedule.require(
            "otherwise", help: "name the zone of devices that report none, for example otherwise: Asia/Shanghai")
        if schedule.has("every") {
            schedule.report(.conflictingKeys, "'zone' and 'every' exclude each other", atKeyOf: "zone")
        }
        if document.has("rollout") {
            document.report(
                .conflictingKeys, "'rollout' and 'schedule.zone' exclude each other", atKeyOf: "rollout",
                help: "send in stages at one instant, or by each device's clock")
        }
    }

    private func checkWithoutZone(_ schedule: MapReader) {
        if schedule.has("otherwise") {
            schedule.report(.conflictingKeys, "'otherwise' needs 'zone: device'", atKeyOf: "otherwise")
        }
        guard let node = schedule["at"], let text = node.string, LocalTime(text) != nil, !schedule.has("every") else {
            return
        }
        context.report(
            .invalidValue, "'at' must be \(FieldType.instant.expectation), but found \(quoted(text))", at: node,
            help:
                "add the offset from UTC, for example \(text)+08:00, or 'zone: device', which sends when each device's "
                + "own clock shows the time")
    }
}
