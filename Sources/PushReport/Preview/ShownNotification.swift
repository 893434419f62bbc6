internal import Base
package import Push

/// The visible part of a notification in a view, with its texts broken into lines and cut: every format is drawn from
/// it.
struct ShownNotification: Hashable {
    /// The app's name, on one line.
    var app: BrokenText
    /// The first line; an iPhone shows the app's name if there is no title.
    var title: BrokenText?
    /// The second line.
    var subtitle: BrokenText?
    var body: BrokenText?
    /// The interruption mark that the system writes above the title.
    var mark: Mark?
    var picture: Picture?
    /// True when texts contain keys whose strings only the app has.
    var hasKeys = false

    /// A mark that the system writes above the title.
    enum Mark: Hashable {
        case timeSensitive, critical

        var label: Phrase {
            switch self {
            case .timeSensitive: .timeSensitive
            case .critical: .critical
            }
        }
    }

    /// A picture whose address the app's service extension gets; it is never loaded.
    struct Picture: Hashable {
        var host: String
        var file: String

        init(_ address: String) {
            let path = address.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }.prefix { $0 != "?" && $0 != "#" }
            host = String(path.prefix { $0 != "/" })
            file = path.split(separator: "/").dropFirst().last.map(String.init) ?? ""
        }
    }

    init(_ look: NotificationLook, app name: String, view: NotificationDrawing.View, language: Language) {
        let columns = Columns(look, view)
        let limits = view.limits
        let isApple = look.platform == .ios
        let (titles, texts) = isApple ? (15.0, 15.0) : (14.0, 14.0)
        func broken(_ text: LocalizableText?, _ width: Double, _ limit: Int, _ size: Double, bold: Bool) -> BrokenText?
        {
            guard limit > 0, let words = text?.shownText, !words.allSatisfy(\.isWhitespace) else { return nil }
            return BrokenText(words, width: width, limit: limit, metrics: FontMetrics(size: size, isBold: bold))
        }
        app = BrokenText(
            look.activity == nil ? name : "\(name) · \(language.say(.liveActivity))", width: columns.titleWidth,
            limit: 1,
            metrics: FontMetrics(size: isApple ? 15 : 12, isBold: isApple))
        title = broken(look.title, columns.titleWidth, limits.title, titles, bold: true)
        subtitle = broken(look.subtitle, columns.textWidth, limits.subtitle, titles, bold: true)
        body = broken(look.body, columns.textWidth, limits.body, texts, bold: false)
        hasKeys = [look.title, look.subtitle, look.body].contains { $0?.isKey == true }
        guard isApple else { return }
        mark = look.mark
        picture = look.image.map(Picture.init)
        if title == nil { title = app }
    }

    /// The horizontal edges of texts, in points from a drawing's left edge.
    struct Columns: Hashable {
        /// The left edge of every text, after the icon.
        let left = 62
        /// The right edge of the title, before the time.
        var titleEnd: Int
        /// The right edge of the other texts, before the picture if there is one.
        var textEnd: Int
        /// True when the title shares the line with the time, and the app is not named.
        var isHeaderless = false

        var titleWidth: Double { Double(titleEnd - left) }
        var textWidth: Double { Double(textEnd - left) }

        init(_ look: NotificationLook, _ view: NotificationDrawing.View) {
            switch view {
            case .lockScreen, .banner: (titleEnd, textEnd) = (330, look.image == nil ? 366 : 320)
            case .expanded: (titleEnd, textEnd) = (330, 366)
            case .shade:
                isHeaderless = look.title != nil
                (titleEnd, textEnd) = (isHeaderless ? 292 : 332, 332)
            case .openShade: (titleEnd, textEnd) = (332, 332)
            }
        }
    }
}

extension NotificationLook {
    /// The mark above the title: critical when the sound or the level says so.
    var mark: ShownNotification.Mark? {
        if case .detailed(_, critical: true, _) = sound { return .critical }
        switch interruptionLevel {
        case .critical: return .critical
        case .timeSensitive: return .timeSensitive
        case .passive, .active, nil: return nil
        }
    }
}

extension LocalizableText {
    /// True when only the app has the text.
    var isKey: Bool {
        switch self {
        case .text: false
        case .localized: true
        }
    }
}

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

/// The effects of a notification that no screen shows: its sound, badge, group, and what it replaces.
struct Chips {
    /// The total height; 0 when there are no chips.
    private(set) var height = 0
    private var chips: [Chip] = []

    private struct Chip {
        var text: String
        var x: Int
        var y: Int
        var width: Int
    }

    init() {}

    /// Creates the chips of a look, in rows of the given width.
    init(_ look: NotificationLook, width: Int, in language: Language) {
        let metrics = FontMetrics(size: 12)
        var (x, y) = (14, 0)
        for text in look.remarks(in: language) + look.services.map({ $0.words(in: language) }) {
            let line = BrokenText(text, width: Double(width - 52), limit: 1, metrics: metrics).lines[0]
            let size = Int(line.width) + 22
            if x > 14, x + size > width - 14 { (x, y) = (14, y + 30) }
            chips.append(Chip(text: line.text, x: x, y: y, width: size))
            x += size + 8
        }
        height = chips.isEmpty ? 0 : y + 24
    }

