internal import Base
internal import Push

/// The structure of a report for people: its contents and their order, independent of the format.
///
/// Every format for people is a renderer of this structure. Texts are unescaped: each renderer escapes them by the
/// rules of its format.
struct ReportDocument: Hashable, Sendable {
    /// The parts, in order; empty ones are left out.
    var parts: [Part]

    /// The subject; nil where none is named.
    var title: Title? {
        parts.lazy.compactMap { part in if case .title(let title) = part { title } else { nil } }.first
    }

    enum Part: Hashable, Sendable {
        case title(Title)
        /// Changes or results, one item each.
        case items([Item])
        case diagnostics([Diagnostic])
        /// Rows under headings.
        case table(Table)
        /// Details on the whole, under a heading.
        case section(Section)
        /// Sentences, one per line.
        case closing([String])
        /// The whole in one sentence, before everything else.
        case verdict(Verdict)
    }

    /// The whole in one sentence.
    struct Verdict: Hashable, Sendable {
        /// What it means to a reviewer.
        var tone: Tone
        var text: String

        /// What something means to a reviewer.
        enum Tone: String, Hashable, Sendable {
            /// It happens as the files say.
            case fine
            /// It is worth a look.
            case look
            /// It does not happen, or a person must decide.
            case stop

            /// Its sign in a comment.
            var sign: String {
                switch self {
                case .fine: "✅"
                case .look: "⚠️"
                case .stop: "⛔"
                }
            }
        }
    }

    /// Blocks under a heading.
    struct Section: Hashable, Sendable {
        var heading: String
        /// A figure beside the heading that shows if the section is worth opening.
        var aside: String? = nil
        var blocks: [Block]
        /// True if pages and comments fold the section and text omits it; false for the requested content itself.
        var isFolded = true
    }

    /// One block of a section.
    enum Block: Hashable, Sendable {
        case paragraph(String)
        case list([String])
        /// A sentence that needs a reviewer's attention.
        case remark(Severity, String)
        /// Rows under headings.
        case table(Table)
        /// Pushes by day, and the time of the plan.
        case calendar(PlanCalendar, now: Instant)
        /// Notifications as devices show them.
        case looks([NotificationLook])
        case code(String)
        /// A JSON value, converted to text only when rendered.
        case json(JSONValue)
    }

    /// The subject of a report.
    struct Title: Hashable, Sendable {
        /// What the report is about within the workspace; nil for the workspace and the remote themselves.
        var headline: String?
        var workspace: String
        /// The app in pictures; nil where there are none.
        var app: ShownApp?
        var remote: String
        /// A description of the remote.
        var aside: String
        /// Sentences for the head.
        var notes: [String]
        /// The kind of report, for headings.
        var what: String
    }

    /// One change or result.
    struct Item: Hashable, Sendable {
        /// The mark shown as its symbol.
        var mark: Mark
        var kind: ResourceKind
        var name: String
        /// The outcome in a few words.
        var outcome: String?
        var details: [Detail]
        /// The risk, which decides how prominent it is.
        var risk = Risk.routine
        /// The number of devices that its push reaches; 0 without a push, or when they were not counted.
        var devices = 0
        /// The place of its declaration.
        var place: Place?
        /// What a table of pushes says of it; nil for what is no push.
        var push: Push?
        /// The rules that block it.
        var blocks: [Blocked] = []
        /// True if it has a notification that can be drawn.
        var hasPictures = false
        /// Further sections; text omits them, pages and comments fold them. In very large reports only the riskiest
        /// items have them.
        var sections: [Section] = []

        /// The maximum number of items with sections in a document.
        static let mostWithSections = 500
    }

    /// A push in a few words, for a row of a table.
    struct Push: Hashable, Sendable {
        /// The time, and the parts of its delivery.
        var when: [String]
        /// The audience, and what differs within it.
        var whom: [String]
        var devices: String?
        /// What a reviewer should look at, besides what blocks it.
        var lookOut: [String]
    }

