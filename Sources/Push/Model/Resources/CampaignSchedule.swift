internal import Base

extension Campaign {
    /// The days and instants of a recurring campaign; nil when it is sent once, or its rule is broken.
    package var timetable: Timetable? { recurrence.flatMap { Timetable($0) } }

    /// The campaign as one of its occurrences: sent once, at that time.
    package func occurrence(_ entry: Timetable.Entry) -> Campaign {
        var campaign = self
        campaign.recurrence = nil
        campaign.scheduledAt = entry.at
        campaign.occurrence = .on(entry.date)
        return campaign
    }

    /// The campaign, or the first occurrence of a recurring one, for what is the same of all of them.
    package var example: Campaign {
        guard let timetable, let day = timetable.rule.from ?? timetable.lastDay else { return self }
        return occurrence(timetable.entry(on: timetable.day(onOrAfter: day) ?? day))
    }

    /// For people: the campaign's name, and the day of an occurrence.
    package var titleOfDelivery: String { occurrence.date.map { "\(name) of \($0.text)" } ?? name }

    /// The time of the campaign's own offset or time zone at an instant.
    package func reading(at instant: Instant) -> OffsetInstant {
        timetable?.reading(at: instant) ?? OffsetInstant(instant, offset: scheduledAt?.offset ?? 0)
    }

    /// Changes the rule, or begins one.
    private mutating func changeRule(_ change: (inout Recurrence) -> Void) {
        var rule = recurrence ?? Recurrence()
        change(&rule)
        recurrence = rule
    }

    /// Changes the time by the devices' clocks, or begins one.
    private mutating func changeLocalSchedule(_ change: (inout LocalSchedule) -> Void) {
        var schedule = localSchedule ?? LocalSchedule(at: LocalTime(seconds: 0), otherwise: "")
        change(&schedule)
        localSchedule = schedule
        scheduledAt = schedule.first
    }

    static let schedule = FieldTable<Self>(
        "Campaign.schedule", "The time to send: once, or again and again with every", "发送时间：只发一次，或用 every 周期性发送",
        blank: blank, rules: scheduleRules,
        [
            FieldRow(
                "at", .sendTime,
                "The time to send; without it, as soon as it is applied; with every, a time of day; with zone, no offset",
                "发送时间；不写则在 apply 时立即发送；有 every 时写时刻；有 zone 时不写时区偏移",
                { campaign in
                    if let schedule = campaign.localSchedule { return .local(schedule.at) }
                    return campaign.recurrence.map { .timeOfDay($0.minute) }
                        ?? campaign.scheduledAt.map { .instant($0) }
                },
                { campaign, time in
                    switch time {
                    case .instant(let at): campaign.scheduledAt = at
                    case .timeOfDay(let minute): campaign.changeRule { $0.minute = minute }
                    case .local(let time): campaign.changeLocalSchedule { $0.at = time }
                    }
                }),
            FieldRow(
                "zone", .choice(DeviceZone.self),
                "device: each device is sent to when its own clock shows the time; straight to Apple only",
                "device：每台设备在自己的时钟走到该时间时收到推送；仅限直连 Apple", { $0.localSchedule.map { _ in .device } },
                { campaign, _ in campaign.changeLocalSchedule { _ in } }),
            FieldRow(
                "otherwise", .string(.timeZone), "The zone of devices that report none, or an unknown one",
                "没有上报时区、或时区无法识别的设备按哪个时区发送",
                { $0.localSchedule.flatMap { $0.otherwise.isEmpty ? nil : $0.otherwise } },
                { campaign, zone in campaign.changeLocalSchedule { $0.otherwise = zone } }),
            FieldRow(
                "every", .choice(Recurrence.Unit.self), "Sends again and again: every day, week or month",
                "周期性发送：每天、每周或每月", { $0.recurrence?.every },
                { campaign, unit in campaign.changeRule { $0.every = unit } }),
            FieldRow(
                "on", .recurrenceDays,
                "The days of each week (mon to sun) or month (1 to 31, last); a month without the day is left out",
                "每周的星期（mon 到 sun）或每月的日期（1 到 31、last）；当月没有这一天就跳过",
                { $0.recurrence.flatMap { $0.on.isEmpty ? nil : $0.on } },
                { campaign, days in campaign.changeRule { $0.on = days } }),
            FieldRow(
                "timeZone", .string(.timeZone), "The time zone whose days and clock count", "以哪个时区的日期与时钟为准",
                { $0.recurrence?.timeZone }, { campaign, zone in campaign.changeRule { $0.timeZone = zone } }),
            FieldRow(
                "from", .date, "The first day on which it may be sent", "最早可以发送的日期", { $0.recurrence?.from },
                { campaign, day in campaign.changeRule { $0.from = day } }),
            FieldRow(
                "until", .date, "The last day on which it may be sent; this or count is required with every",
                "最晚可以发送的日期；有 every 时，它与 count 必须写一个", { $0.recurrence?.until },
                { campaign, day in campaign.changeRule { $0.until = day } }),
            FieldRow(
                "count", .integer(.integer(Recurrence.countable)),
                "The number of days that it is sent on, from the day in from on; those in except count",
                "从 from 当天起一共发送多少次；except 中的日期也计算在内", { $0.recurrence?.count },
                { campaign, number in campaign.changeRule { $0.count = number } }),
            FieldRow(
                "except", .dates, "Days on which it is not sent", "不发送的日期",
                { $0.recurrence.flatMap { $0.except.isEmpty ? nil : $0.except } },
                { campaign, days in campaign.changeRule { $0.except = days } }),
            FieldRow(
                "window", .duration, default: "1h",
                "The delay within which it may still start; after that it is missed and never sent",
                "最多可以晚多久开始；超过即为错过，不再发送", unless: .seconds(3600), { $0.window }, { $0.window = $1 }),
        ])

