// The app's side of a push, task by task. Copy what you need; Xcode builds it in an app with the product BugleClient.
import BugleClient
import UIKit
import UserNotifications

/// The one client of the app, in the container that its extensions share.
enum Push {
    static let group = "group.com.example.giants"

    static let client: BugleClient? = {
        guard let server = URL(string: "https://push.example.com"),
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        else { return nil }
        var settings = ClientSettings(server: server, appID: "APP_ID", appKey: "APP_KEY")
        settings.topic = Bundle.main.bundleIdentifier
        settings.languageField = "language"
        #if DEBUG
            settings.deviceProfile = "driver-development"
        #endif
        return try? BugleClient(settings, folder: folder)
    }()
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        addCategories()
        // The token may have changed, and a silent push needs no permission: ask for it at every start.
        application.registerForRemoteNotifications()
        return true
    }

    // MARK: Asking for permission

    /// Call it when a person understands what for, not at the first start.
    func askForPermission() async throws -> Bool {
        try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound])
    }

    /// Quiet notifications without asking: they go to the notification center only, where people decide.
    func beginQuietly() async throws {
        _ = try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .provisional])
    }

    // MARK: Registering

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        Task { try await Push.client?.register(token: token) }
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        // A simulator without an account, a missing entitlement, or no network: the next start asks again.
        print("no token: \(error)")
    }

    // MARK: Channels, fields, the badge

    func follow(_ team: String) async throws { try await Push.client?.subscribe(team) }

    func unfollow(_ team: String) async throws { try await Push.client?.unsubscribe(team) }

    /// Fields by which segments and `{{firstName|there}}` choose.
    func signIn(_ userID: String, firstName: String) async throws {
        try await Push.client?.set("userId", to: .text(userID))
        try await Push.client?.set("firstName", to: .text(firstName))
    }

    /// What follows belongs to the next person: nothing of the last one stays with the device.
    func logOut() async throws {
        try await Push.client?.set("userId", to: nil)
        try await Push.client?.set("firstName", to: nil)
        try await Push.client?.unsubscribe("Giants", "Dodgers")
        UNUserNotificationCenter.current().removeAllDeliveredNotifications()
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        UNUserNotificationCenter.current().setBadgeCount(0)
        Task {
            try await Push.client?.resetBadge()
            // Events that the extension left, and what could not be sent before.
            await Push.client?.sync()
        }
    }

    // MARK: While the app is in front

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        try? Push.client?.events.add(.received, of: notification.request.content.userInfo)
        return [.banner, .list, .sound, .badge]
    }

    // MARK: Tapped, removed, or answered by a button

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {
        let userInfo = response.notification.request.content.userInfo
        switch response.actionIdentifier {
        case UNNotificationDismissActionIdentifier:
            _ = try? await Push.client?.report(.dismissed, of: userInfo)
        case "reply":
            _ = try? await Push.client?.report(.opened, of: userInfo)
            if let text = (response as? UNTextInputNotificationResponse)?.userText { answer(text) }
        default:
            _ = try? await Push.client?.report(.opened, of: userInfo)
            if let page = userInfo["url"] as? String, let url = URL(string: page) { open(url) }
        }
    }

    /// The buttons of notifications with `category: match`; without `customDismissAction` nobody tells what was removed.
    func addCategories() {
        let open = UNNotificationAction(identifier: "open", title: "Watch", options: [.foreground])
        let reply = UNTextInputNotificationAction(identifier: "reply", title: "Reply", options: [])
        let category = UNNotificationCategory(
            identifier: "match", actions: [open, reply], intentIdentifiers: [], options: [.customDismissAction])
        UNUserNotificationCenter.current().setNotificationCategories([category])
    }

    // MARK: Silent pushes

    /// `contentAvailable: true`, with the background mode "remote notifications": 30 seconds, a few times an hour.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        _ = try? await Push.client?.report(.received, of: userInfo)
        return await refresh() ? .newData : .noData
    }

    // MARK: The app's own

    private func answer(_ text: String) {}
    private func open(_ url: URL) {}
    private func refresh() async -> Bool { true }
}
