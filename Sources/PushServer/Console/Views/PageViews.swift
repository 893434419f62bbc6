internal import DeviceRegistry
internal import PushReport
internal import Push

/// The overview.
struct OverviewView {
    let summary: SummaryView
    let phones: [PhoneView]
    let list: PushListView
    let waiting: ScheduledListView
}

/// The figures at the top of the overview.
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
