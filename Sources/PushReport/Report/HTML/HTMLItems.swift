internal import Push

/// The items of a page: grouped by mark, the riskiest first in each group.
struct HTMLItems {
    private let items: [ReportDocument.Item]
    let app: ShownApp
    let language: Language
    /// The groups, those that need a person first.
    let groups: [Group]
    /// The reasons that block more than one item: told once, for their group.
    private let sharedBlocks: [ReportDocument.Blocked]
    /// The items shown in full.
    private let whole: Set<Int>
    private let drawn: Set<Int>
    /// The names of places on the page.
    let anchor: HTMLAnchor
    /// The anchors of the campaigns in the calendar.
    private let anchors: [String: String]

    /// The items with one mark.
    struct Group {
        let mark: Mark
        let heading: String
        /// The indices of the items.
        let entries: [Int]
        /// What blocks several of them, and a note on items that were left out.
        let notes: [String]
        /// The name of its place on the page.
        let anchor: String

        var view: HTMLTemplates.View {
            var view = link
            view["tone"] = mark.tone
            view["notes"] = notes
            return view
        }

        var link: HTMLTemplates.View {
            HTMLHead.link(anchor, mark.symbol, heading, entries.count.grouped)
        }
    }

    private static let order: [Mark] = [
        .blocked, .unknown, .failed, .partly, .send, .schedule, .resume, .cancel, .delete, .update, .create, .wait,
        .missed,
        .ongoing, .done, .skipped,
    ]

    /// Creates the items of a document, of which at most `mostDrawn` have drawings.
    init(
        _ document: ReportDocument, in language: Language, at anchor: HTMLAnchor = HTMLAnchor(),
        mostDrawn: Int = HTMLRenderer.mostDrawn
    ) {
        self.language = language
        self.anchor = anchor
        let items = document.parts.flatMap { part -> [ReportDocument.Item] in
            if case .items(let list) = part { list } else { [] }
        }
        let sorted = items.riskiestFirst
        self.items = items
        app =
            document.parts.lazy.compactMap { if case .title(let title) = $0 { title.app } else { nil } }.first
            ?? ShownApp(name: "")
        let withMore = sorted.filter { !items[$0].sections.isEmpty || items[$0].push != nil }
        whole = Set(withMore.prefix(HTMLRenderer.mostWhole))
        let pictured = withMore.filter { items[$0].hasPictures && !items[$0].sections.isEmpty }
        let drawn = Set(pictured.prefix(mostDrawn))
        self.drawn = drawn
        let shared = items.sharedBlocks
        sharedBlocks = shared
        let byMark = Dictionary(grouping: sorted) { items[$0].mark }
        groups = Self.order.compactMap { mark in
            guard let entries = byMark[mark] else { return nil }
            let undrawn = entries.count { items[$0].hasPictures && !drawn.contains($0) }
            let reasons = mark == .blocked ? shared.map { $0.word + language.say(.colon) + $0.reason } : []
            let rest = undrawn > 0 ? [language.say(.figureRest(undrawn, of: mostDrawn))] : []
            return Group(
                mark: mark, heading: language.say(mark.heading), entries: entries, notes: reasons + rest,
                anchor: anchor.group(mark))
        }
        anchors = Dictionary(
            items.indices.filter { items[$0].kind == .campaign }.map { (items[$0].name, anchor.item($0)) }
        ) { first, _ in first }
    }

    func anchor(ofCampaign name: String) -> String? { anchors[name] }

    func view(of index: Int) -> (template: HTMLTemplates.Template, values: HTMLTemplates.View) {
        let item = items[index]
        guard whole.contains(index) else { return (.row, HTMLItemView.row(item, anchor.item(index), in: language)) }
        return (.card, HTMLItemView.card(item, anchor.item(index), isDrawn: drawn.contains(index), items: self))
    }

    /// The outcome of an item, with what blocks others too in a word only.
    func outcome(of item: ReportDocument.Item) -> String? {
        guard item.blocks.contains(where: sharedBlocks.contains) else { return item.outcome }
        return language.say(.blocked(item.blocks.map { sharedBlocks.contains($0) ? $0.word : $0.reason }))
    }
}

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
            "anchor": anchor, "tone": item.mark.tone, "symbol": item.mark.symbol,
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
    var looks: [NotificationLook] {
        blocks.flatMap { block -> [NotificationLook] in if case .looks(let looks) = block { looks } else { [] } }
    }

    /// True if it contains pictures, which are shown without unfolding.
    var isPictures: Bool { !looks.isEmpty }
}

/// The view for the template of pictures: the most common views first, the others folded.
enum HTMLLooks {
    /// Returns the view of a notification's looks: pictures if `isDrawn`, words in their place otherwise.
    static func view(of looks: [NotificationLook], _ items: HTMLItems, isDrawn: Bool) -> HTMLTemplates.View {
        guard isDrawn else {
            return [
                "isDrawn": false, "more": false,
                "told": looks.map {
                    ["caption": $0.caption, "lines": $0.lines(in: items.language)] as HTMLTemplates.View
                },
            ]
        }
        let (first, more) = figures(of: looks, items)
        return view(of: first, more: more)
    }

    /// The view of pictures that are shown, and of more that are folded.
    static func view(of first: [HTMLTemplates.View], more: [HTMLTemplates.View] = []) -> HTMLTemplates.View {
        ["isDrawn": true, "told": false, "first": first, "more": more.isEmpty ? false : ["figures": more] as Any]
    }

    /// The most common view of each look, and all others.
    static func figures(
        of looks: [NotificationLook], _ items: HTMLItems
    ) -> (first: [HTMLTemplates.View], more: [HTMLTemplates.View]) {
        let drawings = looks.map { NotificationDrawing($0, app: items.app, language: items.language) }
        return (
            drawings.compactMap { drawing in drawing.views.first.map { figure($0, of: drawing) } },
            drawings.flatMap { drawing in drawing.views.dropFirst().map { figure($0, of: drawing) } }
        )
    }

    private static func figure(
        _ view: NotificationDrawing.View, of drawing: NotificationDrawing
    ) -> HTMLTemplates.View {
        ["picture": drawing.figure(view), "caption": drawing.name(of: view)]
    }
}
