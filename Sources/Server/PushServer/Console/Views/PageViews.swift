internal import DeviceRegistry
internal import JSONValue
internal import Phrasebook
internal import PushModel
internal import RegistryModel

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

/// The page of a push, with all its details.
struct PushPageView {
    let headline: String
    let detail: String
    let objectID: String
    let notificationID: String
    let environment: String
    let taken: InstantView
    let fires: InstantView?
    let expires: InstantView?
    let state: PushStateView
    let phones: [PhoneView]
    let audience: String
    let condition: String
    let request: String
    /// The record as clients read it; empty when there is none.
    let record: String
    let recipients: [InstallationRowView]

    /// The most recipients listed.
    static let mostRecipients = 8

    init(_ push: PushSummary, recipients: [StoredObject], app: String, for viewer: Viewer) {
        let order = push.order
        let preview = MessagePreview(order.data, in: viewer.language)
        headline = preview.headline
        detail = preview.detail
        objectID = order.objectID
        notificationID = order.notificationID
        environment = order.environment == "dev" ? "development" : "production"
        taken = InstantView(push.createdAt, for: viewer)
        fires = order.fireAt.map { InstantView($0, for: viewer) }
        expires = order.expiresAt.map { InstantView($0, for: viewer) }
        state = PushStateView(push, in: viewer.language)
        phones = [true, false].map { PhoneView(preview: order.data, isApple: $0, app: app, for: viewer) }
        audience = order.audienceText(in: viewer.language)
        condition = order.shownCondition.withShortTokens.prettyText
        request = order.data.prettyText
        record = push.record?.withShortTokens.prettyText ?? ""
        self.recipients = recipients.map { InstallationRowView($0, for: viewer) }
    }
}

/// A device's page.
struct DevicePageView {
    let device: DeviceView
    let screen: DeviceScreenView
}

extension InstallationListView {
    init(_ form: FilterForm, _ page: InstallationPage, isLater: Bool, for viewer: Viewer) {
        func choices(_ chosen: String, _ known: [(String, String)]) -> [Choice] {
            var entries = known
            // An address may contain a platform that the list does not offer.
            if !chosen.isEmpty, !known.contains(where: { $0.0 == chosen }) { entries.append((chosen, chosen)) }
            return entries.map { Choice(value: $0.0, label: $0.1, isChosen: $0.0 == chosen) }
        }
        filter = form
        platforms = choices(
            form.platform,
            [("", viewer.language.say(.anyChoice)), ("ios", "iOS"), ("android", "Android"), ("macos", "macOS")])
        let valid: [(String, ConsoleLabel)] = [("", .anyChoice), ("yes", .validChoice), ("no", .invalidChoice)]
        validities = choices(form.validity, valid.map { ($0.0, viewer.language.say($0.1)) })
        isFiltered = !form.isEmpty
        devices = page.objects.map { InstallationRowView($0, for: viewer) }
        shown = page.objects.count.grouped
        examined = page.examined.grouped
        stoppedEarly = page.stoppedEarly
        next = page.next.map { form.address(after: $0) } ?? ""
        first = form.address(after: nil)
        self.isLater = isLater
    }
}
