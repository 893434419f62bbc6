internal import Base
internal import Push

/// The content state of a Live Activity as rows of a card: the app draws the real one.
struct ActivityRows: Hashable {
    /// The rows, up to the limit.
    var rows: [Row]

    /// A name and a value, each cut to one line.
    struct Row: Hashable {
        var name: String
        var value: String
    }

    /// Creates the rows of a content state.
    init(_ look: NotificationLook, limit: Int, in language: Language) {
        let members = (look.contentState?.object ?? [:]).sorted { $0.key < $1.key }
        rows = members.prefix(members.count > limit ? limit - 1 : limit).map { key, value in
            Row(
                name: BrokenText.line(key, width: 130),
                value: BrokenText.line(value.string ?? value.canonicalText, width: 150, size: 15))
        }
        if members.count > limit {
            rows.append(Row(name: language.say(.andMore(members.count - limit + 1)), value: ""))
        }
        if members.isEmpty { rows = [Row(name: language.say(Self.sentence(look.activity)), value: "")] }
    }

    private static func sentence(_ event: LiveActivity.Event?) -> Phrase {
        switch event {
        case .start: .activityStarts
        case .update: .activityUpdates
        case .end: .activityEnds
        case nil: .activityDrawn
        }
    }
}
