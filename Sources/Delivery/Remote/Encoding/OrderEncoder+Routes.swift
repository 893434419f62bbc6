internal import Base
internal import Push

extension OrderEncoder {
    /// The profiles to push with: the one that the audience names, otherwise all that may push this type.
    ///
    /// A profile whose topic is for another push type is not used.
    var routes: [DeviceProfile] {
        let fitting = draft.profiles.filter { type.fits(topic: $0.topic) }
        guard let topic = draft.broadcasts.first?.broadcast?.topic else { return fitting }
        return Array(fitting.filter { type.bundleID(of: $0.topic) == topic }.prefix(1))
    }

    /// True when this profile also reaches installations that name no profile: it is the default, or the only one that
    /// can.
    func isDefault(_ profile: DeviceProfile) -> Bool {
        profile.isDefault || routes.count == 1 && !draft.profiles.contains(where: \.isDefault)
    }

    /// The findings about the profiles to push with.
    var routeFindings: [Diagnostic] {
        let routes = self.routes
        if routes.isEmpty { return missingRoute }
        var findings = routes.flatMap(findings(of:))
        if !isBroadcast, !routes.contains(where: isDefault) {
            findings.append(
                finding(
                    .warning, .notSupported, ["audience"],
                    "no DeviceProfile of \(campaign.environment.rawValue) that can push it is marked as the default: "
                        + "devices that name no profile are left out",
                    help: "set 'default: true' in one of \(routes.map(\.name).joined(separator: ", "))"))
        }
        return findings
    }

    private var missingRoute: [Diagnostic] {
        if let topic = draft.broadcasts.first?.broadcast?.topic, !draft.profiles.isEmpty {
            return [
                finding(
                    .error, .notSupported, ["audience", "channels"],
                    "no DeviceProfile of environment \(campaign.environment.rawValue) has the broadcast channel's topic "
                        + quoted(topic),
                    help: "declare a DeviceProfile with that topic")
            ]
        }
        guard let other = draft.profiles.first else {
            return [
                finding(
                    .error, .notSupported, campaign.audience.deviceProfile == nil ? ["environment"] : ["audience"],
                    "no DeviceProfile of environment \(campaign.environment.rawValue) is in the files: Apple needs one",
                    help: "declare a DeviceProfile with the app's topic and its certificate or key")
            ]
        }
        let fit = PushType(ofTopic: other.topic)?.rawValue ?? ""
        return [
            finding(
                .error, .pushType,
                campaign.audience.deviceProfile == nil ? ["environment"] : ["audience", "deviceProfile"],
                "topic \(quoted(other.topic)) fits push type \(fit) only, not \(type.rawValue)")
        ]
    }

    private func findings(of profile: DeviceProfile) -> [Diagnostic] {
        switch profile.credential {
        case .token: return []
        case .certificate: break
        }
        let place = RelatedPlace("the profile", at: profile.origin.range(of: ["certificate"]))
        if type == .location {
            return [
                finding(
                    .error, .notSupported, path(.pushType),
                    "device profile \(quoted(profile.name)) has a certificate, and Apple accepts "
                        + "location pushes with a key only",
                    help: "add a 'token' to the profile", related: [place])
            ]
        }
        let topic = isBroadcast ? type.bundleID(of: profile.topic) : type.apnsTopic(of: profile.topic)
        guard let topics = profile.facts?.topics, !topics.isEmpty, !topics.contains(topic) else { return [] }
        return [
            finding(
                .error, .certificate, path(.pushType),
                "the certificate of device profile \(quoted(profile.name)) is not for topic \(topic), "
                    + "which push type \(type.rawValue) needs, but for \(topics.joined(separator: ", "))",
                help: "use a certificate with that topic, or a 'token', which covers all topics", related: [place])
        ]
    }
}
