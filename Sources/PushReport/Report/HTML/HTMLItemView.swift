internal import Push

/// Views for the templates of one item.
enum HTMLItemView {
    /// The view of a card with everything about the item.
    static func card(
        _ item: ReportDocument.Item, _ anchor: String, isDrawn: Bool, items: HTMLItems
    ) -> HTMLTemplates.View {
        let sections = item.sections.filter { !$0.blocks.isEmpty }
        let facts = item.details.compactMap(fact)
        var folded = sections.filter { !$0.isPictures || !isDrawn }
            .map { HTMLBlocks.view(of: $0, items, isDrawn: false).merging(["sectionAside": false]) { $1 } }
        let looks = isDrawn ? sections.flatMap(\.looks) : []
        let (phones, more) = HTMLLooks.figures(of: looks, items)
        if !more.isEmpty {
            folded.insert(HTMLBlocks.view(of: more, under: items.language.say(.moreViews)), at: 0)
        }
        return [
            "anchor": anchor, "tone": item.mark.tone, "symbol": Glyphs.unicode.symbol(item.mark),
            "kind": items.language.word(item.kind),
            "name": item.name, "outcome": items.outcome(of: item).orNothing,
            "concern": item.mark == .blocked ? false : concern(of: item, in: items.language).orNothing,
            "hasFacts": !facts.isEmpty, "facts": facts, "quotes": quotes(item),
            "hasPhones": !phones.isEmpty, "phones": phones, "hasFolded": !folded.isEmpty, "folded": folded,
        ]
    }

    /// Why to look at an item; what its warning is about, if that is said elsewhere as well.
    private static func concern(of item: ReportDocument.Item, in language: Language) -> String? {
        let concern = item.risk.concern.map(language.say)
        return item.risk == .warned ? item.push?.lookOut.first ?? concern : concern
    }

    /// The view of a line: the item, and its details one after the other.
    static func row(_ item: ReportDocument.Item, _ anchor: String, in language: Language) -> HTMLTemplates.View {
        var text = item.outcome ?? ""
        for detail in item.details {
            if !text.isEmpty { text += " · " }
            switch detail {
            case .field(let label, let value, let aside):
                text += "\(label) \(value)"
                if let aside { text += language.say(.comma) + aside }
            case .changed(let label, let from, let to): text += "\(label) \(from) → \(to)"
            case .quote(let quote): text += "“\(quote)”"
            }
        }
        // The symbol and colour are in the heading of its group.
        return ["anchor": anchor, "kind": language.word(item.kind), "name": item.name, "text": text]
    }

    private static func fact(_ detail: ReportDocument.Detail) -> HTMLTemplates.View? {
        switch detail {
        case .field(let label, let value, let aside):
            ["label": label, "value": value, "becomes": false, "beside": aside.orNothing]
        case .changed(let label, let from, let to): ["label": label, "value": from, "becomes": to, "beside": false]
        case .quote: nil
        }
    }

    private static func quotes(_ item: ReportDocument.Item) -> [String] {
        item.details.compactMap { if case .quote(let text) = $0 { text } else { nil } }
    }
}

extension ReportDocument.Section {
    /// The notifications that it shows.
    var looks: [NotificationLook] {
        blocks.flatMap { block -> [NotificationLook] in if case .looks(let looks) = block { looks } else { [] } }
    }

    /// True if it contains pictures, which are shown without unfolding.
    var isPictures: Bool { !looks.isEmpty }
}
