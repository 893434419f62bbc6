internal import Base
internal import Push

/// Writes a section that is not folded.
struct SectionText {
    private let section: ReportDocument.Section
    private let app: ShownApp

    /// Creates the writer of a section; `app` is the one in drawn notifications.
    init(_ section: ReportDocument.Section, app: ShownApp) {
        self.section = section
        self.app = app
    }

    func write(to writer: inout TextWriter) {
        writer.write(section.heading, .bold)
        if let aside = section.aside {
            writer.pad(to: 0, gap: 3)
            writer.write(aside, .dim)
        }
        writer.endLine()
        for block in section.blocks { write(block, to: &writer) }
    }

    private func write(_ block: ReportDocument.Block, to writer: inout TextWriter) {
        switch block {
        case .paragraph(let text): writeLine(text, to: &writer)
        case .list(let lines): for line in lines { writeLine(line, to: &writer) }
        case .remark(let severity, let text):
            writeLine(writer.language.say(severity.label) + writer.language.say(.colon) + text, to: &writer)
        case .table(let table): TableText(table, writer).write(to: &writer)
        // A time line needs a wide page; every push on it also has a line of its own.
        case .calendar: break
        case .looks(let looks): for look in looks { write(look, to: &writer) }
        case .code(let text): writeCode(text, to: &writer)
        case .json(let value): writeCode(value.prettyText, to: &writer)
        }
    }

    private func writeCode(_ text: String, to writer: inout TextWriter) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            writer.pad(to: 2)
            writeLine(String(line), to: &writer)
        }
    }

    private func write(_ look: NotificationLook, to writer: inout TextWriter) {
        let drawing = NotificationDrawing(look, app: app, language: writer.language)
        for view in drawing.views {
            for (index, line) in drawing.text(view, usesUnicode: writer.usesUnicode).enumerated() {
                if index == 0 { writer.endLine() }
                writer.write(line, index == 0 ? .dim : nil)
                writer.endLine()
            }
        }
    }

    private func writeLine(_ text: String, to writer: inout TextWriter) {
        writer.write(text, wrappedTo: 0)
        writer.endLine()
    }
}
