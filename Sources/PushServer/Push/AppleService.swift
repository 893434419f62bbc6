package import Base
package import Delivery
internal import DeviceRegistry
package import Push

/// The service that sends pushes to Apple: the profiles of a workspace, and senders made from their credentials.
package struct AppleService: Sendable {
    /// The profiles to push with. One without ``DeviceProfile/facts`` has no credential here and cannot push.
    package var profiles: [DeviceProfile]
    /// The profiles that push to Apple's devices.
    var apple: [DeviceProfile] { profiles.filter { $0.vendor == .apns } }
    /// The services that pushes go to: Apple's too where there is no profile at all, so that it is said.
    var vendors: Set<PushVendor> { profiles.isEmpty ? [.apns] : Set(profiles.map(\.vendor)) }
    /// The service of each profile, by its name.
    var vendorsByProfile: [String: PushVendor] {
        Dictionary(profiles.map { ($0.name, $0.vendor) }) { first, _ in first }
    }
    /// The provider of each profile's sender; its creator closes it after the server has stopped.
    package var senders: any SenderProviding
    /// Closes the senders once another service has taken over and no push uses them; does nothing by default.
    package var close: @Sendable () async -> Void

    /// The app on the console's phones; nil for the app's id.
    package var app: ShownApp?

    /// The most devices a push by a development profile may reach; default 20,000.
    ///
    /// Source: docs/background/leancloud/push.md#limits.
    package var mostDevelopmentDevices = Registry.mostDevelopmentDevices

    /// The settings of a delivery run. One that does not reach Apple, or has to wait, ends soon: its push's record says
    /// so, and others are sent meanwhile.
    package var settings = DeliverySettings(retries: 1, longestWait: .seconds(5))
    /// The failed connection attempts in a row of its senders before a batch ends: each may take the whole time for a
    /// connection, and an apply waits a minute for what the record says.
    package static let connectAttempts = 2
    /// The time a push waits when Apple cannot be reached.
    package var retryPause = Backoff(first: .seconds(2), longest: .seconds(480))

    /// The time after a push's last response during which it may still continue; that of its record.
    ///
    /// Source: docs/background/leancloud/records.md#records.
    static let window = Duration.seconds(7 * 86_400)

    package init(
        profiles: [DeviceProfile], senders: any SenderProviding, app: ShownApp? = nil,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.profiles = profiles
        self.senders = senders
        self.app = app
        self.close = close
    }

    /// True if a profile can push at a time: its credential is available and has not expired.
    func isUsable(_ profile: DeviceProfile, at now: Instant) -> Bool {
        guard let facts = profile.facts else { return false }
        return facts.expiresAt.map { $0 > now } ?? true
    }
}

