internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// A bar chart of one figure by day, drawn as SVG, and the same as a table.
struct ChartView {
    /// The element id, unique on a page.
    let chartID: String
    let chartTitle: String
    let total: String
    let bars: [Bar]
    /// The width of the drawing: one unit per pixel of a bar and its gap.
    let width: Int
    /// The largest figure; empty when there is none.
    let peak: String
    let firstDay: String
    let lastDay: String
    /// True if there is nothing to draw.
    let isEmpty: Bool

    /// One day.
    struct Bar {
        let day: String
        let count: String
        let x: Int
        let y: Int
        let height: Int
    }

    /// The height of the drawing, and the widths of a bar and of a day.
    static let height = 100
    static let (barWidth, dayWidth) = (14, 18)

    init(
        _ id: String, _ title: Phrase, _ days: [DayFigures], bound: Int?, for viewer: Viewer,
        _ figure: (DayFigures) -> Int
    ) {
        func text(_ count: Int) -> String { count.grouped + (count >= bound ?? .max ? "+" : "") }
        let counts = days.map(figure)
        let highest = counts.max() ?? 0
        chartID = id
        chartTitle = viewer.language.say(title)
        let sum = counts.reduce(0, +)
        total = sum.grouped + (highest >= bound ?? .max ? "+" : "")
        isEmpty = highest == 0
        peak = highest == 0 ? "" : text(highest)
        width = days.count * Self.dayWidth
        bars = zip(days, counts).enumerated().map { index, pair in
            let (day, count) = pair
            // One device among many is still to be seen.
            let height = count == 0 ? 0 : max(2, Int(Double(count) / Double(highest) * Double(Self.height)))
            return Bar(
                day: viewer.day(day.start), count: text(count),
                x: index * Self.dayWidth + (Self.dayWidth - Self.barWidth) / 2, y: Self.height - height, height: height)
        }
        func mark(_ day: DayFigures?) -> String {
            day.map { viewer.language.tick(viewer.local($0.start), .day) } ?? ""
        }
        firstDay = mark(days.first)
        lastDay = mark(days.last)
    }
}

/// The charts of the overview.
struct ChartsView {
    let charts: [ChartView]
    let days: Int
    /// True if these are the longer ones.
    let isLong: Bool

    /// The numbers of days.
    static let (short, long) = (14, 30)

    /// The starts of the last days up to today, and of tomorrow, in the viewer's zone.
    static func boundaries(days: Int, for viewer: Viewer) -> [Instant] {
        let today = viewer.start(ofDay: viewer.day(viewer.now)) ?? viewer.now
        let noon = today.advanced(bySeconds: 12 * 3600)
        return ((1 - days)...1).map { offset in
            let day = viewer.day(noon.advanced(bySeconds: Double(offset) * 86_400))
            return viewer.start(ofDay: day) ?? today.advanced(bySeconds: Double(offset) * 86_400)
        }
    }

    init(_ days: [DayFigures], for viewer: Viewer) {
        let bound = DayFigures.mostCounted
        self.days = days.count
        isLong = days.count > Self.short
        charts = [
            ChartView("registrations", .registrationsChart, days, bound: bound, for: viewer) { $0.registrations },
            ChartView("deliveries", .deliveriesChart, days, bound: nil, for: viewer) { $0.deliveries },
            ChartView("refusals", .refusalsChart, days, bound: bound, for: viewer) { $0.refusals },
            ChartView("dead", .deadTokensChart, days, bound: bound, for: viewer) { $0.deadTokens },
        ]
    }
}

/// The overview's page: the parts that change, the charts, and what devices reported.
struct OverviewPageView {
    let overview: OverviewView
    let trend: ChartsView
    let counted: [CountedDeliveryView]
}
