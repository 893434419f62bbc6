internal import Base
internal import YAML

/// Checks a time by the devices' own clocks beyond its single fields.
struct LocalTimeCheck {
    let campaign: Campaign
    /// The mapping `schedule`.
    let schedule: MapReader
    /// The campaign's document.
    let document: MapReader

    /// Reports everything that keeps the time from meaning something.
    func check() {
        guard schedule.has("zone") else { return checkWithoutZone() }
        if let node = schedule["at"] {
            if node.string.flatMap({ LocalTime($0) }) == nil, node.string.flatMap({ OffsetInstant($0) }) != nil {
                schedule.context.report(
                    .conflictingKeys, "'at' has an offset, and with 'zone: device' each device's own clock decides",
                    at: node,
                    help: "leave the offset out")
            }
        } else if !schedule.has("at") {
            schedule.context.report(
                .missingKey, "missing key 'at'", at: schedule.holder, help: "for example at: 2026-12-01T09:00:00")
        }
        if !schedule.has("otherwise") {
            schedule.context.report(
                .missingKey, "missing key 'otherwise'", at: schedule.holder,
                help: "name the zone of devices that report none, for example otherwise: Asia/Shanghai")
        }
        if schedule.has("every") {
            schedule.report(.conflictingKeys, "'zone' and 'every' exclude each other", atKeyOf: "zone")
        }
        if document.has("rollout") {
            document.report(
                .conflictingKeys, "'rollout' and 'schedule.zone' exclude each other", atKeyOf: "rollout",
                help: "send in stages at one instant, or by each device's clock")
        }
    }

    private func checkWithoutZone() {
        if schedule.has("otherwise") {
            schedule.report(.conflictingKeys, "'otherwise' needs 'zone: device'", atKeyOf: "otherwise")
        }
        guard let node = schedule["at"], let text = node.string, LocalTime(text) != nil, !schedule.has("every") else {
            return
        }
        schedule.context.report(
            .invalidValue, "'at' must be \(FieldType.instant.expectation), but found \(quoted(text))", at: node,
            help:
                "add the offset from UTC, for example \(text)+08:00, or 'zone: device', which sends when each device's "
                + "own clock shows the time")
    }
}
