internal import Base
internal import YAML

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
            guard let node = entry.value.entry(named: "share")?.value, let text = node.string,
                FieldType.fraction(text) != nil, Share(text).map({ $0.parts == 0 }) ?? true
            else { continue }
            context.report(
                .invalidValue, "\(quoted(text)) is not a share of more than 0% with at most two decimal places",
                at: node)
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
