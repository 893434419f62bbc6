internal import Phrasebook
internal import PushModel
internal import PushPlan

/// A time line from the first push of a calendar to a little after the last one, with a break where nothing happens for
/// very long: a push in nine years must not press those of today together.
struct TimeScale {
    /// A part of the line without a break; its place and width are fractions of the line.
    private struct Stretch {
        let start: Instant
        let end: Instant
        var left = 0.0
        var width = 1.0

        var length: Int64 { (end - start).milliseconds }
    }

    private let stretches: [Stretch]
    /// The offset from UTC, in seconds, that the marks tell times by: that of the first push.
    private let offset: Int

    /// The longest tail for an expiration; longer ones run off the drawing.
    private static let longestTail = Duration.seconds(3 * 86_400)
    /// The most breaks, and the width of one.
    private static let mostBreaks = 4
    private static let breakWidth = 0.07
    /// The least width of a part, however short it is beside the others.
    private static let leastWidth = 0.12

    init(_ calendar: PlanCalendar) {
        offset = calendar.entries.first?.at.offset ?? 0
        let spans = calendar.entries.map { entry in
            let start = entry.at.instant
            let end = entry.expiresAt ?? entry.latestStart ?? start
            return (start: start, end: max(start, min(end, start + Self.longestTail)))
        }
        stretches = Self.laidOut(Self.parts(spans.sorted { $0.start < $1.start }))
    }

    /// Joins spans, the earliest first, to parts with the longest pauses between them: a pause is a break if it is more
    /// than three times as long as all else, and than three days.
    private static func parts(_ spans: [(start: Instant, end: Instant)]) -> [(start: Instant, end: Instant)] {
        guard let first = spans.first else { return [] }
        var (latest, pauses) = (first.end, [(after: Int, length: Int64)]())
        for (index, span) in spans.enumerated() {
            if span.start > latest { pauses.append((index, (span.start - latest).milliseconds)) }
            latest = max(latest, span.end)
        }
        var (rest, breaks) = ((latest - first.start).milliseconds, Set<Int>())
        for pause in pauses.sorted(by: { $0.length > $1.length }).prefix(mostBreaks) {
            rest -= pause.length
            guard pause.length > 3 * max(rest, 86_400_000) else { break }
            breaks.insert(pause.after)
        }
        var parts = [first]
        for (index, span) in spans.enumerated() {
            if breaks.contains(index) {
                parts.append(span)
            } else {
                parts[parts.count - 1].end = max(parts[parts.count - 1].end, span.end)
            }
        }
        return parts
    }

    /// Gives each part a margin and its share of the line.
    private static func laidOut(_ parts: [(start: Instant, end: Instant)]) -> [Stretch] {
        var stretches = parts.map { part in
            let margin = max(Duration.milliseconds((part.end - part.start).milliseconds / 25), .seconds(1800))
            return Stretch(start: part.start - margin, end: part.end + margin)
        }
        let whole = Double(stretches.reduce(0) { $0 + $1.length })
        let room = 1 - breakWidth * Double(stretches.count - 1)
        let weights = stretches.map { max(Double($0.length) / whole, leastWidth) }
        let sum = weights.reduce(0, +)
        var left = 0.0
        for index in stretches.indices {
            stretches[index].left = left
            stretches[index].width = weights[index] / sum * room
            left += stretches[index].width + breakWidth
        }
        return stretches
    }

    /// The position of an instant in percent: `12.34`.
    func place(of instant: Instant) -> String { Self.text(of: fraction(of: instant)) }

    /// The length of a time span in percent, up to the end of its part of the line.
    func length(from: Instant, to: Instant) -> String {
        let begin = fraction(of: from)
        let stretch = stretches.last { $0.start <= from }
        let end = stretch.map { min(fraction(of: to), $0.left + $0.width) } ?? begin
        return Self.text(of: end - begin)
    }

