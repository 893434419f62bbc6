internal import Base
internal import YAML

/// Checks the fields of a message against each other, as a device would see them.
struct MessageCheck {
    let message: Message
    let platforms: [Platform]
    let document: MapReader

    private var context: ReadingContext { document.context }
    // Looked up only when there is something to report.
    private var map: MapReader? { document.inner("message") }
    private var ios: MapReader? { map?.inner("ios") }
    private var android: MapReader? { map?.inner("android") }

    /// Reports problems and returns the platforms on which the message shows nothing and does nothing.
    func emptyPlatforms() -> Set<Platform> {
        let before = context.diagnostics.count
        checkEvent(message.common) { map }
        if let content = message.ios { checkEvent(content) { ios } }
        if let content = message.android { checkEvent(content) { android } }
        if platforms != [.android] {
            let content = message.content(for: .ios)
            checkPushType(content)
            checkLiveActivity(content)
        }
        checkDeliveryKey(.ios) { ios }
        checkDeliveryKey(.android) { android }
        // An unreadable message may well have something to show.
        guard !message.common.isVisible, context.diagnostics.count == before,
            !context.faultyMappings.contains(Message.fields.name), map != nil
        else { return [] }
        return Set(
            Platform.allCases.filter { platform in
                let content = message.content(for: platform)
                if content.isVisible || content.contentAvailable == true { return false }
                switch platform {
                case .ios: return content.effectivePushType == .alert || content.effectivePushType == .background
                case .android: return content.silent != true && message.vendors.isEmpty
                }
            })
    }

    /// The mapping in which an Apple device finds the field.
    private func map(having name: String) -> MapReader? {
        if let ios, ios.has(name) { return ios }
        return map.flatMap { $0.has(name) ? $0 : nil }
    }

    /// Checks that a background push shows nothing and has priority 5.
    private func checkPushType(_ content: MessageContent) {
        guard content.contentAvailable != nil || content.pushType != nil, content.effectivePushType == .background
        else { return }
        for name in Message.visible {
            map(having: name)?.report(
                .pushType, "a background push has no '\(name)'", atKeyOf: name, help: "leave out pushType to show it")
        }
        if let priority = content.priority, priority != 5 {
            map(having: "priority")?.report(
                .pushType, "a background push has priority 5, not \(priority)", atKeyOf: "priority")
        }
    }

    private func checkDeliveryKey(_ platform: Platform, _ own: () -> MapReader?) {
        guard
            message.common.deliveryKey != nil || message.ios?.deliveryKey != nil || message.android?.deliveryKey != nil
        else { return }
        let content = message.content(for: platform)
        guard let key = content.deliveryKey, content.data?[key] != nil else { return }
        let place = own().flatMap { $0.has("deliveryKey") ? $0 : nil } ?? map
        place?.report(.conflictingKeys, "'deliveryKey' and 'data' both set \(quoted(key))", atKeyOf: "deliveryKey")
    }
}

// MARK: Live Activities

extension MessageCheck {
    /// Checks the fields that the event allows and requires.
    private func checkEvent(_ content: MessageContent, _ map: () -> MapReader?) {
        guard let event = content.liveActivity?.event, let inner = map()?.inner("liveActivity") else { return }
        for owner in LiveActivity.Event.allCases where owner != event {
            for name in owner.ownFields where inner.has(name) {
                inner.report(.conflictingKeys, "'\(name)' is for event \(owner.rawValue) only", atKeyOf: name)
            }
        }
        for name in event.needed where !inner.has(name) {
            context.report(.missingKey, "event \(event.rawValue) needs '\(name)'", at: inner.key("event"))
        }
    }

    /// Checks what a Live Activity push requires of the rest of the message.
    private func checkLiveActivity(_ content: MessageContent) {
        guard let activity = content.liveActivity else {
            if content.pushType == .liveactivity, map(having: "liveActivity") == nil {
                map(having: "pushType")?.report(
                    .pushType, "a Live Activity push needs 'liveActivity'", atKeyOf: "pushType",
                    help: "add what happens to it: liveActivity: {event: update, contentState: {…}}")
            }
            return
        }
        if let type = content.pushType, type != .liveactivity {
            map(having: "liveActivity")?.report(
                .pushType, "'liveActivity' is for push type liveactivity only, not \(type.rawValue)",
                atKeyOf: "liveActivity")
        }
        if activity.event == .start, content.title == nil, content.body == nil {
            map(having: "liveActivity")?.report(
                .pushType, "starting a Live Activity needs an alert: a 'title' and a 'body'", atKeyOf: "liveActivity")
        }
    }
}

/// Checks the languages of a message, and the places for a device's values in its texts.
struct WordsCheck {
    let message: Message
    let document: MapReader