    private static var scheduleRules: [FieldRule] {
        [
            .when(
                .has(["every"]),
                .allOf([
                    .matches(["at"], pattern: "^[0-9:]+$"), .has(["timeZone"]), .hasAny(["until", "count"]),
                    .not(.allOf([.has(["until"]), .has(["count"])])),
                ])),
            .when(.not(.has(["every"])), .lacks(["on", "timeZone", "from", "until", "count", "except"])),
            .when(.not(.has(["every"])), .not(.matches(["at"], pattern: "^[0-9:]+$"))),
            .when(.equals(["every"], "day"), .lacks(["on"])),
            .when(.anyOf([.equals(["every"], "week"), .equals(["every"], "month")]), .has(["on"])),
            .when(.has(["count"]), .has(["from"])),
            .when(
                .has(["zone"]),
                .allOf([.matches(["at"], pattern: LocalTime.pattern), .has(["otherwise"]), .lacks(["every"])])),
            .when(
                .not(.has(["zone"])),
                .allOf([.not(.matches(["at"], pattern: LocalTime.pattern)), .lacks(["otherwise"])])),
        ]
    }
}

/// The time of a schedule, as files write it.
enum SendTime: Hashable, Sendable {
    /// One point in time.
    case instant(OffsetInstant)
    /// A time of each day, in minutes after midnight.
    case timeOfDay(Int)
    /// A time by each device's own clock.
    case local(LocalTime)
}

/// The zones whose clock decides when a campaign is sent.
enum DeviceZone: String, CaseIterable {
    /// Each device's own.
    case device
}

extension FieldForm<SendTime> {
    /// An instant or a time of day.
    fileprivate static let sendTime = FieldForm(
        type: .sendTime,
        read: { value in
            switch value {
            case .instant(let at): .instant(at)
            case .text(let text): FieldType.minutes(text).map { .timeOfDay($0) } ?? LocalTime(text).map { .local($0) }
            case .flag, .integer, .number, .duration, .json, .list, .maps, .entries, .fields: nil
            }
        },
        write: { time in
            switch time {
            case .instant(let at): .instant(at)
            case .timeOfDay(let minute): .text(QuietHours.timeOfDay(minute))
            case .local(let time): .text(time.text)
            }
        },
        hash: { time, name, writer in
            switch time {
            case .instant(let at): writer.write(name, at.instant.text)
            case .timeOfDay(let minute): writer.write(name, minute)
            case .local(let time): writer.write(name, time.text)
            }
        })
}

