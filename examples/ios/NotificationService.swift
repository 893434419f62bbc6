// The notification service extension: it runs for a push with `mutableContent: true`, before the notification is shown.
import BugleClient
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private var deliver: ((UNNotificationContent) -> Void)?
    private var content: UNMutableNotificationContent?
    private var download: URLSessionDownloadTask?

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler deliver: @escaping (UNNotificationContent) -> Void
    ) {
        self.deliver = deliver
        content = request.content.mutableCopy() as? UNMutableNotificationContent
        // One file in the App Group's container, which the app sends when it is opened next.
        if let folder = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: "group.com.example.giants")
        {
            try? EventQueue(folder: folder).add(.received, of: request.content.userInfo)
        }
        guard let image = request.content.userInfo["image"] as? String, let url = URL(string: image) else {
            return finish()
        }
        download = URLSession.shared.downloadTask(with: url) { [weak self] file, _, _ in
            if let file { self?.attach(file, named: url.lastPathComponent) }
            self?.finish()
        }
        download?.resume()
    }

    /// The time is over: what is there is shown.
    override func serviceExtensionTimeWillExpire() {
        download?.cancel()
        finish()
    }

    private func attach(_ file: URL, named name: String) {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + "-" + name)
        try? FileManager.default.moveItem(at: file, to: place)
        guard let image = try? UNNotificationAttachment(identifier: "image", url: place) else { return }
        content?.attachments = [image]
    }

    private func finish() {
        if let content { deliver?(content) }
        deliver = nil
    }
}