    /// A rule that blocks a change, in a word, and its reason.
    struct Blocked: Hashable, Sendable {
        /// The rule in a word or two.
        var word: String
        /// The reason in a clause.
        var reason: String
    }

    /// A line in a file of the workspace.
    struct Place: Hashable, Sendable {
        /// The file, relative to the workspace.
        var file: String
        var line: Int
    }

    /// One line about an item.
    enum Detail: Hashable, Sendable {
        /// A value, with an optional aside.
        case field(label: String, value: String, aside: String?)
        /// A change from one value to another.
        case changed(label: String, from: String, to: String)
        /// The text that a device shows.
        case quote(String)
    }

    struct Table: Hashable, Sendable {
        var columns: [Column]
        /// The cells, one per column; nil for an empty cell.
        var rows: [[String?]]
        /// The parts of the whole, from 0 to 1, that the last column tells, row by row; pages draw bars of them.
        var shares: [Double] = []
        /// The pages to which the first cells lead, row by row; comments link them.
        var pages: [PageLink?] = []

        /// A column's heading and alignment.
        struct Column: Hashable, Sendable {
            var heading: String
            /// True for numbers, which are right-aligned.
            var isNumeric: Bool
        }
    }
}

/// The meaning of an item's symbol.
enum Mark: String, Hashable, Sendable, CaseIterable {
    case create
    case update
    case delete
    /// A push is sent now.
    case send
    case schedule
    /// A pending push is cancelled.
    case cancel
    /// An open delivery is settled.
    case resume
    case blocked
    /// Nothing is due yet.
    case wait
    case missed
    /// The outcome is unknown; a person must look.
    case unknown
    case done
    /// What was due was carried out, and the rest goes on by design.
    case ongoing
    /// The change was carried out for some devices.
    case partly
    case failed
    case skipped

    private typealias Row = (
        symbol: String, ascii: String, paint: TextWriter.Paint, tone: String, label: Phrase, heading: Phrase
    )

    /// What it is in each format: the symbol in Unicode and in ASCII, the colour on a terminal and in the style sheet,
    /// the word for a number of them, and the heading of their group.
    private var row: Row {
        switch self {
        case .create: ("+", "+", .green, "good", .toCreate, .created)
        case .update: ("~", "~", .yellow, "change", .toUpdate, .updated)
        case .delete: ("-", "-", .red, "warn", .toDelete, .deleted)
        case .send: ("▶", ">", .green, "go", .toSend, .sentNow)
        case .schedule: ("◷", "@", .green, "go", .toSchedule, .scheduled)
        case .cancel: ("✕", "x", .red, "warn", .toCancel, .cancelled)
        case .resume: ("↻", "r", .yellow, "warn", .toResume, .settled)
        case .blocked: ("!", "!", .red, "bad", .blocked, .blockedGroup)
        case .wait: ("…", ".", .yellow, "plain", .waiting, .waitingGroup)
        case .missed: ("∅", "0", .yellow, "warn", .missed, .missedGroup)
        case .unknown: ("?", "?", .red, "bad", .unknown, .unknownGroup)
        case .done: ("✓", "=", .green, "good", .done, .doneGroup)
        case .ongoing: ("▶", ">", .green, "go", .ongoing, .ongoingGroup)
        case .partly: ("◐", "%", .yellow, "warn", .partly, .partlyGroup)
        case .failed: ("✗", "x", .red, "bad", .failed, .failedGroup)
        case .skipped: ("·", ".", .dim, "plain", .skipped, .skippedGroup)
        }
    }

    /// The symbol, one column wide.
    var symbol: String { row.symbol }
    /// The symbol for locales that are not UTF-8.
    var ascii: String { row.ascii }
    var paint: TextWriter.Paint { row.paint }
    /// The name of its colour in the style sheet.
    var tone: String { row.tone }
    var label: Phrase { row.label }
    var heading: Phrase { row.heading }
}

