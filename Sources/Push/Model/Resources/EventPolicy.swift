/// How the events that devices report are treated.
package struct EventPolicy: Hashable, Sendable {
    /// The time after the end of a delivery for which single events are kept, and late ones accepted; then they are
    /// counts. 7 days by default.
    package var keep = EventPolicy.defaultKept

    /// The default of ``keep``: 7 days.
    package static let defaultKept = Duration.seconds(7 * 86_400)

    /// The member of a payload under which it names its delivery: `"bugle": {"delivery": "…"}`.
    package static let payloadKey = "bugle"

    /// Creates the default.
    package init() {}
}

extension EventPolicy {
    static let fields = FieldTable(
        "Workspace.policy.events", "The events that apps report of notifications; straight to Apple only",
        "应用上报的通知事件；仅限直连 Apple", blank: EventPolicy(),
        [
            FieldRow(
                "keep", .duration, default: "7d",
                "How long single events are kept, and late ones taken, after the end of a delivery; then they are counts by part and hour",
                "投递结束后，逐条事件保留多久、迟到的上报还接受多久；之后只保留按分批与小时汇总的计数", unless: defaultKept, { $0.keep },
                { $0.keep = $1 })
        ])
}