extension [DeviceProfile] {
    /// Whose devices the profiles reach whose credentials are here, by service; nil: nobody's.
    package var reach: String? {
        var parts: [String] = []
        for vendor in PushVendor.allCases {
            let names = filter { $0.vendor == vendor && $0.facts != nil }.map(\.name)
            if names.isEmpty { continue }
            let verb = parts.isEmpty ? "devices are reached by" : "by"
            parts.append("\(vendor.title)'s \(verb) \(names.joined(separator: ", "))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension AppleService {
    /// The routes of an order to Android devices: the usable profiles of its environment.
    func androidRoutes(_ order: PushOrder, at now: Instant) -> [DeliveryOrder.Route] {
        let environment: PushEnvironment = order.environment == "dev" ? .development : .production
        let declared = profiles.filter { profile in
            profile.vendor != .apns && profile.environment == environment && order.mayReach(profile.vendor)
        }
        return declared.filter { isUsable($0, at: now) }.map { profile in
            // Also those that cannot push here: the devices of one app have no addresses of another's.
            let rivals = declared.filter { $0.vendor == profile.vendor }
            return DeliveryOrder.Route(
                profile: profile.name, vendor: profile.vendor, installations: profile.installations,
                isDefault: profile.isDefault || rivals.count == 1,
                settings: VendorMessage.settings(profile.vendor, profile.options))
        }
    }
}

/// The profiles that push an order to Apple.
///
/// `prod` chooses the environment unless a profile is named, whose environment then wins. A device uses the profile it
/// names; devices that name none use the one meant by `topic`, otherwise the default of the environment.
/// Source: docs/background/leancloud/push.md#push-by-query, docs/background/leancloud/push.md#push-by-device,
/// docs/background/leancloud/push.md#certificates.
struct AppleRoutes {
    /// The environment; a delivery has only one.
    let environment: PushEnvironment
    /// The routes, at least one.
    let routes: [DeliveryOrder.Route]

    /// Chooses the profiles.
    ///
    /// - Throws: ``APIError`` with code 1 if there is none, or if the one meant cannot push.
    init(_ order: PushOrder, _ type: PushType, _ service: AppleService, at now: Instant) throws(APIError) {
        if let name = order.apple.profile ?? order.onlyProfile {
            guard let profile = service.apple.first(where: { $0.installations == name }) else {
                throw APIError(400, 1, "No DeviceProfile of the server's workspace is named \(name.cut(to: 64)).")
            }
            guard profile.pushes(type) else { throw Self.unfit(type) }
            guard service.isUsable(profile, at: now) else { throw APIError.certificateExpired }
            environment = profile.environment
            // Tokens alone do not tell which profile unregistered devices use.
            routes = [Self.route(profile, type, isDefault: order.apple.profile != nil || profile.isDefault)]
            return
        }
        let environment: PushEnvironment = order.environment == "dev" ? .development : .production
        let declared = service.apple.filter { $0.environment == environment && $0.isOf(order.apple.teamID) }
        guard !declared.isEmpty else { throw APIError.noCertificate(environment) }
        let fitting = declared.filter { $0.pushes(type) }
        guard !fitting.isEmpty else { throw Self.unfit(type) }
        let main = try Self.main(of: fitting, order.apple.topic, type)
        let usable = fitting.filter { service.isUsable($0, at: now) }
        guard !usable.isEmpty, main.map({ service.isUsable($0, at: now) }) ?? true else {
            throw APIError.certificateExpired
        }
        self.environment = environment
        routes = usable.map { Self.route($0, type, isDefault: $0.name == main?.name) }
    }

    /// The profile for devices that name none.
    private static func main(
        of profiles: [DeviceProfile], _ topic: String?, _ type: PushType
    ) throws(APIError) -> DeviceProfile? {
        let main = profiles.first(where: \.isDefault) ?? (profiles.count == 1 ? profiles.first : nil)
        guard let topic else { return main }
        func isMeant(_ profile: DeviceProfile) -> Bool {
            type.bundleID(of: profile.topic) == topic || type.apnsTopic(of: profile.topic) == topic
        }
        if let main, isMeant(main) { return main }
        if let meant = profiles.first(where: isMeant) { return meant }
        // A certificate brings its own topic.
        if let main, case .certificate = main.credential { return main }
        throw APIError(400, 1, "No DeviceProfile pushes to the topic \(topic.cut(to: 255)).")
    }

    private static func route(_ profile: DeviceProfile, _ type: PushType, isDefault: Bool) -> DeliveryOrder.Route {
        DeliveryOrder.Route(
            profile: profile.name, installations: profile.installations, topic: type.bundleID(of: profile.topic),
            apnsTopic: type.apnsTopic(of: profile.topic),
            isDefault: isDefault)
    }

    private static func unfit(_ type: PushType) -> APIError {
        APIError(400, 1, "No DeviceProfile has a topic for apns-push-type \(type.rawValue).")
    }
}

extension DeviceProfile {
    /// True if the profile's topic suits a push type and its certificate, if available, covers that topic.
    fileprivate func pushes(_ type: PushType) -> Bool {
        guard type.fits(topic: topic) else { return false }
        guard let topics = facts?.topics, !topics.isEmpty else { return true }
        return topics.contains(type.apnsTopic(of: topic))
    }

    /// True if the profile may push for a team; a certificate names no team.
    fileprivate func isOf(_ team: String?) -> Bool {
        guard let team, case .token(let teamID, _, _) = credential else { return true }
        return teamID == team
    }
}

extension APIError {
    /// The error when the certificate meant for a push cannot be used. Source:
    /// docs/background/leancloud/push.md#refusals.
    static let certificateExpired = APIError(400, 1, "The iOS certificate file is expired or disabled.")

    /// The error when an environment has no certificate; LeanCloud was seen to send this text for development.
    ///
    /// Source: docs/background/leancloud/push.md#refusals.
    static func noCertificate(_ environment: PushEnvironment) -> APIError {
        switch environment {
        case .production: APIError(400, 1, "找不到 iOS 生产环境推送证书 (no DeviceProfile of 'production')")
        case .development: APIError(400, 1, "找不到 iOS 测试环境推送证书 (no DeviceProfile of 'development')")
        }
    }

    /// The error when a push can only mean Android devices, and no profile of its environment can push to them.
    static func noAndroidProfile(_ environment: String) -> APIError {
        let environment: PushEnvironment = environment == "dev" ? .development : .production
        return APIError(400, 1, "No DeviceProfile of '\(environment.rawValue)' can push to Android devices here.")
    }

    /// The error when a push can only mean Android devices, and no vendor that is served here takes its message.
    static let notForAndroid = APIError(
        400, 1, "No vendor of Android devices takes this message here: it shows no title and text.")
}
