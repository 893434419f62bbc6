internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

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
    /// What the person may decide about its delivery; nil when that is nothing.
    let control: PushControlView?
    /// The campaign behind the push; nil when a request to the API made it.
    let origin: OriginView?
    let phones: [PhoneView]
    let audience: String
    let condition: String
    let request: String
    /// The record as clients read it; empty when there is none.
    let record: String
    let recipients: [InstallationRowView]

    static let mostRecipients = 8
    /// The length of the longest audience that is shown.
    private static let longestAudience = 2000

    init(
        _ push: PushSummary, entry: LedgerEntry?, recipients: [StoredObject], isSimulated: Bool, app: ShownApp,
        by vendors: [String: PushVendor], stop: StopOrder?, for viewer: Viewer
    ) {
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
        state = PushStateView(push, by: vendors, in: viewer.language)
        control =
            viewer.mayAct && push.state == "sending"
            ? PushControlView(stopped: stop.map { viewer.language.say($0.reason) } ?? "") : nil
        origin = entry.map { OriginView($0) }
        phones = push.shownPlatforms(isSimulated: isSimulated, by: vendors).map {
            PhoneView(preview: order.data, isApple: $0 == .ios, app: app, for: viewer)
        }
        audience = order.audienceText(in: viewer.language).cut(to: Self.longestAudience)
        condition = order.shownCondition.withShortTokens.prettyText
        request = order.data.prettyText
        record = push.record?.withShortTokens.prettyText ?? ""
        self.recipients = recipients.map { InstallationRowView($0, for: viewer) }
    }
}

/// The form that stops a push, or decides about one that was stopped.
struct PushControlView {
    /// By whom, when and why it was stopped; empty when it was not.
    let stopped: String
}

extension PushSummary {
    /// The platforms of the phones that the push went to, or will go to.
    fileprivate func shownPlatforms(isSimulated: Bool, by vendors: [String: PushVendor]) -> [Platform] {
        let audience = Audience(pushedTo: order.shownCondition)
        // Devices of Apple's that are no phones are not drawn as one.
        let type = audience.condition?["deviceType"]
        let others = type?.string.map { [$0] } ?? type?["$in"]?.array?.compactMap(\.string)
        let asked = audience.platforms.isEmpty ? others : audience.platforms.map(\.rawValue)
        let services = successesByService(of: vendors)
        let went = services.contains { $0.key != "ios" }
        let apple = (services["ios"] ?? 0) + total(.invalidTokens) + total(.inDoubt) > 0
        return [Platform.ios, .android].filter { platform in
            guard asked?.contains(platform.rawValue) ?? true else { return false }
            // Where it went counts more than where it could have gone.
            if apple || went { return platform == .ios ? apple : went }
            return platform == .ios || isSimulated
        }
    }
}

/// The campaign behind a push, and who applied it.
struct OriginView {
    let workspace: String
    let campaign: String
    let revision: String
    /// The occurrence of a campaign that repeats; empty for any other.
    let occurrence: String
    let commit: String
    let actor: String
    let run: String
    /// The link to the run; empty when it is no address of the web.
    let runLink: String

    init(_ entry: LedgerEntry) {
        workspace = entry.workspace
        campaign = entry.campaign
        revision = String(entry.revision)
        occurrence = entry.occurrence == .once ? "" : entry.occurrence.text
        commit = entry.provenance.commit ?? ""
        actor = entry.provenance.actor ?? ""
        run = entry.provenance.run ?? ""
        // Anybody with the master key writes this: nothing but a page may be behind it.
        let isAddress = run.hasPrefix("https://") || run.hasPrefix("http://")
        runLink = isAddress && run.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? run : ""
    }
}

/// A reason why devices did not get a push, with their number.
struct ReasonRowView {
    let reason: String
    /// The problem and what to do, in English; empty when the reason is not one of Apple's.
    let explanation: String
    let tone: String
    let count: String

    private init(_ reason: String, _ tone: String, _ count: Int64, explanation: String = "") {
        self.reason = reason
        self.explanation = explanation
        self.tone = tone
        self.count = count.grouped
    }

