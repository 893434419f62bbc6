internal import DeviceRegistry
internal import Phrasebook
internal import PushModel

/// The frame around the content of every page.
struct PageFrame {
    /// The page's name.
    let title: String
    /// The app's id.
    let application: String
    /// The token that forms send; empty without a session.
    let token: String
    let isLoggedIn: Bool
    let isOverview: Bool
    let isPushes: Bool
    let isInstallations: Bool
    /// True if somebody is logged in and all of the server's devices are simulated.
    let isSimulated: Bool
    /// The outcome of the last action.
    let notice: NoticeView?
    /// The address of the page's event stream; `nil` when nothing on the page changes.
    let events: String?
    /// True if the person may send and cancel.
    var mayAct = true
    /// The text in the search box.
    var search = ""
    let clock: ClockView
    let styleVersion = StaticFile.style.version
    let scriptVersion = StaticFile.script.version
    let iconVersion = StaticFile.icon.version
}

/// A page: its frame and its content.
struct PageView<Content> {
    let frame: PageFrame
    let content: Content
}

struct NoticeView {
    let noticeText: String
    let isProblem: Bool

    init(_ notice: Notice) {
        noticeText = notice.text
        isProblem = notice.isProblem
    }
}

/// The server's time.
struct ClockView {
    let iso: String
    let day: String
    let time: String

    init(for viewer: Viewer) {
        iso = viewer.now.isoText
        day = viewer.language.day(viewer.now.instant)
        time = String(viewer.language.dayAndTime(viewer.now.instant).suffix(8))
    }
}

/// A point in time, exact and relative to now.
struct InstantView {
    let iso: String
    let text: String
    let distance: String

    init(_ instant: Instant, for viewer: Viewer) {
        iso = instant.isoText
        text = viewer.language.dayAndTime(instant.instant)
        distance = instant.distance(for: viewer)
    }
}

/// A page that shows only a message.
struct MessageView {
    let heading: String
    let text: String
}

/// The login form.
struct LoginView {
    /// The problem with the last attempt; empty at first.
    let problem: String
}