extension FieldForm<CivilDate> {
    fileprivate static let date = FieldForm<String>.string(.date).map({ CivilDate($0) }, \.text)
}

extension FieldForm<[CivilDate]> {
    fileprivate static let dates = FieldForm<[String]>.list(.list(of: .date))
        .map({ $0.compactMap { CivilDate($0) } }, { $0.map(\.text) })
}

extension FieldForm<[Recurrence.Day]> {
    /// A list of days of a week or month.
    fileprivate static let recurrenceDays = FieldForm<[String]>.list(.list(of: .recurrenceDay))
        .map({ $0.compactMap { Recurrence.Day($0) } }, { $0.map(\.text) })
}

/// A time at which each device's own clock decides when it is sent to.
package struct LocalSchedule: Hashable, Sendable {
    /// The time that the devices' clocks show.
    package var at: LocalTime
    /// The IANA name of the zone of devices that report none, or an unknown one.
    package var otherwise: String
    /// The delay within which each wave may still start.
    package var window: Duration

    package init(at: LocalTime, otherwise: String, window: Duration = .seconds(3600)) {
        self.at = at
        self.otherwise = otherwise
        self.window = window
    }

    /// The easternmost offset from UTC, in seconds: UTC+14.
    private static let east = 14 * 3600
    /// The westernmost offset from UTC, in seconds: UTC−12.
    private static let west = -12 * 3600

    /// The instant of the first wave, by the easternmost clocks.
    package var first: OffsetInstant {
        OffsetInstant(Instant(seconds: at.seconds) - .seconds(Self.east), offset: Self.east)
    }

    /// The instant of the last wave, by the westernmost clocks.
    package var last: Instant { Instant(seconds: at.seconds) - .seconds(Self.west) }

    /// The instant at which the clocks of a zone show the time; nil when there is no such zone.
    package func wave(in zone: String) -> Instant? { ZoneClock(zone)?.firstInstant(showing: at) }

    /// The instant of devices without a known zone.
    package var fallback: Instant { wave(in: otherwise) ?? last }

    /// A wave as the clocks show it that it belongs to.
    package func reading(of wave: Instant) -> OffsetInstant {
        OffsetInstant(wave, offset: Int(at.seconds - wave.seconds))
    }

    /// The name of a wave, by its clocks' offset from UTC in seconds: `UTC+09:00`, `UTC−08:00`.
    ///
    /// With a minus sign, since a hyphen before digits makes what trackers take for the key of an issue.
    package static func label(ofOffset offset: Int) -> String {
        "UTC\(offset < 0 ? "−" : "+")\(QuietHours.timeOfDay(abs(offset) / 60))"
    }

    package func hash(to writer: inout ContentWriter) {
        writer.write("localTime", at.text)
        writer.write("otherwise", otherwise)
    }

    /// For people: `2026-12-01T09:00:00 by each device's clock, otherwise Asia/Shanghai`.
    package var reason: Reason { Reason(.localTime, .text(at.text), .text(otherwise)) }
}

extension Campaign {
    /// True when its delivery has parts: waves, stages, or a test of variants.
    package var isDivided: Bool { localSchedule != nil || rollout != nil || !variants.isEmpty }

    /// The waves in which each device's own clock decides; nil when it is sent at one instant.
    package var waves: LocalSchedule? {
        var schedule = localSchedule
        schedule?.window = window
        return schedule
    }

    /// The stages in which it is sent; nil when it is sent to everybody at once.
    package var stages: Rollout? {
        var stages = rollout
        stages?.window = window
        return stages
    }

    /// The delay after its time within which the first request may be made: waves go on for as long as the clocks of the
    /// earth differ.
    package var startWindow: Duration {
        localSchedule.map { $0.last - $0.first.instant + window } ?? window
    }

