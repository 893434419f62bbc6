/// The overview.
struct OverviewView {
    let summary: SummaryView
    let phones: [PhoneView]
    let list: PushListView
    let waiting: ScheduledListView
}

/// The figures at the top of the overview.
struct SummaryView {
    let devices: String
    let waitingCount: String
    /// The time until the next scheduled push; empty when none is waiting.
    let next: String
    /// The newest push that was sent; `nil` when there is none among the recent ones.
    let newest: PushRowView?
}
