internal import Diagnostics
internal import Phrasebook
internal import PushModel
internal import PushPreview

/// The view of the page's head: the subject, the totals, links, and the items to look at first.
struct HTMLHead {
    let view: HTMLTemplates.View

    /// The maximum number of links to the items to look at first.
    private static let mostFirst = 30

    init(_ document: ReportDocument, _ items: HTMLItems, liveVersion: Int? = nil) {
        let language = items.language
        var view: HTMLTemplates.View = [
            "style": HTMLTemplates.style, "pictured": NotificationDrawing.definitions(of: items.app),
            "eyebrow": "bugle", "pageTitle": language.say(.otherTitle),
            "title": false, "figures": false,
            "hasFigures": false, "closing": false, "live": liveVersion.orNothing,
        ]
        var contents = items.groups.map(\.link)
        for (index, part) in document.parts.enumerated() where !part.isEmpty {
            switch part {
            case .title(let title):
                view["pageTitle"] = title.what + language.say(.colon) + "\(title.workspace) → \(title.remote)"
                view["eyebrow"] = title.what
                view["title"] = [
                    "workspace": title.workspace, "remote": title.remote, "titleAside": title.aside,
                    "notes": title.notes,
                ]
            case .figures(let figures):
                view["hasFigures"] = true
                view["figures"] = figures.map { figure in
                    [
                        "label": figure.label, "value": figure.value.grouped,
                        "tone": figure.mark?.tone ?? "plain",
                    ]
                }
            case .closing(let lines): view["closing"] = lines
            case .section(let section):
                contents.append(Self.link(HTMLAnchor.section(index), "§", section.heading, ""))
            case .table(let table):
                contents.append(
                    Self.link(HTMLAnchor.section(index), "§", language.say(.statusTitle), table.rows.count.grouped))
            case .diagnostics(let diagnostics):
                let notes = diagnostics.count { $0.severity == .note }
                if notes < diagnostics.count {
                    contents.insert(
                        Self.link(
                            HTMLAnchor.warnings, "!", language.say(.warnings), (diagnostics.count - notes).grouped),
                        at: 0)
                }
                if notes > 0 { contents.append(Self.link(HTMLAnchor.notes, "·", language.say(.notes), notes.grouped)) }
            case .items: break
            }
        }
        view["contents"] = contents
        view["hasContents"] = contents.count > 1
        let first = items.first
        view["hasFirst"] = !first.isEmpty
        view["first"] = first.prefix(Self.mostFirst).map(items.linkView)
        let rest = first.count - Self.mostFirst
        view["firstRest"] = rest > 0 ? language.say(.firstRest(rest)) as Any : false
        self.view = view
    }

    static func link(_ anchor: String, _ symbol: String, _ heading: String, _ count: String) -> HTMLTemplates.View {
        ["anchor": anchor, "symbol": symbol, "heading": heading, "count": count]
    }
}
