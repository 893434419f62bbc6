internal import Diagnostics
internal import LocatedYAML
internal import PushModel

extension MessageReader {
    /// The fields of one scope.
    func content(_ map: MapReader<MessageField>) -> MessageContent {
        var content = MessageContent()
        content.title = text(.title, map)
        content.subtitle = text(.subtitle, map)
        content.body = text(.body, map)
        content.badge = map[.badge].flatMap { badge($0, map) }
        content.sound = map[.sound].flatMap { sound($0, map) }
        content.category = map.string(.category)
        content.threadId = map.string(.threadId)
        content.targetContentId = map.string(.targetContentId)
        content.launchImage = map.string(.launchImage)
        content.filterCriteria = map.string(.filterCriteria)
        content.interruptionLevel = map.choice(.interruptionLevel, as: InterruptionLevel.self)
        content.relevanceScore = map.number(.relevanceScore)
        content.mutableContent = map.flag(.mutableContent)
        content.contentAvailable = map.flag(.contentAvailable)
        content.collapseId = map.string(.collapseId)
        content.priority = map.integer(.priority)
        content.pushType = map.choice(.pushType, as: PushType.self)
        content.liveActivity = map.map(.liveActivity, of: LiveActivityField.self).flatMap(liveActivity)
        content.data = map[.data].map { object($0, map.type(.data), map.label(.data)) }
        content.deliveryKey = map.string(.deliveryKey)
        content.silent = map.flag(.silent)
        content.action = map.string(.action)
        content.channel = map.string(.channel)
        return content
    }

    private func text(_ field: MessageField, _ map: MapReader<MessageField>) -> LocalizableText? {
        guard let node = map[field] else { return nil }
        guard node.kind == .mapping else {
            let isCut = isCutByComment(node)
            guard let text = node.string else {
                let help = "'#' begins a comment: put the text in quotes"
                context.wrongType(node, map.type(field), map.label(field), help: isCut ? help : nil)
                return nil
            }
            if isCut {
                context.diagnostics.append(
                    Diagnostic(
                        .warning, .invalidValue, "\(map.label(field).text) ends where '#' begins a comment",
                        at: node.range, help: "put the text in quotes if the rest of the line is part of it"))
            }
            return context.string(node, .text, map.label(field)).map { _ in LocalizableText.text(text) }
        }
        guard let inner = map.map(field, of: LocalizableField.self) else { return nil }
        let arguments = inner[.args].flatMap { self.arguments($0, inner) } ?? []
        return inner.string(.key).map { .localized(key: $0, arguments: arguments) }
    }

    /// Whether a text without quotes is followed by what may be meant as its end: `We are #1`.
    private func isCutByComment(_ node: Node) -> Bool {
        guard let column = context.hashes[node.range.end.line], node.range.start.line == node.range.end.line else {
            return false
        }
        let end = node.range.start.column + (node.string?.unicodeScalars.count ?? 0)
        return column == end + 1
    }

    /// The arguments, in order; the same may stand twice.
    private func arguments(_ node: Node, _ map: MapReader<LocalizableField>) -> [String]? {
        guard case .list(let type, _) = map.type(.args) else { return nil }
        let label = map.label(.args).element
        return map.elements(.args)?.compactMap { context.string($0, type, label) }
    }

    private func badge(_ node: Node, _ map: MapReader<MessageField>) -> Badge? {
        if node.string != nil {
            _ = context.string(node, map.type(.badge), map.label(.badge))
            return .increment
        }
        if node.text?.hasPrefix("+") == true {
            context.report(
                .invalidValue, "'badge' is set to a number, not raised by it", at: node,
                help: "write increment to add one, or the number without '+'")
        }
        return context.integer(node, map.type(.badge), map.label(.badge)).map(Badge.number)
    }

    private func sound(_ node: Node, _ map: MapReader<MessageField>) -> Sound? {
        guard node.kind == .mapping else {
            guard node.string != nil else {
                context.wrongType(node, map.type(.sound), map.label(.sound))
                return nil
            }
            return context.string(node, .text, map.label(.sound)).map(Sound.name)
        }
        guard let inner = map.map(.sound, of: SoundField.self) else { return nil }
        let critical = inner.flag(.critical) ?? false
        let volume = inner.number(.volume)
        return inner.string(.name).map { .detailed(name: $0, critical: critical, volume: volume) }
    }
}
