internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

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

/// The values of the filter's fields, and the problem with them.
struct FilterForm {
    var platform = ""
    var channel = ""
    var profile = ""
    var validity = ""
    /// `recent` or `stale`.
    var seen = ""
    /// A field and its value, as a person writes them.
    var field = ""
    /// The problem with the field; empty when it can be read.
    var fieldProblem = ""
    var condition = ""
    var search = ""
    /// True to search for the text anywhere in tokens and ids.
    var isInside = false
    /// The problem with the condition; empty when it can be parsed.
    var problem = ""

    init(_ query: [String: String]) {
        platform = Self.field(query["platform"])
        channel = Self.field(query["channel"])
        profile = Self.field(query["profile"])
        validity = Self.field(query["valid"])
        seen = Self.field(query["seen"])
        field = Self.field(query["field"])
        condition = Self.field(query["where"])
        search = Self.field(query["q"])
        isInside = query["inside"] == "yes"
    }

    private static func field(_ text: String?) -> String {
        // Browsers send CR LF as line breaks.
        (text ?? "").replacing("\r\n", with: "\n")
    }

    /// Builds the filter from the fields; sets ``problem`` or ``fieldProblem`` if one of them cannot be read.
    mutating func filter(at now: Instant, in language: Language) -> InstallationFilter? {
        var filter = InstallationFilter()
        if !platform.isEmpty { filter.deviceType = platform }
        if !channel.isEmpty { filter.channel = channel }
        if !profile.isEmpty { filter.deviceProfile = profile }
        if validity == "yes" || validity == "no" { filter.isValid = validity == "yes" }
        if !search.allSatisfy(\.isWhitespace) {
            switch DeviceSearch(search) {
            case .text(let part): filter.part = part
            case .condition(let condition): filter.condition = condition
            }
        }
        if let bound = ["recent": "$gte", "stale": "$lt"][seen] {
            let start = now.advanced(byDays: -InstallationRules.freshnessInDays)
            filter.add(["updatedAt": [bound: start.typed]])
        }
        if !field.allSatisfy(\.isWhitespace) {
            guard case .condition(let condition) = DeviceSearch(field) else {
                fieldProblem = language.say(.noField)
                return nil
            }
            filter.add(condition)
        }
        guard !condition.allSatisfy(\.isWhitespace) else { return filter }
        guard let value = try? JSONValue(parsing: condition, limits: ServerLimits.json) else {
            problem = language.say(.noJSON)
            return nil
        }
        guard value.object != nil || value.array != nil else {
            problem = language.say(.noCondition)
            return nil
        }
        filter.add(value)
        return filter
    }

    /// The address of the list with the same fields, continuing after a device.
    func address(after cursor: InstallationCursor?) -> String {
        address(of: "/console/installations", cursor)
    }

    /// The address of the same devices as a file.
    var fileAddress: String { address(of: "/console/installations.csv", nil) }

    private func address(of page: String, _ cursor: InstallationCursor?) -> String {
        let others = [("q", search), ("inside", isInside ? "yes" : ""), ("after", cursor?.text ?? "")]
        return .address(of: page, with: fields + others)
    }

    /// The fields of the form, by their names in addresses.
    private var fields: [(String, String)] {
        [
            ("platform", platform), ("channel", channel), ("profile", profile), ("valid", validity), ("seen", seen),
            ("field", field), ("where", condition),
        ]
    }

    var isEmpty: Bool { search.isEmpty && fields.allSatisfy(\.1.isEmpty) }

    /// True if there is nothing but a search, which indexes may answer.
    var isSearchOnly: Bool {
        !search.allSatisfy(\.isWhitespace) && !isInside && fields.allSatisfy(\.1.isEmpty)
    }

    /// The address of the same search anywhere in tokens and ids; empty when this is that search, or none.
    var insideAddress: String {
        guard isSearchOnly else { return "" }
        var form = self
        form.isInside = true
        return form.address(after: nil)
    }
}

extension InstallationFilter {
    /// Adds a condition that must hold as well.
    fileprivate mutating func add(_ other: JSONValue) {
        condition = condition.map { ["$and": [$0, other]] } ?? other
    }
}
