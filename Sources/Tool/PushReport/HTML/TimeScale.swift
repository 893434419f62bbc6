internal import Phrasebook
internal import PushModel
internal import PushPlan

/// A time line from the first push of a calendar to a little after the last one.
struct TimeScale {
    private let start: Instant
    private let end: Instant

    /// The longest tail for an expiration; longer ones run off the drawing.
    private static let longestTail = Duration.seconds(3 * 86_400)

    init(_ calendar: PlanCalendar) {
        let times = calendar.entries.map(\.at.instant)
        let first = times.min() ?? Instant(milliseconds: 0)
        let last = times.max() ?? first
        let ends = calendar.entries.compactMap { $0.expiresAt ?? $0.latestStart }
        let tail = max(last, min(ends.max() ?? last, last + Self.longestTail))
        let margin = max(Duration.milliseconds((tail - first).milliseconds / 25), .seconds(1800))
        start = first - margin
        end = tail + margin
    }

    private var length: Int64 { (end - start).milliseconds }

    /// The position of an instant in percent: `12.34`.
    func place(of instant: Instant) -> String { Self.text(of: fraction(of: instant)) }

    /// The length of a time span in percent, up to the end of the line.
    func length(from: Instant, to: Instant) -> String { Self.text(of: fraction(of: to) - fraction(of: from)) }

    private func fraction(of instant: Instant) -> Double {
        min(1, max(0, Double((instant - start).milliseconds) / Double(length)))
    }

    private static func text(of fraction: Double) -> String {
        let hundredths = Int((fraction * 10_000).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Midnights in UTC, or hours on a short line; at most eight.
    var ticks: [(place: String, at: Instant, detail: TickDetail)] {
        let steps: [Int64] = [1, 3, 6, 12, 24, 48, 168, 336, 720, 2160, 8760, 17_520]
        let hour: Int64 = 3_600_000
        let step = (steps.first { length / ($0 * hour) <= 7 } ?? 87_600) * hour
        var ticks: [(place: String, at: Instant, detail: TickDetail)] = []
        var next = (start.milliseconds / step + 1) * step
        while next < end.milliseconds {
            let instant = Instant(milliseconds: next)
            // Only the day if a step is a day or more, otherwise also the hour.
            ticks.append((place(of: instant), instant, step >= 720 * hour ? .month : step >= 24 * hour ? .day : .hour))
            next += step
        }
        return ticks
    }

    /// True if quiet hours are visible on the line.
    func shows(_ quietHours: QuietHours?) -> Bool {
        quietHours.map { $0.from != $0.to } == true && length < 45 * 86_400_000
    }

    /// The quiet hours as a CSS gradient from left to right; `none` when there are none, or too many to be visible.
    func gradient(of quietHours: QuietHours?) -> String {
        guard let quietHours, shows(quietHours) else { return "none" }
        var stops: [String] = []
        let step = max(300_000, length / 4000)
        var (time, isQuiet) = (start.milliseconds, quietHours.contain(start))
        var begin = time
        func add(_ from: Int64, _ to: Int64, _ colour: String) {
            let (left, right) = (place(of: Instant(milliseconds: from)), place(of: Instant(milliseconds: to)))
            stops.append("\(colour) \(left)% \(right)%")
        }
        while time < end.milliseconds {
            time = min(time + step, end.milliseconds)
            let next = quietHours.contain(Instant(milliseconds: time))
            if next != isQuiet || time == end.milliseconds {
                add(begin, time, isQuiet ? "var(--quiet-ground)" : "transparent")
                (begin, isQuiet) = (time, next)
            }
        }
        return "linear-gradient(to right, \(stops.joined(separator: ", ")))"
    }
}
