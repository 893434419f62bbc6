internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// A row of the device list.
struct InstallationRowView {
    let href: String
    let objectID: String
    let platform: String
    let token: String
    let channels: [String]
    let moreChannels: Int
    let profile: String
    let validity: ValidityView
    let seen: InstantView

    private static let mostChannels = 4

    init(_ device: StoredObject, for viewer: Viewer) {
        href = "/console/installations/" + device.objectID.percentEncoded
        objectID = device.objectID
        platform = device.fields["deviceType"]?.string ?? ""
        token = DeviceView.token(device).shortened
        let names = DeviceView.channels(device)
        channels = Array(names.prefix(Self.mostChannels))
        moreChannels = names.count - channels.count
        profile = device.fields["deviceProfile"]?.string ?? ""
        validity = ValidityView(device, in: viewer.language)
        seen = InstantView(device.updatedAt, for: viewer)
    }
}

/// The validity of a device's token, as far as its registration tells.
struct ValidityView {
    let word: String
    let tone: String

    init(_ device: StoredObject, in language: Language) {
        let label: Phrase
        (label, tone) =
            switch device.fields["valid"]?.bool {
            case true?: (.valid, "good")
            case false?: (.notValid, "bad")
            case nil: (.notSaid, "still")
            }
        word = language.say(label)
    }
}

/// The list of devices with its filter.
struct InstallationListView {
    let filter: FilterForm
    let platforms: [Choice]
    let validities: [Choice]
    let times: [Choice]
    let isFiltered: Bool
    /// True if the condition as JSON is unfolded.
    let isOpen: Bool
    let devices: [InstallationRowView]
    let place: ListPlaceView?
    let examined: String
    let stoppedEarly: Bool
    /// The link to the next page; empty when there is none.
    let next: String
    /// The link to the first page.
    let first: String
    let isLater: Bool
    /// The link to the same devices as a file.
    let file: String
    /// The text of the search; empty when there is none.
    let search: String
    /// The link to devices that have the text anywhere in a token or an id; empty when that was searched.
    let inside: String
    /// The time when the token that was looked for was reported dead.
    let death: InstantView?

    /// An option of a selection.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }
}

extension InstallationListView {
    init(
        _ form: FilterForm, _ page: InstallationPage, place: ListPlaceView?, isLater: Bool, death: Instant? = nil,
        for viewer: Viewer
    ) {
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
        let valid: [(String, Phrase)] = [("", .anyChoice), ("yes", .validChoice), ("no", .invalidChoice)]
        validities = choices(form.validity, valid.map { ($0.0, viewer.language.say($0.1)) })
        let seen: [(String, Phrase)] = [("", .anyChoice), ("recent", .seenRecently), ("stale", .leftStale)]
        times = choices(form.seen, seen.map { ($0.0, viewer.language.say($0.1)) })
        isFiltered = !form.isEmpty
        isOpen = !form.condition.isEmpty
        devices = page.objects.map { InstallationRowView($0, for: viewer) }
        self.place = place
        examined = page.examined.grouped
        stoppedEarly = page.stoppedEarly
        next = page.next.map { form.address(after: $0) } ?? ""
        first = form.address(after: nil)
        self.isLater = isLater
        file = form.fileAddress
        search = form.search
        inside = page.objects.isEmpty ? "" : form.insideAddress
        self.death = death.map { InstantView($0, for: viewer) }
    }
}
