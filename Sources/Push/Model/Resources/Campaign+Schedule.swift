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

    static let schedule = FieldTable(
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
                "count", .integer(.integer(1...5000)),
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

    /// The constraints between the fields of a schedule.
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
    /// A day.
    fileprivate static let date = FieldForm<String>.string(.date).map({ CivilDate($0) }, \.text)
}

extension FieldForm<[CivilDate]> {
    /// A list of days.
    fileprivate static let dates = FieldForm<[String]>.list(.list(of: .date))
        .map({ $0.compactMap { CivilDate($0) } }, { $0.map(\.text) })
}

extension FieldForm<[Recurrence.Day]> {
    /// A list of days of a week or month.
    fileprivate static let recurrenceDays = FieldForm<[String]>.list(.list(of: .recurrenceDay))
        .map({ $0.compactMap { Recurrence.Day($0) } }, { $0.map(\.text) })
}
