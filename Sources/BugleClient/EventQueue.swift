public import Foundation

/// The events that wait to be reported, in a folder that an app shares with its extensions.
///
/// Each event is one file, written whole or not at all: two processes need no lock, a killed one leaves nothing half,
/// and the same event of the same delivery is the same file.
public struct EventQueue: Sendable {
    /// The most waiting events; further ones are dropped.
    public static let mostEvents = 1000

    private let folder: URL

    /// Opens the queue in a folder; it is made when the first event comes.
    ///
    /// - Parameter folder: for a service extension too, a folder of the App Group's container.
    public init(folder: URL) { self.folder = folder.appendingPathComponent("events", isDirectory: true) }

    /// Keeps an event until it is reported; does nothing for a payload that names no delivery.
    ///
    /// It returns when the event is on disk, and sends nothing: quick enough for a service extension.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - userInfo: the notification's payload.
    ///   - time: the time of the event.
    /// - Throws: the file system's error when it cannot be written.
    public func add(_ event: NotificationEvent, of userInfo: [AnyHashable: Any], at time: Date = Date()) throws {
        guard let delivery = NotificationPayload.delivery(in: userInfo) else { return }
        let waiting = WaitingEvent(delivery: delivery, event: event, time: time)
        let file = folder.appendingPathComponent(waiting.fileName)
        guard !FileManager.default.fileExists(atPath: file.path), names.count < Self.mostEvents else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(waiting).write(to: file, options: .atomic)
    }

    /// The number of waiting events.
    public var count: Int { names.count }

    private var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".json") }.sorted()
    }

    /// Returns the waiting events, the oldest first; those from before a time, and what is no event, are removed.
    func waiting(since: Date) -> [WaitingEvent] {
        var events: [WaitingEvent] = []
        for name in names {
            let file = folder.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: file) else { continue }
            guard let event = try? JSONDecoder().decode(WaitingEvent.self, from: data), event.fileName == name,
                event.time >= since
            else {
                try? FileManager.default.removeItem(at: file)
                continue
            }
            events.append(event)
        }
        return events.sorted { $0.time < $1.time }
    }

    /// Removes events.
    func remove(_ events: [WaitingEvent]) {
        for event in events { try? FileManager.default.removeItem(at: folder.appendingPathComponent(event.fileName)) }
    }
}

/// An event that waits to be reported.
struct WaitingEvent: Codable, Hashable, Sendable {
    let delivery: String
    let event: NotificationEvent
    let time: Date

    var fileName: String { "\(delivery)-\(event.rawValue).json" }

    /// The event as the server takes it.
    func json(installation: String) -> [String: Any] {
        [
            "delivery": delivery, "installation": installation, "event": event.rawValue,
            "at": Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time),
        ]
    }
}

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
