internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

struct OverviewView {
    let summary: SummaryView
    let phones: [PhoneView]
    let list: PushListView
    let waiting: ScheduledListView
}

struct SummaryView {
    /// The devices by group; empty when they could not be counted.
    let groups: [DeviceGroupView]
    /// The newest push that was sent; `nil` when there is none among the recent ones.
    let newest: PushRowView?
}

/// A group of devices by what becomes of them in a push to everybody.
struct DeviceGroupView {
    let groupName: String
    let devices: String
    let note: String
    /// The link to these devices; empty when the list cannot show just them.
    let href: String

    static func all(of census: DeviceCensus, isSimulated: Bool, in language: Language) -> [DeviceGroupView] {
        let groups: [(Phrase, Int, String, String)] = [
            (.reachableGroup, census.reachable, language.say(.ofRegistered(census.all)), "/console/installations"),
            (
                .androidGroup, census.android, isSimulated ? language.say(.isSimulated) : language.say(.noWayToThem),
                "/console/installations?platform=android"
            ),
            (.staleGroup, census.stale, language.say(.leftStale), ""),
            (.deadTokens, census.dead, language.say(.leftInvalid), ""),
            (.otherGroup, census.other, language.say(.leftNotApple), ""),
        ]
        return groups.filter { $0.0 != .otherGroup || $0.1 > 0 }.map { label, devices, note, href in
            DeviceGroupView(groupName: language.say(label), devices: devices.grouped, note: note, href: href)
        }
    }
}

/// The place of a page in its list.
struct ListPlaceView {
    let first: String
    let last: String
    let total: String
    let isAtLeast: Bool
    /// The number of the page; empty when a page before it was not full.
    let page: String
    /// The number of pages; empty when it is not known.
    let pages: String

    /// Creates the place of a page with so many entries after others; nil for an empty page.
    init?(_ entries: Int, after before: Int, of count: ListCount, perPage: Int) {
        guard entries > 0 else { return nil }
        // What arrived since the count is there as well.
        let all = max(count.number, before + entries)
        first = (before + 1).grouped
        last = (before + entries).grouped
        total = all.grouped
        isAtLeast = count.isAtLeast
        page = before % perPage == 0 ? (before / perPage + 1).grouped : ""
        pages = isAtLeast || page.isEmpty ? "" : ((all + perPage - 1) / perPage).grouped
    }
}

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
