/// Something that happened to a notification on this device.
public enum NotificationEvent: String, Codable, Hashable, Sendable {
    /// It arrived: reported by a notification service extension, or by the app that got it.
    case received
    /// A person opened the app by it.
    case opened
    /// A person removed it; only notifications of a category with `customDismissAction` tell.
    case dismissed
}

/// A notification's payload, as far as this package reads it.
public enum NotificationPayload {
    /// Returns the id of the delivery that a payload names; nil for one that counts no events, or is of another service.
    ///
    /// - Parameter userInfo: `UNNotificationContent.userInfo`, or the dictionary of the app delegate.
    /// - Returns: the id, as the server knows it.
    public static func delivery(in userInfo: [AnyHashable: Any]) -> String? {
        guard let delivery = (userInfo["bugle"] as? [String: Any])?["delivery"] as? String,
            (1...64).contains(delivery.utf8.count), delivery.utf8.allSatisfy(isLetterOrDigit)
        else { return nil }
        return delivery
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