    /// The time of its last expiration if it starts at an instant; nil when there is none.
    ///
    /// The expiration counts from each wave, stage or part of a test.
    package func end(startingAt start: Instant) -> Instant? {
        expiration?.end(startingAt: lastPart(startingAt: start))
    }

    /// The latest time at which a wave, a stage or the rest of a test may be sent if it starts at an instant.
    ///
    /// It is that instant when the delivery is not divided.
    func lastPart(startingAt start: Instant) -> Instant {
        let afterTest = variantTest.map { start + window + $0.decideBy + window }
        // Each stage may open as late as a window after the one before.
        let lastStage = rollout.map { start + window * $0.stages.count }
        return afterTest ?? localSchedule.map { $0.last + window } ?? lastStage ?? start
    }
}

/// The time a service keeps trying.
package enum Expiration: Hashable, Sendable {
    /// This long after the delivery; zero: one attempt, not stored.
    case after(Duration)
    /// Until this time.
    case at(OffsetInstant)
    /// As long as the service itself keeps trying.
    case never

    /// The time a push that starts at this instant expires; nil when there is none, or when the push gets a single
    /// attempt, whenever that comes.
    package func end(startingAt start: Instant) -> Instant? {
        switch self {
        // One attempt, not an expiration that has passed.
        case .after(let duration): duration > .zero ? start + duration : nil
        case .at(let end): end.instant
        case .never: nil
        }
    }

    /// What is left at an instant of the life of a push that starts at `start`: nothing when it gets a single attempt;
    /// nil when nothing ends it.
    package func life(at now: Instant, startingAt start: Instant) -> Duration? {
        self == .after(.zero) ? Duration.zero : end(startingAt: start).map { $0 - now }
    }

    package func hash(to writer: inout ContentWriter) {
        switch self {
        case .after(let length): writer.write("expiresAfter", Int(length.wholeSeconds))
        case .at(let end): writer.write("expiresAt", end.instant.text)
        case .never: writer.write("expires", "never")
        }
    }

    /// For people: `after 7d`, `at 2026-12-01 20:00 +08:00`, `never`.
    package var reason: Reason {
        switch self {
        case .after(let duration): Reason(.expiresAfter, .duration(duration))
        case .at(let end): Reason(.expiresAt, .time(end))
        case .never: Reason(.neverExpires)
        }
    }
}

extension FieldForm<Expiration> {
    /// `{after: 7d}`, `{at: INSTANT}` or `never`.
    static let expiration = FieldForm(
        type: .either([.map(ExpirationEnd.fields.description), .constant("never")]),
        read: { value in
            guard let values = value.fields else { return .never }
            let end = ExpirationEnd.fields.partialRecord(of: values)
            return end.after.map(Expiration.after) ?? end.at.map(Expiration.at)
        },
        write: { expiration in
            switch expiration {
            case .after(let length): .fields(ExpirationEnd.fields.values(of: ExpirationEnd(after: length)))
            case .at(let end): .fields(ExpirationEnd.fields.values(of: ExpirationEnd(at: end)))
            case .never: .text("never")
            }
        },
        hash: { expiration, _, writer in expiration.hash(to: &writer) })
}

/// The fields of an expiration with an end.
private struct ExpirationEnd: Sendable {
    var after: Duration?
    var at: OffsetInstant?

    static let fields = FieldTable<Self>(
        "Campaign.expiration", "The time that the service keeps trying; exactly one of its fields",
        "有效期，即服务尝试投递多久；只能写其中一个字段", blank: ExpirationEnd(),
        rules: [.exactlyOne(of: ["after", "at"])],
        [
            FieldRow(
                "after", .duration, "This long after the delivery; 0s: one attempt, not stored",
                "从发送算起多久；0s 表示只尝试一次，不留存", { $0.after }, { $0.after = $1 }),
            FieldRow("at", .instant, "A fixed time", "到这一时刻为止", { $0.at }, { $0.at = $1 }),
        ])
}
