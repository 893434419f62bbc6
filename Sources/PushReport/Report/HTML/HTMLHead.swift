internal import Base
internal import Push

/// The view of the page's head: the subject, the verdict, the totals, and links.
struct HTMLHead {
    let view: HTMLTemplates.View

    init(_ document: ReportDocument, _ items: HTMLItems, liveVersion: Int? = nil) {
        let language = items.language
        var view: HTMLTemplates.View = [
            "style": HTMLTemplates.style, "pictured": NotificationDrawing.definitions(of: items.app),
            "eyebrow": "bugle", "pageTitle": language.say(.otherTitle),
            "title": false, "verdict": false, "closing": false, "live": liveVersion.orNothing,
        ]
        var contents = items.groups.map(\.link)
        for (index, part) in document.parts.enumerated() where !part.isEmpty {
            switch part {
            case .title(let title):
                let subject = title.headline ?? "\(title.workspace) → \(title.remote)"
                view["pageTitle"] = title.what + language.say(.colon) + subject
                view["eyebrow"] = title.what
                view["title"] = [
                    "headline": title.headline.orNothing, "workspace": title.workspace, "remote": title.remote,
                    "titleAside": title.aside,
                    "notes": title.notes,
                ]
            case .verdict(let verdict): view["verdict"] = ["tone": verdict.tone.colour, "text": verdict.text]
            case .closing(let lines): view["closing"] = lines
            case .section(let section):
                contents.append(Self.link(HTMLAnchor.section(index), "§", section.heading, ""))
            case .table(let table):
                contents.append(
                    Self.link(HTMLAnchor.section(index), "§", language.say(.statusTitle), table.rows.count.grouped))
            case .diagnostics(let diagnostics):
                let notes = diagnostics.count { $0.severity == .note }
                if notes < diagnostics.count {
                    contents.append(
                        Self.link(
                            HTMLAnchor.warnings, "!", language.say(.warnings), (diagnostics.count - notes).grouped))
                }
                if notes > 0 { contents.append(Self.link(HTMLAnchor.notes, "·", language.say(.notes), notes.grouped)) }
            case .items: break
            }
        }
        view["contents"] = contents
        view["hasContents"] = contents.count > 1
        self.view = view
    }

    static func link(_ anchor: String, _ symbol: String, _ heading: String, _ count: String) -> HTMLTemplates.View {
        ["anchor": anchor, "symbol": symbol, "heading": heading, "count": count]
    }
}

extension ReportDocument.Verdict.Tone {
    /// The name of its colour in the style sheet.
    fileprivate var colour: String {
        switch self {
        case .fine: "good"
        case .look: "warn"
        case .stop: "bad"
        }
    }
}