    private func fraction(of instant: Instant) -> Double {
        guard let stretch = stretches.last(where: { $0.start <= instant }) else { return 0 }
        let part = Double((instant - stretch.start).milliseconds) / Double(stretch.length)
        return stretch.left + stretch.width * min(1, part)
    }

    /// A fraction in percent, with two decimal places.
    static func text(of fraction: Double) -> String {
        let hundredths = Int((fraction * 10_000).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The breaks: their place and width in percent, and the time by the clock of the first push when they end.
    var gaps: [(place: String, width: String, until: Instant)] {
        zip(stretches, stretches.dropFirst()).map { before, after in
            let place = Self.text(of: before.left + before.width)
            return (place, Self.text(of: Self.breakWidth), after.start + .seconds(offset))
        }
    }

    /// Midnights by the clock of the first push, or hours where the line is short; a few for each part of it.
    var ticks: [(place: String, at: Instant, detail: TickDetail)] { stretches.flatMap(ticks) }

    private func ticks(of stretch: Stretch) -> [(place: String, at: Instant, detail: TickDetail)] {
        let steps: [Int64] = [1, 3, 6, 12, 24, 48, 168, 336, 720, 2160, 8760, 17_520]
        let hour: Int64 = 3_600_000
        let most = max(1, Int64(7 * stretch.width))
        let step = (steps.first { stretch.length / ($0 * hour) <= most } ?? stretch.length / hour / most + 1) * hour
        let shift = Int64(offset) * 1000
        var ticks: [(place: String, at: Instant, detail: TickDetail)] = []
        var next = ((stretch.start.milliseconds + shift) / step + 1) * step
        while next - shift < stretch.end.milliseconds {
            // Only the day if a step is a day or more, otherwise also the hour.
            let detail: TickDetail = step >= 720 * hour ? .month : step >= 24 * hour ? .day : .hour
            ticks.append((place(of: Instant(milliseconds: next - shift)), Instant(milliseconds: next), detail))
            next += step
        }
        return ticks
    }

    private var length: Int64 { stretches.reduce(0) { $0 + $1.length } }

    /// True if quiet hours are visible on the line.
    func shows(_ quietHours: QuietHours?) -> Bool {
        quietHours.map { $0.from != $0.to && !$0.isByDevice } == true && length < 45 * 86_400_000
    }

    /// The quiet hours and the breaks as a CSS gradient from left to right; `none` when there are none.
    func gradient(of quietHours: QuietHours?) -> String {
        var stops: [String] = []
        for (index, stretch) in stretches.enumerated() {
            if index > 0 {
                let start = stretch.left - Self.breakWidth
                stops.append("var(--surface) \(Self.text(of: start))% \(Self.text(of: stretch.left))%")
            }
            stops += quietStops(of: stretch, quietHours)
        }
        return stops.isEmpty ? "none" : "linear-gradient(to right, \(stops.joined(separator: ", ")))"
    }

    private func quietStops(of stretch: Stretch, _ quietHours: QuietHours?) -> [String] {
        let end = stretch.end.milliseconds
        func stop(_ from: Int64, _ to: Int64, _ colour: String) -> String {
            let (left, right) = (fraction(of: Instant(milliseconds: from)), fraction(of: Instant(milliseconds: to)))
            return "\(colour) \(Self.text(of: left))% \(Self.text(of: right))%"
        }
        guard let quietHours, shows(quietHours) else {
            return stretches.count > 1 ? [stop(stretch.start.milliseconds, end, "transparent")] : []
        }
        var stops: [String] = []
        let step = max(300_000, length / 4000)
        var (time, isQuiet) = (stretch.start.milliseconds, quietHours.contain(stretch.start))
        var begin = time
        while time < end {
            time = min(time + step, end)
            let next = quietHours.contain(Instant(milliseconds: time))
            if next != isQuiet || time == end {
                stops.append(stop(begin, time, isQuiet ? "var(--quiet-ground)" : "transparent"))
                (begin, isQuiet) = (time, next)
            }
        }
        return stops
    }
}
