internal import Base
internal import Push

/// The visible part of a notification in a view, with its texts broken into lines and cut: every format is drawn from
/// it.
struct ShownNotification: Hashable {
    /// The app's name, on one line.
    var app: BrokenText
    /// The first line; an iPhone shows the app's name if there is no title.
    var title: BrokenText?
    /// The second line.
    var subtitle: BrokenText?
    /// The body text.
    var body: BrokenText?
    /// The interruption mark that the system writes above the title.
    var mark: Mark?
    /// The picture.
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
        /// The host of its address.
        var host: String
        /// Its file name.
        var file: String

        init(_ address: String) {
            let path = address.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }.prefix { $0 != "?" && $0 != "#" }
            host = String(path.prefix { $0 != "/" })
            file = path.split(separator: "/").dropFirst().last.map(String.init) ?? ""
        }
    }

    /// Lays out a look for a view of an app.
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
