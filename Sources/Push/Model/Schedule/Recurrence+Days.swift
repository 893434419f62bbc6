extension Recurrence {
    /// The first day on or after `date` that the rule's unit and days name, whatever its bounds.
    func namedDay(onOrAfter date: CivilDate) -> CivilDate {
        switch every {
        case .day: date
        case .week: date.adding(days: weekdays.map { ($0 - date.weekday + 7) % 7 }.min() ?? 0)
        case .month: dayOfMonth(onOrAfter: date)
        }
    }

    /// The rule's days in a month, in order.
    func days(inMonth month: Int, of year: Int) -> [Int] {
        let length = CivilDate.daysInMonth(year: year, month: month)
        let days = on.compactMap { day -> Int? in
            switch day {
            case .weekday: nil
            case .dayOfMonth(let number): number <= length ? number : nil
            case .last: length
            }
        }
        return Set(days).sorted()
    }

    private var weekdays: [Int] { on.compactMap { if case .weekday(let number) = $0 { number } else { nil } } }

    private func dayOfMonth(onOrAfter date: CivilDate) -> CivilDate {
        var (year, month, first) = (date.year, date.month, date.day)
        // Of two months in a row, at least one has every day there is.
        for _ in 0..<3 {
            if let day = days(inMonth: month, of: year).first(where: { $0 >= first }) {
                return CivilDate(year: year, month: month, day: day)
            }
            (year, month, first) = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
        }
        return date
    }

    /// The fewest days between two of its days; more than 31 count as 31.
    package var shortestInterval: Int {
        // Four years have every length of months.
        var last = namedDay(onOrAfter: CivilDate(year: 2024, month: 1, day: 1))
        let end = CivilDate(year: 2028, month: 2, day: 1)
        var shortest = 31
        while last < end, shortest > 1 {
            let next = namedDay(onOrAfter: last.adding(days: 1))
            shortest = min(shortest, next.daysSince1970 - last.daysSince1970)
            last = next
        }
        return shortest
    }
}