    func draw(at top: Int, on canvas: inout SVGCanvas) {
        for chip in chips {
            canvas.rect("q", x: chip.x, y: top + chip.y, width: chip.width, height: 24, radius: 12)
            canvas.text(
                "u", chip.text, x: chip.x + 11, y: top + chip.y + 16,
                room: SVGCanvas.Room(used: Double(chip.width - 22), width: Double(chip.width - 22)))
        }
    }
}

extension ShownService {
    /// Its name, with what is its own about the message: `OPPO: channel news, 50 + 128 characters`.
    func words(in language: Language) -> String {
        var own = settings
        if let mostPerDay { own.append(language.say(.mostPerDay(mostPerDay))) }
        if let hours { own.append(language.say(.deliversOnly(hours))) }
        if let mostTitle, let mostBody { own.append(language.say(.mostCharacters(mostTitle, mostBody))) }
        if isLeftOut { own = [language.say(.itsDevicesAreLeftOut)] }
        return own.isEmpty ? vendor.title : vendor.title + language.say(.colon) + language.list(own)
    }
}

extension NotificationLook {
    /// The effects that no screen shows, in a few words each; badges, groups and levels exist on Apple devices only.
    func remarks(in language: Language) -> [String] {
        let keys = [title, subtitle, body].contains { $0?.isKey == true } ? [language.say(.localizedInApp)] : []
        return tone(in: language) + (platform == .ios ? appleRemarks(in: language) : []) + keys
    }

    private func tone(in language: Language) -> [String] {
        guard let sound, !isSilent else { return [] }
        let name = sound.name == "default" ? language.say(.defaultSound) : sound.name
        guard platform == .ios else { return ["♪ " + name] }
        if mark == .critical { return [language.say(.playedThoughMuted(name))] }
        return [interruptionLevel == .passive ? language.say(.notPlayed(name)) : "♪ " + name]
    }

    private func appleRemarks(in language: Language) -> [String] {
        var remarks: [String] = []
        switch badge {
        case .number(0): remarks.append(language.say(.badgeRemoved))
        case .number(let number): remarks.append(language.say(.badge(number)))
        case .increment: remarks.append(language.say(.badgePlus))
        case nil: break
        }
        if let threadId { remarks.append(language.say(.grouped(threadId))) }
        if let category { remarks.append(language.say(.actions(category))) }
        if let collapseId { remarks.append(language.say(.replaces(collapseId))) }
        switch interruptionLevel {
        case .timeSensitive: remarks.append(language.say(.breaksFocus))
        case .critical: remarks.append(language.say(.breaksEverything))
        case .passive: remarks.append(language.say(.passive))
        case .active, nil: break
        }
        return remarks
    }
}

/// The explanation of a push that no person sees.
struct Silence {
    /// The headline, which says that it is not seen.
    var headline: Phrase
    /// The effects it has instead.
    var explanation: [Phrase]

    /// The text in place of a banner.
    ///
    /// Source: `UNNotificationInterruptionLevel.passive`: "adds the notification to the notification list without
    /// lighting up the screen or playing a sound".
    static let passive = Silence(headline: .goesToList, explanation: [.passiveEffect])

    private init(headline: Phrase, explanation: [Phrase]) {
        self.headline = headline
        self.explanation = explanation
    }

    init(_ look: NotificationLook) {
        headline = .nothingShown
        switch look.pushType {
        case .alert, .liveactivity: explanation = Self.effects(of: look)
        case .background: explanation = [.silentEffect]
        case .voip: explanation = [.callEffect]
        case .complication: explanation = [.complicationEffect]
        case .fileprovider: explanation = [.fileEffect]
        case .mdm: explanation = [.mdmEffect]
        case .location: explanation = [.locationEffect]
        case .pushtotalk: explanation = [.talkEffect]
        case .widgets: explanation = [.widgetEffect]
        case .controls: explanation = [.controlEffect]
        }
    }

    /// The effects in words.
    func explained(in language: Language) -> String { language.say(.sideBySide(explanation.map(language.say))) }

    private static func effects(of look: NotificationLook) -> [Phrase] {
        var effects: [Phrase] = []
        if let sound = look.sound { effects.append(.soundPlays(sound.name)) }
        switch look.badge {
        case .number(0): effects.append(.badgeIsRemoved)
        case .number(let number): effects.append(.badgeBecomes(number))
        case .increment: effects.append(.badgeIsMore)
        case nil: break
        }
        return effects.isEmpty ? [.noText] : effects
    }
}

extension Sound {
    /// The file name, or `default`.
    var name: String {
        switch self {
        case .name(let name), .detailed(let name, _, _): name
        }
    }
}

extension NotificationLook {
    /// The effects in place of a notification, in words; nil when a device shows something.
    package func silence(in language: Language) -> String? {
        guard isSilent else { return nil }
        let silence = Silence(self)
        return language.say(.sideBySide([language.say(silence.headline), silence.explained(in: language)]))
    }
}