    private var context: ReadingContext { document.context }

    func check() {
        guard let map = document.inner("message") else { return }
        check(message.common, map)
        if let content = message.ios, let map = map.inner("ios") { check(content, map) }
        if let content = message.android, let map = map.inner("android") { check(content, map) }
        guard let languages = map["languages"], languages.kind == .mapping else { return }
        let own = message.content(for: .ios).effectivePushType
        for (language, form) in zip(message.languages, message.forms(for: .ios).dropFirst()) {
            guard let entry = languages.entry(named: language.name), entry.value.kind == .mapping else { continue }
            let map = MapReader(checked: entry.value, holder: entry.key, MessageContent.languageFields, in: context)
            check(language.content, map)
            if form.effectivePushType != own {
                context.report(
                    .pushType,
                    "with \(quoted(language.name)) it is a push of type \(form.effectivePushType.rawValue), without it of type "
                        + "\(own.rawValue)", at: entry.key, help: "give the message itself a text, too")
            }
        }
        if let (first, second) = message.twins, let entry = languages.entry(named: second) {
            context.report(
                .duplicateName, "\(quoted(second)) is the same language as \(quoted(first))", at: entry.key,
                help: "keep one of the two")
        }
    }

    /// Checks the places for a device's values in texts.
    func check(_ content: MessageContent, _ map: MapReader) {
        let personal = content.personalTexts
        for (field, text) in personal {
            guard let mistake = text.personalMistake else {
                if let name = text.string.flatMap(Self.placeholder) { warn(of: name, in: field, map) }
                continue
            }
            let fault = mistake.inside.map { "'{{\($0)}}' is no personal text" } ?? "'{{' is never closed"
            let name = mistake.inside?.prefix { $0 != "|" } ?? ""
            map.report(
                .invalidValue, "'\(field.rawValue)': \(fault)", atKeyOf: field.rawValue,
                help: PersonalValue.isField(name)
                    ? "write the words for a device without a value behind it: {{\(name)|there}}"
                    : "name a field of the installation, and the words for a device without it: {{firstName|there}}")
        }
        let fields = Set(personal.map(\.field))
        for field in ContentField.allCases where !fields.contains(field) {
            guard content.value(of: field)?.holdsBraces == true else { continue }
            map.report(
                .notSupported, "'\(field.rawValue)' has the same text for every device", atKeyOf: field.rawValue,
                help: "a device's values may stand in 'title', 'subtitle', 'body' and the texts of 'data' only")
        }
    }
}

extension WordsCheck {
    /// The name in the first `{name}` or `${name}` of a text, which other tools fill in.
    private static func placeholder(in text: String) -> Substring? {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: "}") else { return nil }
            let isDouble = inside.first == "{" || inside[close...].dropFirst().first == "}"
            if !isDouble, PersonalValue.isField(inside[..<close]) { return inside[..<close] }
            rest = isDouble ? inside[close...].drop { $0 == "}" } : inside
        }
        return nil
    }

    private func warn(of name: Substring, in field: ContentField, _ map: MapReader) {
        context.warn(
            .invalidValue, "'\(field.rawValue)': '{\(name)}' is sent as it stands", at: map.key(field.rawValue).range,
            help: "for a value of the device write {{\(name)|there}}, with the words for a device without it")
    }
}

extension JSONValue {
    /// The first fault in its texts; nil when there is none.
    fileprivate var personalMistake: PersonalText.Mistake? {
        switch self {
        case .string(let text):
            guard PersonalText.mayBe(text) else { return nil }
            do throws(PersonalText.Mistake) { _ = try PersonalText(text) } catch { return error }
            return nil
        case .array(let elements): return elements.lazy.compactMap(\.personalMistake).first
        case .object(let members):
            return members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.personalMistake).first
        case .null, .bool, .integer, .number: return nil
        }
    }
}

extension FieldValue {
    /// True for a text, or a list or mapping of texts, with `{{` in it; what the app draws itself is not looked into.
    fileprivate var holdsBraces: Bool {
        switch self {
        case .text(let text): PersonalText.mayBe(text)
        case .list(let texts): texts.contains(where: PersonalText.mayBe)
        case .entries(let entries): entries.contains { $0.value.holdsBraces }
        case .fields(let values): values.contains { $0?.holdsBraces ?? false }
        case .maps(let maps): maps.contains { FieldValue.fields($0).holdsBraces }
        case .json, .flag, .integer, .number, .duration, .instant: false
        }
    }
}

/// Checks the variants of a campaign: their shares, their words, and what becomes of the rest.
struct VariantsCheck {
    let campaign: Campaign
    let document: MapReader

    private var context: ReadingContext { document.context }
    private var names: [String] { campaign.variants.map(\.name) }

