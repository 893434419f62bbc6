internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// The days that the list of pushes is about.
struct PushFilterForm {
    let from: String
    let to: String
    /// The end of the previous page; nil on the first.
    let cursor: PushCursor?
    /// The problem with the days; empty when there is none.
    private(set) var problem = ""

    init(_ query: [String: String]) {
        from = query["from"] ?? ""
        to = query["to"] ?? ""
        cursor = query["before"].flatMap { PushCursor($0) }
    }

    /// True if a day was chosen.
    var isFiltered: Bool { !from.isEmpty || !to.isEmpty }

    /// The times from the start of the first day to the end of the last, in the viewer's zone; a day that cannot be read
    /// bounds nothing.
    func range(for viewer: Viewer) -> PushRange {
        // A day has at most 25 hours, and the next one begins within 36.
        let next = viewer.start(ofDay: to).map { viewer.day($0.advanced(bySeconds: 36 * 3600)) }
        return PushRange(start: viewer.start(ofDay: from), end: next.flatMap { viewer.start(ofDay: $0) })
    }

    /// Sets ``problem`` if a day cannot be read.
    mutating func check(for viewer: Viewer) {
        let isSound = [from, to].allSatisfy { $0.isEmpty || viewer.start(ofDay: $0) != nil }
        problem = isSound ? "" : viewer.language.say(.noSuchDay)
    }

    /// The address of the list of the same days, continuing after a push.
    func address(after cursor: PushCursor?) -> String { address(of: "/console/pushes", cursor) }

    /// The address of the same days as a file.
    var fileAddress: String { address(of: "/console/pushes.csv", nil) }

    private func address(of page: String, _ cursor: PushCursor?) -> String {
        let query = [("from", from), ("to", to), ("before", cursor?.text ?? "")].filter { !$0.1.isEmpty }
            .map { $0.0 + "=" + $0.1.percentEncoded }
        return page + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

/// The page with the list of pushes.
struct PushesPageView {
    let form: PushFilterForm
    let isFiltered: Bool
    let list: PushListView
    /// The sums of the chosen days; nil when none was chosen.
    let totals: PushTotalsView?
    /// The link to the first page of the same days.
    let first: String
    let file: String
}

/// The sums of the pushes of some days.
struct PushTotalsView {
    let pushes: String
    let devices: String
    let successes: String
    let invalidTokens: String
    let stoppedEarly: Bool
    /// The number of pushes whose counts are no longer kept; empty when there are none.
    let withoutRecord: String

    init(_ totals: PushTotals) {
        pushes = totals.pushes.grouped
        devices = totals.devices.grouped
        successes = totals.successes.grouped
        invalidTokens = totals.invalidTokens.grouped
        stoppedEarly = totals.stoppedEarly
        withoutRecord = totals.withoutRecord == 0 ? "" : totals.withoutRecord.grouped
    }
}
