internal import Diagnostics
internal import JSONValue
internal import LocatedYAML
internal import PushModel

/// Reads a campaign's message with its overrides for a platform.
struct MessageReader {
    let context: ReadingContext
    /// The platforms that the audience names; empty: none named.
    let platforms: [Platform]

    /// A message, and where it says nothing.
    struct Result {
        var message: Message
        /// Platforms on which it shows nothing and does nothing.
        var emptyOn: Set<Platform>
    }

    /// The message; nil when it is no mapping.
    func message(_ node: Node, holder: Node) -> Result? {
        let errorsBefore = context.diagnostics.count
        guard let map = reader(node, holder, Label("message"), .common) else { return nil }
        let ios = map[.ios].flatMap { reader($0, map.key(.ios), map.label(.ios), .ios) }
        let android = map[.android].flatMap { reader($0, map.key(.android), map.label(.android), .android) }
        let message = Message(
            common: content(map), ios: ios.map(content), android: android.map(content),
            vendors: map.map(.vendors, of: VendorField.self).map(vendors) ?? [:])
        if platforms != [.android] {
            checkPushType(message, map, ios)
            checkLiveActivity(message.content(for: .ios), map, ios)
        }
        if map.has(.deliveryKey) || ios?.has(.deliveryKey) == true || android?.has(.deliveryKey) == true {
            checkDeliveryKey(message.content(for: .ios), ios, map)
            checkDeliveryKey(message.content(for: .android), android, map)
        }
        // A message that cannot be read may well have something to show.
        let isClean = context.diagnostics.count == errorsBefore
        return Result(message: message, emptyOn: isClean ? emptyPlatforms(message) : [])
    }

    private func reader(
        _ node: Node, _ holder: Node, _ label: Label, _ scope: MessageField.Scope
    ) -> MapReader<MessageField>? {
        MapReader(node, holder: holder, label: label, in: context) { field in
            if field.isAllowed(in: scope) { return nil }
            return field.isAllowed(in: .android)
                ? "; it belongs in 'android'" : "; it belongs in 'message' itself"
        }
    }

    private func vendors(_ map: MapReader<VendorField>) -> JSONObject {
        var vendors: JSONObject = [:]
        for field in VendorField.allCases {
            guard let node = map[field] else { continue }
            vendors[map.label(field).name] = .object(object(node, map.type(field), map.label(field)))
        }
        return vendors
    }

    /// A mapping of free keys.
    func object(_ node: Node, _ type: FieldType, _ label: Label) -> JSONObject {
        guard node.kind == .mapping, case .object(let rule) = type else {
            context.wrongType(node, type, label)
            return [:]
        }
        var members: JSONObject = [:]
        for entry in node.entries {
            let name = entry.key.text ?? ""
            if let problem = rule.problem(with: name, label) {
                context.report(problem.code, problem.message, at: entry.key, help: problem.help)
            }
            members[name] = entry.value.json(reportingTo: &context.diagnostics)
        }
        return members
    }
}

extension MessageReader {
    /// What a background push may not have, as a device would see it.
    private func checkPushType(
        _ message: Message, _ common: MapReader<MessageField>, _ ios: MapReader<MessageField>?
    ) {
        func map(having field: MessageField) -> MapReader<MessageField>? {
            if let ios, ios.has(field) { return ios }
            return common.has(field) ? common : nil
        }
        guard map(having: .contentAvailable) != nil || map(having: .pushType) != nil else { return }
        let content = message.content(for: .ios)
        guard content.effectivePushType == .background else { return }
        for field in [MessageField.title, .subtitle, .body, .badge, .sound] {
            guard let map = map(having: field) else { continue }
            map.report(
                .pushType, "a background push has no '\(map.label(field).name)'", atKeyOf: field,
                help: "leave out pushType to show it")
        }
        if let priority = content.priority, priority != 5, let map = map(having: .priority) {
            map.report(.pushType, "a background push has priority 5, not \(priority)", atKeyOf: .priority)
        }
    }

    private func checkDeliveryKey(
        _ content: MessageContent, _ override: MapReader<MessageField>?, _ common: MapReader<MessageField>
    ) {
        guard let key = content.deliveryKey, content.data?[key] != nil else { return }
        let map = override?.has(.deliveryKey) == true ? override ?? common : common
        map.report(.conflictingKeys, "'deliveryKey' and 'data' both set \(quoted(key))", atKeyOf: .deliveryKey)
    }

    private func emptyPlatforms(_ message: Message) -> Set<Platform> {
        guard !message.common.isVisible else { return [] }
        return Set(
            Platform.allCases.filter { platform in
                let content = message.content(for: platform)
                if content.isVisible || content.contentAvailable == true { return false }
                switch platform {
                case .ios: return content.effectivePushType == .alert || content.effectivePushType == .background
                case .android: return content.silent != true && message.vendors.isEmpty
                }
            })
    }
}
