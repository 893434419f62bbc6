internal import Base
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
            HTMLItems.link(anchor, mark.symbol, heading, entries.count.grouped)
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
        app = document.title?.app ?? ShownApp(name: "")
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
        guard whole.contains(index) else { return (.row, row(item, anchor.item(index))) }
        return (.card, card(item, anchor.item(index), isDrawn: drawn.contains(index)))
    }

    /// The outcome of an item, with what blocks others too in a word only.
    private func outcome(of item: ReportDocument.Item) -> String? {
        guard item.blocks.contains(where: sharedBlocks.contains) else { return item.outcome }
        return language.say(.blocked(item.blocks.map { sharedBlocks.contains($0) ? $0.word : $0.reason }))
    }
}

// MARK: - Item

extension HTMLItems {
    /// The view of a card with everything about the item.
    private func card(_ item: ReportDocument.Item, _ anchor: String, isDrawn: Bool) -> HTMLTemplates.View {
        let sections = item.sections.filter { !$0.blocks.isEmpty }
        let facts = item.details.compactMap(Self.fact)
        var folded = sections.filter { !$0.isPictures || !isDrawn }
            .map { view(of: $0, isDrawn: false).merging(["sectionAside": false]) { $1 } }
        let (phones, more) = figures(of: isDrawn ? sections.flatMap(\.looks) : [])
        if !more.isEmpty { folded.insert(view(of: more, under: language.say(.moreViews)), at: 0) }
        return [
            "anchor": anchor, "tone": item.mark.tone, "symbol": item.mark.symbol, "kind": language.word(item.kind),
            "name": item.name, "outcome": outcome(of: item).orNothing,
            "concern": item.mark == .blocked ? false : concern(of: item).orNothing,
            "hasFacts": !facts.isEmpty, "facts": facts, "quotes": Self.quotes(item),
            "hasPhones": !phones.isEmpty, "phones": phones, "hasFolded": !folded.isEmpty, "folded": folded,
        ]
    }

    /// Why to look at an item; what its warning is about, if that is said elsewhere as well.
    private func concern(of item: ReportDocument.Item) -> String? {
        let concern = item.risk.concern.map(language.say)
        return item.risk == .warned ? item.push?.lookOut.first ?? concern : concern
    }

    /// The view of a line: the item, and its details one after the other.
    private func row(_ item: ReportDocument.Item, _ anchor: String) -> HTMLTemplates.View {
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

// MARK: - Pictures

extension HTMLItems {
    /// The view of a notification's looks: the most common pictures, the others folded; words if it is not drawn.
    private func view(of looks: [NotificationLook], isDrawn: Bool) -> HTMLTemplates.View {
        guard isDrawn else {
            return [
                "isDrawn": false, "more": false,
                "told": looks.map {
                    ["caption": $0.caption, "lines": $0.lines(in: language)] as HTMLTemplates.View
                },
            ]
        }
        let (first, more) = figures(of: looks)
        return Self.pictures(first, more: more)
    }

    /// The view of pictures that are shown, and of more that are folded.
    private static func pictures(_ first: [HTMLTemplates.View], more: [HTMLTemplates.View] = []) -> HTMLTemplates.View {
        ["isDrawn": true, "told": false, "first": first, "more": more.isEmpty ? false : ["figures": more] as Any]
    }

    /// The most common view of each look, and all others.
    private func figures(of looks: [NotificationLook]) -> (first: [HTMLTemplates.View], more: [HTMLTemplates.View]) {
        let drawings = looks.map { NotificationDrawing($0, app: app, language: language) }
        func figure(_ view: NotificationDrawing.View, of drawing: NotificationDrawing) -> HTMLTemplates.View {
            ["picture": drawing.figure(view), "caption": drawing.name(of: view)]
        }
        return (
            drawings.compactMap { drawing in drawing.views.first.map { figure($0, of: drawing) } },
            drawings.flatMap { drawing in drawing.views.dropFirst().map { figure($0, of: drawing) } }
        )
    }
}

// MARK: - Blocks

extension HTMLItems {
    /// The lines of a list that are not folded.
    private static let mostLines = 6

    /// The view of a section; its notifications are drawn, or described in words.
    private func view(of section: ReportDocument.Section, isDrawn: Bool) -> HTMLTemplates.View {
        [
            "heading": section.heading, "sectionAside": section.aside.orNothing,
            "blocks": section.blocks.map { view(of: $0, isDrawn: isDrawn) },
        ]
    }

    private func view(of pictures: [HTMLTemplates.View], under heading: String) -> HTMLTemplates.View {
        var block = Self.nothing
        block["looks"] = Self.pictures(pictures)
        return ["heading": heading, "sectionAside": false, "blocks": [block]]
    }

    private static var nothing: HTMLTemplates.View {
        [
            "paragraph": false, "list": false, "remark": false, "table": false, "looks": false, "code": false,
            "calendar": false,
        ]
    }

    func view(of block: ReportDocument.Block, isDrawn: Bool = true) -> HTMLTemplates.View {
        var view = Self.nothing
        switch block {
        case .paragraph(let text): view["paragraph"] = text
        case .list(let lines):
            let rest = lines.dropFirst(Self.mostLines)
            view["list"] = [
                "entries": Array(lines.prefix(Self.mostLines)),
                "foldedLines": rest.isEmpty
                    ? false : ["more": language.say(.more(rest.count)), "entries": Array(rest)] as Any,
            ]
        case .remark(let severity, let text):
            view["remark"] = [
                "severity": severity.rawValue, "severityWord": language.say(severity.label), "text": text,
            ]
        case .table(let table): view["table"] = Self.view(of: table)
        case .calendar(let calendar, let now): view["calendar"] = HTMLCalendar(calendar, now: now, self).view
        case .looks(let looks): view["looks"] = self.view(of: looks, isDrawn: isDrawn)
        case .code(let text): view["code"] = Self.code(text)
        case .json(let value): view["code"] = Self.code(value.shownText)
        }
        return view
    }

    private static func code(_ text: String) -> HTMLTemplates.View {
        ["lines": text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)]
    }

    private static func view(of table: ReportDocument.Table) -> HTMLTemplates.View {
        [
            "label": table.columns.first?.heading ?? "", "wide": table.columns.count > 4,
            "columns": table.columns.map { ["heading": $0.heading, "numeric": $0.isNumeric] as HTMLTemplates.View },
            "rows": table.rows.enumerated().map { number, row in
                [
                    "cells": zip(row, table.columns).enumerated().map { place, cell in
                        let isLast = place == table.columns.count - 1 && number < table.shares.count
                        return [
                            "text": cell.0 ?? "–", "numeric": cell.1.isNumeric,
                            "meter": isLast ? CalendarDays.text(of: table.shares[number]) as Any : false,
                        ] as HTMLTemplates.View
                    }
                ]
            },
        ]
    }
}
