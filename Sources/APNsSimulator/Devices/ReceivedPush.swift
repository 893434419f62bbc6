/// A notification that reached a device.
package struct ReceivedPush: Hashable, Sendable {
    /// `apns-id`, made by the simulator when the request had none; of a broadcast, its `apns-request-id`.
    package var id: String
    /// `apns-topic`.
    package var topic: String
    /// `apns-push-type`; nil when it was absent.
    package var pushType: String?
    /// `apns-priority`; 10 when it was absent.
    package var priority: Int
    /// `apns-expiration`, in seconds of UNIX time; nil when it was absent, which is not zero.
    package var expiration: Int64?
    /// `apns-collapse-id`.
    package var collapseID: String?
    /// The channel of a broadcast.
    package var channelID: String?
    /// The payload as it came.
    package var payload: [UInt8]
    /// When, in milliseconds of UNIX time.
    package var receivedAt: Int64
    /// Whether a later one with its collapse id took its place on the screen.
    package var isCollapsed = false
    /// Whether the device had one with the same `apns-id` before.
    package var isRepeated = false
}

/// How many devices got something.
package struct InboxSummary: Hashable, Sendable {
    /// Devices that got at least one.
    package var devices = 0
    /// Notifications that all of them got.
    package var messages = 0
    /// Those that a device had got before: with the same `apns-id`, or, where only counts are kept, any after the first.
    package var duplicates = 0

    /// A summary.
    package init(devices: Int = 0, messages: Int = 0, duplicates: Int = 0) {
        self.devices = devices
        self.messages = messages
        self.duplicates = duplicates
    }
}
