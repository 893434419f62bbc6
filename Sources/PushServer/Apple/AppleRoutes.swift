internal import Delivery
internal import DeviceRegistry
internal import Push

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
            guard let profile = service.profiles.first(where: { $0.name == name }) else {
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
        let declared = service.profiles.filter { $0.environment == environment && $0.isOf(order.apple.teamID) }
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
            profile: profile.name, topic: type.bundleID(of: profile.topic),
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
}
