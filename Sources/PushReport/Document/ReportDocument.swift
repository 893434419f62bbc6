package import Diagnostics
package import JSONValue
package import PushModel
package import PushPlan

/// A report for people before it has a form: what stands in it and in which order, and nothing about how it looks.
///
/// Every form for people is one renderer over this structure. Texts are as they came: each renderer escapes them by
/// the rules of its own form.
package struct ReportDocument: Hashable, Sendable {
    /// Its parts, in order; empty ones are left out.
    package var parts: [Part]

    /// One part.
    package enum Part: Hashable, Sendable {
        /// What it is about.
        case title(Title)
        /// One item a change or result.
        case items([Item])
        /// What there is to say about the files.
        case diagnostics([Diagnostic])
        /// Rows under headings.
        case table(Table)
        /// More about the whole, under a heading.
        case section(Section)
        /// Sentences, a line each.
        case closing([String])
        /// The numbers that say what it comes to; text says them in its closing lines.
        case figures([Figure])
    }

    /// A number that a reader looks at first.
    package struct Figure: Hashable, Sendable {
        /// What is counted.
        package var label: String
        /// How many.
        package var value: Int
        /// What it is about; nil: nothing that a symbol stands for.
        package var mark: Mark?
    }

    /// What stands under one heading.
    package struct Section: Hashable, Sendable {
        /// The heading.
        package var heading: String
        /// Beside the heading: the figure that says whether to look inside.
        package var aside: String?
        /// What stands in it.
        package var blocks: [Block]
        /// Whether pages and comments fold it and text leaves it out; true unless it is what was asked for.
        package var isFolded = true
    }

    /// One block of a section.
    package enum Block: Hashable, Sendable {
        /// A sentence.
        case paragraph(String)
        /// A sentence that a reviewer must not overlook.
        case remark(Severity, String)
        /// Rows under headings.
        case table(Table)
        /// Pushes on a line of time.
        case calendar(PlanCalendar)
        /// A notification as devices show it.
        case looks([NotificationLook])
        /// Text of a fixed width.
        case code(String)
        /// A JSON value, made into text only where it is shown.
        case json(JSONValue)
    }

    /// What a report is about.
    package struct Title: Hashable, Sendable {
        /// The workspace.
        package var workspace: String
        /// The remote.
        package var remote: String
        /// What the remote is.
        package var aside: String
        /// Sentences that belong to the head.
        package var notes: [String]
        /// What kind of report it is, for headings.
        package var what: String
    }

    /// One change or result.
    package struct Item: Hashable, Sendable {
        /// What its symbol stands for.
        package var mark: Mark
        /// Its kind.
        package var kind: ResourceKind
        /// Its name.
        package var name: String
        /// What happens, in a few words.
        package var outcome: String?
        /// What else there is to know.
        package var details: [Detail]
        /// How closely a reviewer should look at it.
        package var risk = Risk.routine
        /// Devices that a push of it reaches; 0 for what pushes nothing, and where they were not counted.
        package var devices = 0
        /// Where it is declared.
        package var place: Place?
        /// Whether a notification of it can be drawn.
        package var hasPictures = false
        /// More about it; text leaves it out, pages and comments fold it. Of very many items only the riskiest have it.
        package var sections: [Section] = []

        /// So many items of a document have sections.
        static let mostWithSections = 500
    }

    /// A line of a file of the workspace.
    package struct Place: Hashable, Sendable {
        /// The file, relative to the workspace.
        package var file: String
        /// The line, from 1.
        package var line: Int
    }

    /// One line about an item.
    package enum Detail: Hashable, Sendable {
        /// A value, with something beside it.
        case field(label: String, value: String, aside: String?)
        /// A value that becomes another.
        case changed(label: String, from: String, to: String)
        /// The words that a device shows.
        case quote(String)
    }

    /// Rows under headings.
    package struct Table: Hashable, Sendable {
        /// The headings.
        package var columns: [Column]
        /// As many texts in each as there are columns; nil: nothing to say.
        package var rows: [[String?]]

        /// A heading, and where its texts stand.
        package struct Column: Hashable, Sendable {
            /// The heading.
            package var heading: String
            /// Whether it holds numbers, which stand on the right.
            package var isNumeric: Bool
        }
    }
}

/// What the symbol at the beginning of an item stands for.
package enum Mark: String, Hashable, Sendable, CaseIterable {
    /// A resource is created.
    case create
    /// A resource is updated.
    case update
    /// A resource is deleted.
    case delete
    /// A push is sent.
    case send
    /// A push is scheduled, anew or not.
    case schedule
    /// A pending push is cancelled.
    case cancel
    /// An open delivery is settled.
    case resume
    /// Rules hold it back.
    case blocked
    /// Nothing yet.
    case wait
    /// Nothing any more.
    case missed
    /// Nobody knows; a person must look.
    case unknown
    /// It was carried out.
    case done
    /// It was refused, or failed.
    case failed
    /// It was not tried.
    case skipped
}
