internal import Base
internal import Push

/// Views for the templates of sections.
enum HTMLBlocks {
    /// The lines of a list that are not folded.
    private static let mostLines = 6

    /// The view of a section; its notifications are drawn, or described in words.
    static func view(
        of section: ReportDocument.Section, _ items: HTMLItems, isDrawn: Bool = true
    ) -> HTMLTemplates.View {
        [
            "heading": section.heading, "sectionAside": section.aside.orNothing,
            "blocks": section.blocks.map { view(of: $0, items, isDrawn: isDrawn) },
        ]
    }

    /// The view of pictures under a heading.
    static func view(of pictures: [HTMLTemplates.View], under heading: String) -> HTMLTemplates.View {
        var block = nothing
        block["looks"] = HTMLLooks.view(of: pictures)
        return ["heading": heading, "sectionAside": false, "blocks": [block]]
    }

    private static var nothing: HTMLTemplates.View {
        [
            "paragraph": false, "list": false, "remark": false, "table": false, "looks": false, "code": false,
            "calendar": false,
        ]
    }

    static func view(of block: ReportDocument.Block, _ items: HTMLItems, isDrawn: Bool = true) -> HTMLTemplates.View {
        var view = nothing
        switch block {
        case .paragraph(let text): view["paragraph"] = text
        case .list(let lines):
            let rest = lines.dropFirst(mostLines)
            view["list"] = [
                "entries": Array(lines.prefix(mostLines)),
                "foldedLines": rest.isEmpty
                    ? false : ["more": items.language.say(.more(rest.count)), "entries": Array(rest)] as Any,
            ]
        case .remark(let severity, let text):
            view["remark"] = [
                "severity": severity.rawValue, "severityWord": items.language.say(severity.label), "text": text,
            ]
        case .table(let table): view["table"] = self.view(of: table)
        case .calendar(let calendar, let now): view["calendar"] = HTMLCalendar(calendar, now: now, items).view
        case .looks(let looks): view["looks"] = HTMLLooks.view(of: looks, items, isDrawn: isDrawn)
        case .code(let text): view["code"] = code(text)
        case .json(let value): view["code"] = code(value.shownText)
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
