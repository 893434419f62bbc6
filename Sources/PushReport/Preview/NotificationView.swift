package import Push

extension NotificationDrawing {
    /// A place where the system shows a notification.
    package enum View: String, Hashable, Sendable, CaseIterable {
        /// The lock screen of an iPhone.
        case lockScreen
        /// The banner over an iPhone's home screen.
        case banner
        /// The notification on an iPhone, expanded by a long press.
        case expanded
        /// The shade of an Android device.
        case shade
        /// The notification in an Android shade, expanded.
        case openShade

        /// The platform of the view.
        package var platform: Platform {
            switch self {
            case .lockScreen, .banner, .expanded: .ios
            case .shade, .openShade: .android
            }
        }

        /// The view's name, for headings.
        var label: Phrase {
            switch self {
            case .lockScreen: .lockScreen
            case .banner: .banner
            case .expanded: .expanded
            case .shade: .shade
            case .openShade: .openShade
            }
        }

        /// The maximum numbers of lines for the title, the subtitle and the body.
        ///
        /// Neither system documents them. iOS: "banners get truncated around 62 characters or 2 lines, the notification
        /// center and the lock screen around 4 lines", and Braze's lengths for them (80 and 160 characters); expanded
        /// it scrolls, so that the bound is a screen's height. Android: `DecoratedContentView` collapsed has one line;
        /// `BigTextStyle` is shown to about 600 characters, twelve lines.
        var limits: (title: Int, subtitle: Int, body: Int) {
            switch self {
            case .lockScreen: (1, 1, 4)
            case .banner: (1, 1, 2)
            case .expanded: (2, 2, 24)
            case .shade: (1, 0, 1)
            case .openShade: (1, 0, 12)
            }
        }
    }
}