    /// The reasons of a push: refusals by number, then what is in doubt, missed and left out.
    static func all(of push: PushSummary, in language: Language) -> [ReasonRowView] {
        var refused = push.refused
        // What Apple says of a dead token.
        refused[APNsReason.unregistered.rawValue, default: 0] += push.simulated(.invalidTokens)
        let order: (Dictionary<String, Int64>.Element, Dictionary<String, Int64>.Element) -> Bool = {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        var rows = refused.sorted(by: order).map { reason, count in
            ReasonRowView(reason, "bad", count, explanation: explanation(of: reason))
        }
        rows.append(ReasonRowView(language.say(.answerWasLost), "busy", push.count(.inDoubt)))
        rows.append(ReasonRowView(language.say(.timeWasOver), "busy", push.missed))
        rows += push.leftOut.sorted { $0.key < $1.key }.map { reason, count in
            ReasonRowView(LeftOut(rawValue: reason).map { name($0, in: language) } ?? reason, "still", count)
        }
        return rows.filter { $0.count != "0" }
    }

    /// One sentence in English about one of Apple's reasons; empty for any other word.
    static func explanation(of reason: String) -> String {
        APNsReason(rawValue: reason)?.row.explanation ?? ""
    }

    private static func name(_ reason: LeftOut, in language: Language) -> String {
        let label: Phrase =
            switch reason {
            case .android, .otherPlatform: .leftNotApple
            case .invalid: .leftInvalid
            case .stale: .leftStale
            case .otherProfile: .leftProfile
            case .otherTopic: .leftTopic
            case .tooLarge: .leftTooLarge
            case .heldOut: .leftHeldOut
            case .capped: .leftCapped
            }
        return language.say(label)
    }
}

/// A delivery with the devices that reported what became of it.
struct CountedDeliveryView {
    let name: String
    let workspace: String
    let accepted: String
    let received: String
    let opened: String
    let dismissed: String
    let started: InstantView

    init(_ delivery: CountedDelivery, for viewer: Viewer) {
        let language = viewer.language
        func share(_ kind: DeviceEvent.Kind) -> String {
            let devices = delivery.events.devices(kind)
            guard delivery.accepted > 0 else { return devices.grouped }
            return "\(devices.grouped) (\(language.share(devices, of: delivery.accepted)))"
        }
        name = delivery.campaign ?? language.say(.deliveryOf(delivery.delivery, workspace: ""))
        workspace = delivery.workspace
        accepted = delivery.accepted.grouped
        (received, opened, dismissed) = (share(.received), share(.opened), share(.dismissed))
        started = InstantView(delivery.startedAt, for: viewer)
    }
}

// MARK: - Pushed

extension Audience {
    /// The audience that a push's condition describes, so that the console says it in the words of a plan.
    init(pushedTo condition: JSONValue) {
        self.init()
        var rest: [JSONValue] = []
        for (key, value) in Self.members(of: condition) where !take(key, value) { rest.append(.object([key: value])) }
        // Equal keys cannot stand in one object.
        let keys = rest.compactMap { $0.object?.keys.first }
        if Set(keys).count == keys.count {
            let all = rest.reduce(into: JSONObject()) { $0.merge($1.object ?? [:]) { $1 } }
            self.condition = all.isEmpty ? nil : .object(all)
        } else {
            self.condition = ["$and": .array(rest)]
        }
        everyone = channels.isEmpty && self.condition == nil && deviceProfile == nil
    }

    /// The tests of a condition, all of which must hold.
    private static func members(of condition: JSONValue) -> [(String, JSONValue)] {
        if let conditions = condition.array { return conditions.flatMap(members) }
        return (condition.object ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value in
            key == "$and" ? (value.array ?? []).flatMap(members) : [(key, value)]
        }
    }

    /// Takes a test that an audience has a field for; false for any other.
    private mutating func take(_ key: String, _ value: JSONValue) -> Bool {
        let names = value.string.map { [$0] } ?? (value.object?.count == 1 ? value["$in"]?.array : nil)?.map(\.string)
        let texts = (names ?? []).compactMap(\.self)
        switch key {
        // Every push goes to valid devices only.
        case "valid": return value.bool == true
        case "channels" where channels.isEmpty && !texts.isEmpty && texts.count == names?.count:
            channels = texts
        case "deviceProfile" where deviceProfile == nil && value.string?.isEmpty == false:
            deviceProfile = value.string
        case "deviceType" where platforms.isEmpty && !texts.isEmpty:
            let known = texts.compactMap(Platform.init(rawValue:))
            guard known.count == names?.count else { return false }
            platforms = known
        default: return false
        }
        return true
    }
}

extension PushOrder {
    /// The audience in words, without whole tokens.
    func audienceText(in language: Language) -> String {
        switch audience {
        case .devices(let platform, let ids, _): language.say(.listedDevices(ids.count, platform: platform))
        case .query(let condition):
            language.say(Push.Audience(pushedTo: condition.withShortTokens).reason)
        }
    }
}
