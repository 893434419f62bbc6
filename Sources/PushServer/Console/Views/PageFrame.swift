internal import DeviceRegistry
internal import PushReport
internal import Push

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
    /// The form for the time zone; nil without a session.
    var zone: ZoneForm?
    /// The element to which the drawings of phones refer; empty when they need none.
    var icons = ""
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
    let zone: String

    init(for viewer: Viewer) {
        iso = viewer.now.isoText
        let local = viewer.local(viewer.now)
        day = viewer.language.day(local)
        time = String(viewer.language.dayAndTime(local).suffix(8))
        zone = viewer.zoneName
    }
}

/// A point in time, exact and relative to now.
struct InstantView {
    let iso: String
    /// The day and the time in the viewer's zone, with its name.
    let text: String
    let distance: String

    init(_ instant: Instant, for viewer: Viewer) {
        iso = instant.isoText
        text = viewer.language.dayAndTime(viewer.local(instant)) + " " + viewer.zoneName
        distance = instant.distance(for: viewer)
    }
}

/// The form for the time zone of the page.
struct ZoneForm {
    let zone: String
    /// The address of the page.
    let back: String
    /// The zones that the browser offers.
    let zones = [
        "UTC", "America/Los_Angeles", "America/New_York", "Europe/London", "Europe/Berlin", "Asia/Kolkata",
        "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney",
    ]
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
