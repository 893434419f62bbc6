package import Base
package import Push

/// The structure of a report for people: its contents and their order, independent of the format.
///
/// Every format for people is a renderer of this structure. Texts are unescaped: each renderer escapes them by the
/// rules of its format.
package struct ReportDocument: Hashable, Sendable {
    /// The parts, in order; empty ones are left out.
    package var parts: [Part]

    /// One part.
    package enum Part: Hashable, Sendable {
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
    package struct Verdict: Hashable, Sendable {
        /// What it means to a reviewer.
        package var tone: Tone
        /// The sentence.
        package var text: String

        /// What something means to a reviewer.
        package enum Tone: String, Hashable, Sendable {
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
    package struct Section: Hashable, Sendable {
        package var heading: String
        /// A figure beside the heading that shows if the section is worth opening.
        package var aside: String? = nil
        /// The contents.
        package var blocks: [Block]
        /// True if pages and comments fold the section and text omits it; false for the requested content itself.
        package var isFolded = true
    }

    /// One block of a section.
    package enum Block: Hashable, Sendable {
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
    package struct Title: Hashable, Sendable {
        /// What the report is about within the workspace; nil for the workspace and the remote themselves.
        package var headline: String?
        package var workspace: String
        /// The app in pictures; nil where there are none.
        package var app: ShownApp?
        package var remote: String
        /// A description of the remote.
        package var aside: String
        /// Sentences for the head.
        package var notes: [String]
        /// The kind of report, for headings.
        package var what: String
    }

    /// One change or result.
    package struct Item: Hashable, Sendable {
        /// The mark shown as its symbol.
        package var mark: Mark
        package var kind: ResourceKind
        package var name: String
        /// The outcome in a few words.
        package var outcome: String?
        /// Further details.
        package var details: [Detail]
        /// The risk, which decides how prominent it is.
        package var risk = Risk.routine
        /// The number of devices that its push reaches; 0 without a push, or when they were not counted.
        package var devices = 0
        /// The place of its declaration.
        package var place: Place?
        /// What a table of pushes says of it; nil for what is no push.
        package var push: Push?
        /// The rules that block it.
        package var blocks: [Blocked] = []
        /// True if it has a notification that can be drawn.
        package var hasPictures = false
        /// Further sections; text omits them, pages and comments fold them. In very large reports only the riskiest
        /// items have them.
        package var sections: [Section] = []

        /// The maximum number of items with sections in a document.
        static let mostWithSections = 500
    }

    /// A push in a few words, for a row of a table.
    package struct Push: Hashable, Sendable {
        /// The time, and the parts of its delivery.
        package var when: [String]
        /// The audience, and what differs within it.
        package var whom: [String]
        /// The number of devices.
        package var devices: String?
        /// What a reviewer should look at, besides what blocks it.
        package var lookOut: [String]
    }

    /// A rule that blocks a change, in a word, and its reason.
    package struct Blocked: Hashable, Sendable {
        /// The rule in a word or two.
        package var word: String
        /// The reason in a clause.
        package var reason: String
    }

    /// A line in a file of the workspace.
    package struct Place: Hashable, Sendable {
        /// The file, relative to the workspace.
        package var file: String
        /// The line, from 1.
        package var line: Int
    }

    /// One line about an item.
    package enum Detail: Hashable, Sendable {
        /// A value, with an optional aside.
        case field(label: String, value: String, aside: String?)
        /// A change from one value to another.
        case changed(label: String, from: String, to: String)
        /// The text that a device shows.
        case quote(String)
    }

    package struct Table: Hashable, Sendable {
        package var columns: [Column]
        /// The cells, one per column; nil for an empty cell.
        package var rows: [[String?]]
        /// The parts of the whole, from 0 to 1, that the last column tells, row by row; pages draw bars of them.
        package var shares: [Double] = []
        /// The pages to which the first cells lead, row by row; comments link them.
        package var pages: [PageLink?] = []

        /// A column's heading and alignment.
        package struct Column: Hashable, Sendable {
            package var heading: String
            /// True for numbers, which are right-aligned.
            package var isNumeric: Bool
        }
    }
}

/// The meaning of an item's symbol.
package enum Mark: String, Hashable, Sendable, CaseIterable {
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
}

/// The risk of an item, the highest first.
package enum Risk: Int, Hashable, Comparable, Sendable, CaseIterable {
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

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
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

/// Texts of reports that are the same in every language.
enum Wording {
    /// A commit in short form: the first seven digits of a full hash.
    static func commit(_ text: String) -> String {
        let isHash = text.utf8.count >= 40 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? String(text.prefix(7)) : text
    }
}

extension Language {
    /// `312 of 4,096 bytes`.
    func size(_ payload: PlannedPayload) -> String { say(.size(bytes: payload.bytes, limit: payload.limit)) }

    /// `last applied abc1234, 2 h ago, by github run 812`.
    func lastApplied(_ last: LastApplied, now: Instant) -> String {
        let age = now > last.at ? now - last.at : .zero
        return say(.lastApplied(commit: last.commit.map(Wording.commit), ago: age, run: last.run))
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
