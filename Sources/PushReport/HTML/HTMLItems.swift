/// The items of a page: grouped by what happens, the risky first in each group.
struct HTMLItems {
    private let items: [ReportDocument.Item]
    /// The name of the app in pictures: the workspace's.
    let app: String
    /// The groups, what needs a person first.
    let groups: [Group]
    /// What a reviewer should look at first, by its place among the items.
    let first: [Int]
    /// The items that are told whole.
    private let whole: Set<Int>
    /// The items that are drawn.
    private let drawn: Set<Int>
    /// Where the campaigns of the calendar stand.
    private let anchors: [String: String]

    /// The items of one mark.
    struct Group {
        let mark: Mark
        /// Their places among the items.
        let entries: [Int]
        /// What is left out of them.
        let note: String?

        var view: HTMLTemplates.View {
            var view = link
            view["tone"] = mark.tone
            view["note"] = note.orNothing
            return view
        }

        /// The link that leads to it.
        var link: HTMLTemplates.View {
            HTMLHead.link(
                HTMLAnchor.group(mark), Glyphs.unicode.symbol(mark), mark.heading, Wording.number(entries.count))
        }
    }

    /// The order of the groups.
    private static let order: [Mark] = [
        .blocked, .unknown, .failed, .send, .schedule, .resume, .cancel, .delete, .update, .create, .wait, .missed,
        .done, .skipped,
    ]

    init(_ document: ReportDocument) {
        let items = document.parts.flatMap { part -> [ReportDocument.Item] in
            if case .items(let list) = part { list } else { [] }
        }
        let sorted = items.riskiestFirst
        self.items = items
        app =
            document.parts.lazy.compactMap { if case .title(let title) = $0 { title.workspace } else { nil } }.first
            ?? ""
        let withMore = sorted.filter { !items[$0].sections.isEmpty || !items[$0].details.isEmpty }
        whole = Set(withMore.prefix(HTMLRenderer.mostWhole))
        let pictured = withMore.filter { items[$0].hasPictures && !items[$0].sections.isEmpty }
        let drawn = Set(pictured.prefix(HTMLRenderer.mostDrawn))
        self.drawn = drawn
        first = sorted.filter { items[$0].risk <= .warned }
        let byMark = Dictionary(grouping: sorted) { items[$0].mark }
        groups = Self.order.compactMap { mark in
            guard let entries = byMark[mark] else { return nil }
            let undrawn = entries.count { items[$0].hasPictures && !drawn.contains($0) }
            let note =
                undrawn == 0
                ? nil
                : "This page draws the \(HTMLRenderer.mostDrawn) campaigns to look at first; "
                    + "\(Wording.number(undrawn)) of these are not drawn: bugle preview draws any one."
            return Group(mark: mark, entries: entries, note: note)
        }
        anchors = Dictionary(
            items.indices.filter { items[$0].kind == "campaign" }.map { (items[$0].name, HTMLAnchor.item($0)) }
        ) { first, _ in first }
    }

    /// Where a campaign stands.
    func anchor(ofCampaign name: String) -> String? { anchors[name] }

    /// The template of an item, and what fills it.
    func view(of index: Int) -> (template: HTMLTemplates.Template, values: HTMLTemplates.View) {
        let item = items[index]
        guard whole.contains(index) else { return (.row, HTMLItemView.row(item, HTMLAnchor.item(index))) }
        return (
            .card, HTMLItemView.card(item, HTMLAnchor.item(index), isDrawn: drawn.contains(index), items: self)
        )
    }

    /// The link to an item from what to look at first.
    func linkView(of index: Int) -> HTMLTemplates.View {
        let item = items[index]
        return [
            "anchor": HTMLAnchor.item(index), "tone": item.mark.tone, "symbol": Glyphs.unicode.symbol(item.mark),
            "kind": item.kind, "name": item.name,
            "why": item.risk == .blocked || item.risk == .unknown
                ? item.outcome ?? item.risk.concern ?? "" : item.risk.concern ?? "",
            "reach": item.devices > 0 ? Wording.count(item.devices, "device") as Any : false,
        ]
    }
}

extension Mark {
    /// The heading of what bears it.
    var heading: String {
        switch self {
        case .create: "Created"
        case .update: "Updated"
        case .delete: "Deleted"
        case .send: "Sent now"
        case .schedule: "Scheduled"
        case .cancel: "Cancelled"
        case .resume: "Settled"
        case .blocked: "Blocked"
        case .wait: "Waiting"
        case .missed: "Missed"
        case .unknown: "Unknown"
        case .done: "Done"
        case .failed: "Not done"
        case .skipped: "Not tried"
        }
    }

    /// The colour that the style gives it, by name.
    var tone: String {
        switch self {
        case .blocked, .unknown, .failed: "bad"
        case .send, .schedule: "go"
        case .delete, .cancel, .missed, .resume: "warn"
        case .update: "change"
        case .create, .done: "good"
        case .wait, .skipped: "plain"
        }
    }
}
