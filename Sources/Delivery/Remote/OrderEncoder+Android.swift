internal import Base
package import Push

extension OrderEncoder {
    /// The profiles that push to the Android devices among its audience, of vendors that take the message.
    var androidRoutes: [DeviceProfile] { androidProfiles.filter { untaken(by: $0.vendor) == nil } }

    var androidProfiles: [DeviceProfile] {
        draft.platforms.contains(.android) && !isBroadcast ? draft.profiles.filter { $0.vendor != .apns } : []
    }

    /// The field for which a vendor takes no form of the message at all, and why; nil: it takes it.
    func untaken(by vendor: PushVendor) -> (field: ContentField, why: String)? { Self.untaken(campaign, by: vendor) }

    /// The same for a campaign.
    static func untaken(_ campaign: Campaign, by vendor: PushVendor) -> (field: ContentField, why: String)? {
        guard vendor != .fcm else { return nil }
        for content in campaign.messages.flatMap({ $0.forms(for: .android) }) {
            if content.silent == true {
                if VendorMessage.canBeSilent(vendor) { continue }
                return (.silent, "\(vendor.title) passes no message to the app without showing it")
            }
            for (field, text) in [(ContentField.title, content.title), (.body, content.body)]
            where text?.plainText == nil {
                return (field, "\(vendor.title) takes no message without a title and a body as texts")
            }
        }
        return nil
    }

    func messages(of vendor: PushVendor) -> DeliveryOrder.Messages {
        let own = messages(of: vendor, saying: campaign.message)
        return DeliveryOrder.Messages(
            own: own[0], languages: Array(own.dropFirst()),
            variants: campaign.variantTest == nil ? [] : campaign.messages.map { messages(of: vendor, saying: $0) })
    }

    /// All forms of a message as a vendor gets them.
    private func messages(of vendor: PushVendor, saying message: Message) -> [JSONValue] {
        let id = draft.notificationID.text
        return message.forms(for: .android).map { content in
            VendorMessage.body(
                vendor, content, own: message.vendors[vendor.word], tag: id, reportedAs: eventsKept == nil ? nil : id)
        }
    }

    func androidRoute(_ profile: DeviceProfile) -> DeliveryOrder.Route {
        DeliveryOrder.Route(
            profile: profile.name, vendor: profile.vendor, installations: profile.installations,
            isDefault: isDefault(profile, among: androidRoutes.filter { $0.vendor == profile.vendor }),
            settings: VendorMessage.settings(profile.vendor, profile.options))
    }

    /// The findings about vendors that do not take the message, whose devices are left out; an error where nobody is left.
    var untakenFindings: [Diagnostic] {
        let isNobodyLeft = !reachesApple && androidRoutes.isEmpty
        return PushVendor.allCases.flatMap { vendor -> [Diagnostic] in
            guard androidProfiles.contains(where: { $0.vendor == vendor }), let (field, why) = untaken(by: vendor)
            else { return [] }
            return finding(
                isNobodyLeft ? .error : .warning, .notSupported, campaign.message.path(field, for: .android),
                isNobodyLeft ? why : "\(why): its devices are left out",
                help: field == .silent ? nil : "set both, under android if need be")
        }
    }

