package import PushModel

/// A notification as a device shows it, drawn from what the message says.
package struct NotificationDrawing: Sendable {
    private let look: NotificationLook
    private let app: String
    private let strings: LocalizedStrings?

    /// Draws a notification of an app.
    ///
    /// - Parameters:
    ///   - app: the app's name, shown where the system shows it.
    ///   - strings: the texts of the app's keys; nil: keys are shown as they are.
    package init(_ look: NotificationLook, app: String, strings: LocalizedStrings? = nil) {
        self.look = look
        self.app = app
        self.strings = strings
    }
}