    func check() {
        guard document.has("variants") else {
            for name in ["decideBy", "otherwise", "winner"] where document.has(name) {
                document.report(.conflictingKeys, "'\(name)' needs 'variants'", atKeyOf: name)
            }
            return
        }
        checkOtherParts()
        guard let map = document["variants"], map.kind == .mapping else { return }
        checkShares(map)
        checkChoice()
        for variant in campaign.variants { checkWords(variant, map) }
    }

    private func checkOtherParts() {
        let others = [
            (campaign.rollout != nil, "rollout", "'variants' cannot be combined with 'rollout'"),
            (campaign.localSchedule != nil, "schedule", "'variants' cannot be combined with 'zone: device'"),
            (campaign.recurrence != nil, "schedule", "'variants' cannot be combined with 'every'"),
        ]
        for (isThere, key, message) in others where isThere {
            document.report(.conflictingKeys, message, atKeyOf: key, help: "use a separate campaign")
        }
        guard case .at(let end) = campaign.expiration, let start = campaign.scheduledAt,
            let decideBy = campaign.decideBy,
            start.instant + decideBy >= end.instant
        else { return }
        document.report(.conflictingKeys, "the rest is sent after 'expiration.at'", atKeyOf: "decideBy")
    }

    private func checkShares(_ map: Node) {
        for entry in map.entries {
            guard let node = entry.value.entry(named: "share")?.value else { continue }
            context.checkShare(node, "of more than 0%") { $0.parts != 0 }
        }
        if !(2...10).contains(campaign.variants.count) {
            document.report(.invalidValue, "a test has two to ten variants", atKeyOf: "variants")
        } else if !context.faultyMappings.contains(Variant.fields.description.name),
            (campaign.variantTest?.restShare.parts ?? 1) <= 0
        {
            document.report(
                .conflictingKeys, "the variants' shares leave nobody for the winner", atKeyOf: "variants",
                help: "test on less than 100% together")
        }
        if let entry = map.entry(named: VariantTest.Otherwise.abandonment) {
            context.report(.invalidName, "a variant cannot be named 'abandon'", at: entry.key)
        }
    }

    private func checkChoice() {
        for name in ["decideBy", "otherwise"] where !document.has(name) {
            context.report(
                .missingKey, "missing key '\(name)'", at: document.key("variants"),
                help: name == "decideBy" ? "say by when somebody chooses, such as 24h" : "name a variant, or abandon")
        }
        let known = names + [VariantTest.Otherwise.abandonment]
        checkName(campaign.otherwise, "otherwise", known)
        checkName(campaign.winner, "winner", names)
    }

    private func checkName(_ name: String?, _ key: String, _ known: [String]) {
        guard let name, !known.contains(name), let node = document[key] else { return }
        context.report(
            .unknownReference, "variant \(quoted(name)) is not declared\(Suggestion.ending(for: name, among: known))",
            at: node)
    }

    private func checkWords(_ variant: Variant, _ map: Node) {
        guard let node = map.entry(named: variant.name)?.value.entry(named: "message"), node.value.kind == .mapping
        else { return }
        let own = MapReader(checked: node.value, holder: node.key, Variant.wordFields, in: context)
        let words = WordsCheck(message: campaign.message, document: document)
        words.check(variant.content, own)
        let fields = ContentField.allCases.filter { variant.content.value(of: $0) != nil }
        for language in campaign.message.languages {
            let ours = variant.languages.first { $0.name == language.name }?.content
            let clash = fields.first { language.content.value(of: $0) != nil && ours?.value(of: $0) == nil }
            guard let clash else { continue }
            own.report(
                .conflictingKeys,
                "\(quoted(language.name)) has a '\(clash.rawValue)' of its own, so its devices would all get the same",
                atKeyOf: clash.rawValue, help: "say it in the variant's 'languages' too")
        }
        guard let languages = own["languages"], languages.kind == .mapping else { return }
        for language in variant.languages {
            guard let entry = languages.entry(named: language.name), entry.value.kind == .mapping else { continue }
            if !campaign.message.languages.contains(where: { $0.name == language.name }) {
                context.report(
                    .unknownReference, "the message has no language \(quoted(language.name))", at: entry.key,
                    help: "add it to 'message.languages'")
            }
            words.check(
                language.content,
                MapReader(checked: entry.value, holder: entry.key, MessageContent.languageFields, in: context))
        }
        let types = Set(campaign.messages.flatMap { $0.forms(for: .ios) }.map(\.effectivePushType))
        if types.count > 1 {
            context.report(
                .pushType, "with the words of a variant it is a push of another type", at: node.key,
                help: "give the message itself a text, too")
        }
    }
}