    /// The findings about what a vendor does not do, or refuses.
    func findings(of vendor: PushVendor) -> [Diagnostic] {
        guard vendor != .fcm else { return [] }
        var findings: [Diagnostic] = []
        let title = vendor.title
        let messages = campaign.messages.flatMap { self.messages(of: vendor, saying: $0) }
        guard let limits = VendorMessage.limits(vendor) else {
            // What a profile adds to each message counts as well.
            let sizes: [Int] = androidRoutes.filter { $0.vendor == vendor }.flatMap { profile in
                let settings = VendorMessage.settings(vendor, profile.options)
                return messages.map { VendorMessage.size(vendor, $0.completed(by: settings)) }
            }
            if let size = sizes.max(), size > FCMMessage.limit {
                findings.append(
                    PayloadSize.finding(
                        bytes: size, limit: FCMMessage.limit, body: messages[0], what: "the message to \(title)",
                        of: campaign))
            }
            return findings
        }
        let own = campaign.message.vendors[vendor.word]
        let body = [.mi, .miGlobal].contains(vendor) ? "description" : "content"
        for message in messages {
            for (field, name, most) in [(ContentField.title, "title", limits.title), (.body, body, limits.body)] {
                guard let value = message[name], let text = (isPersonal ? value.filled(\.default) : value).string else {
                    continue
                }
                let isOwn = own?[name] != nil
                let path: [FieldPathElement] =
                    isOwn
                    ? ["message", "vendors", .key(vendor.word), .key(name)]
                    : campaign.message.path(field, for: .android)
                if text.allSatisfy(\.isWhitespace) {
                    findings += finding(
                        .error, .notSupported, path, "\(title) takes no empty \(field.rawValue)",
                        help: "write words for the devices without a value: {{firstName|there}}")
                }
                if VendorMessage.drops(vendor, text) {
                    findings += finding(
                        .warning, .notSupported, path,
                        "\(title) drops a \(field.rawValue) that says only '\(text)'",
                        help: "write what its readers are to get")
                }
                guard text.count > most else { continue }
                findings += finding(
                    .error, .notSupported, path,
                    "the \(field.rawValue) has \(text.count) characters, and \(title) takes \(most)",
                    help: isOwn ? "shorten it" : "shorten it, or say it in fewer words under android")
            }
            if let excess = VendorMessage.excess(vendor, isPersonal ? message.filled(\.default) : message) {
                let name = vendor == .vivo ? "clientCustomMap" : "action_parameters"
                let path: [FieldPathElement] =
                    own?[name] != nil
                    ? ["message", "vendors", .key(vendor.word), .key(name)]
                    : campaign.message.path(.data, for: .android)
                findings += finding(
                    .error, .notSupported, path, excess, help: "leave some of it out, under android if need be")
            }
        }
        // What stands under the vendor's name is the same in every language.
        return findings.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The findings about what Android's services do not do.
    var androidFindings: [Diagnostic] {
        guard !androidRoutes.isEmpty else { return [] }
        var findings: [Diagnostic] = []
        if type != .alert, type != .background, reachesApple {
            findings += finding(
                .warning, .notSupported, path(.pushType),
                "push type \(type.rawValue) is Apple's own: Android devices get the message as a notification",
                help: "restrict the campaign with audience.platforms: [ios]")
        }
        for vendor in PushVendor.allCases where androidRoutes.contains(where: { $0.vendor == vendor }) {
            findings += self.findings(of: vendor)
        }
        for vendor in campaign.message.vendors.keys.sorted() where PushVendor(rawValue: vendor) == nil {
            findings += finding(
                .warning, .notSupported, ["message", "vendors", .key(vendor)],
                "this remote does not push through \(vendor): its content is not used")
        }
        return findings
    }
}

extension APNsEncoder {
    package func services(showing campaign: Campaign, by profiles: [DeviceProfile]) -> [ShownService] {
        let channel = campaign.message.content(for: .android).channel
        return PushVendor.allCases.compactMap { vendor in
            let own = profiles.filter { $0.vendor == vendor }
            guard vendor != .apns, !own.isEmpty else { return nil }
            var service = ShownService(vendor)
            service.isLeftOut = OrderEncoder.untaken(campaign, by: vendor) != nil
            for name in vendor == .fcm ? ["channel"] : vendor.fields.options {
                let values = name == "channel" && channel != nil ? [channel] : own.map { $0.options[name]?.formText }
                for value in values.compactMap(\.self) where !service.settings.contains("\(name) \(value)") {
                    service.settings.append("\(name) \(value)")
                }
            }
            let message = VendorMessage.body(
                vendor, campaign.message.content(for: .android), own: campaign.message.vendors[vendor.word],
                tag: "", reportedAs: nil)
            let quotas = own.map {
                VendorMessage.quota(vendor, message.completed(by: VendorMessage.settings(vendor, $0.options)))
            }
            service.mostPerDay = quotas.compactMap(\.perDay).min()
            service.hours = quotas.compactMap(\.hours).first
            let limits = VendorMessage.limits(vendor)
            (service.mostTitle, service.mostBody) = (limits?.title, limits?.body)
            return service
        }
    }
}