/// The risk of an item, the highest first.
enum Risk: Int, Hashable, Comparable, Sendable, CaseIterable {
    case blocked
    case unknown
    case everyone
    /// The push goes to a large audience.
    case large
    /// The push goes to an audience that was not counted.
    case uncounted
    case warned
    /// The push is sent at once.
    case now
    /// The push is sent or cancelled later.
    case later
    case removal
    /// Nothing out of the ordinary.
    case routine

    /// The number of devices from which an audience counts as large.
    static let largeAudience = 10_000

    /// The reason to look at it, in a few words; nil when there is none besides its action.
    var concern: Phrase? {
        switch self {
        case .blocked: .heldBack
        case .unknown: .personLooks
        case .everyone: .reachesEveryone
        case .large: .largeAudience
        case .uncounted: .uncounted
        case .warned: .warned
        case .now, .later, .removal, .routine: nil
        }
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension [ReportDocument.Item] {
    /// The indices of the items, the riskiest first; equal ones keep their order.
    var riskiestFirst: [Int] {
        indices.sorted { lhs, rhs in
            if Element.isRiskier(self[lhs], self[rhs]) { return true }
            return !Element.isRiskier(self[rhs], self[lhs]) && lhs < rhs
        }
    }
}

extension ReportDocument.Item {
    /// True if an item comes before another in the order of risk: by risk, then by the size of the audience.
    static func isRiskier(_ lhs: Self, _ rhs: Self) -> Bool {
        lhs.risk == rhs.risk ? lhs.devices > rhs.devices : lhs.risk < rhs.risk
    }
}

/// The address of a page, of characters that cannot end a link in Markdown or HTML.
package struct PageLink: Hashable, Sendable {
    /// The address.
    package let text: String

    /// Creates a link; nil for anything but a plain address of the web.
    package init?(_ text: String) {
        let isWeb = text.hasPrefix("https://") || text.hasPrefix("http://")
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7f && !"<>()[]\\\"'`|@".utf8.contains(byte)
        }
        guard isWeb, isPlain, text.utf8.count <= 2000 else { return nil }
        self.text = text
    }
}

extension String {
    /// A commit in short form: the first seven digits of a full hash.
    var shortCommit: String {
        let isHash = utf8.count >= 40 && allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? String(prefix(7)) : self
    }
}

extension Language {
    /// The columns under some headings, those of `numeric` with numbers.
    func columns(_ headings: [Phrase], numeric: Set<Phrase> = []) -> [ReportDocument.Table.Column] {
        headings.map { ReportDocument.Table.Column(heading: say($0), isNumeric: numeric.contains($0)) }
    }

    /// `312 of 4,096 bytes`.
    func size(_ payload: PlannedPayload) -> String { say(.size(bytes: payload.bytes, limit: payload.limit)) }

    /// `last applied abc1234, 2 h ago, by github run 812`.
    func lastApplied(_ last: LastApplied, now: Instant) -> String {
        let age = now > last.at ? now - last.at : .zero
        return say(.lastApplied(commit: last.commit?.shortCommit, ago: age, run: last.run))
    }

    /// The devices that rules leave out of an audience, and those that nothing was sent to in time: `650 held out`.
    func lost(_ leftOut: [LeftOut: Int], missed: Int = 0) -> [String] {
        let rules: [LeftOut] = [.heldOut, .capped, .tooLarge]
        let parts = rules.compactMap { rule in
            leftOut[rule].flatMap { $0 > 0 ? say(rule.reason($0, staleAfter: AudienceCount.threeMonths)) : nil }
        }
        return missed > 0 ? parts + [say(.missedDevices(missed))] : parts
    }

    func word(_ kind: ResourceKind) -> String {
        switch kind {
        case .deviceProfile: say(.deviceProfileKind)
        case .channel: say(.channelKind)
        case .segment: say(.segmentKind)
        case .campaign: say(.campaignKind)
        }
    }
}
