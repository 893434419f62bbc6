internal import Base
internal import YAML

/// The declaration in one document, before names are resolved across files.
struct Declaration: Sendable {
    var kind: DocumentKind
    /// The name as written; empty when it is missing.
    var name: String
    var origin: Origin
    var content: Content

    enum Content: Sendable {
        case workspace(DeclaredWorkspace)
        /// A device profile; nil when its credential cannot be read.
        case deviceProfile(DeviceProfile?)
        case channel(Channel)
        case segment(Segment)
        case campaign(DeclaredCampaign)
    }
}

/// A campaign before other documents are taken into account; an object, because a campaign is large to copy.
final class DeclaredCampaign: Sendable {
    /// The campaign as declared in its own document.
    let campaign: Campaign
    /// The environment as written.
    let environment: PushEnvironment?
    /// Platforms on which the campaign would show nothing and do nothing.
    let emptyOn: Set<Platform>

    init(_ campaign: consuming Campaign, environment: PushEnvironment?, emptyOn: Set<Platform>) {
        self.campaign = campaign
        self.environment = environment
        self.emptyOn = emptyOn
    }
}

/// A Workspace document with the names that are checked across files.
struct DeclaredWorkspace: Sendable {
    var formerly: [String]
    var language: Language?
    var app: ShownApp?
    var strings: StringCatalog?
    var defaultRemote: String?
    var remotes: [RemoteDeclaration]
    /// All names under `remotes`, readable or not.
    var remoteNames: [String]
    var policy: Policy
    var exclude: [Glob]
}

/// Reads one document according to its kind.
struct DocumentReader {
    let context: ReadingContext
    /// The file, relative to the workspace.
    let file: String

    /// Reads a document's declaration; nil when it is empty or its kind is unknown, which is reported.
    func declaration(of document: Document) -> Declaration? {
        let root = document.root
        // `---` with nothing after it declares nothing.
        guard !root.isNull, !root.isInvalid else { return nil }
        guard root.kind == .mapping else {
            context.wrongType(root, expected: "a mapping", Label("document"))
            return nil
        }
        let first = root.entries.first { _ in true }?.key ?? root
        guard let kind = kind(of: root, first) else { return nil }
        let origin = Origin(file: file, line: first.range.start.line, fields: document)
        let name = root["name"]?.string ?? ""
        return content(kind, root, first, origin).map {
            Declaration(kind: kind, name: name, origin: origin, content: $0)
        }
    }

    private func kind(of root: Node, _ first: Node) -> DocumentKind? {
        var names: [String] { DocumentKind.allCases.map(\.rawValue) }
        guard let entry = root.entry(named: "kind") else {
            let near = root.entries.first { Suggestion.nearest(to: $0.key.text ?? "", among: ["kind"]) != nil }
            if let key = near?.key {
                context.report(
                    .unknownKey, "unknown key \(quoted(key.text ?? "")); did you mean 'kind'?", at: key, mend: "kind")
            } else {
                context.report(.unknownKind, "missing key 'kind': \(names.alternatives)", at: first)
            }
            return nil
        }
        guard !entry.value.isInvalid else { return nil }
        guard let text = entry.value.string else {
            context.wrongType(entry.value, expected: names.alternatives, Label("kind"))
            return nil
        }
        if let kind = DocumentKind(rawValue: text) { return kind }
        let ending = Suggestion.ending(for: text, among: names)
        let help = ending.isEmpty ? "the kinds are \(names.joined(separator: ", "))" : nil
        context.report(
            .unknownKind, "unknown kind \(quoted(text))\(ending)", at: entry.value, help: help,
            mend: Suggestion.only(to: text, among: names))
        return nil
    }

    private func content(_ kind: DocumentKind, _ root: Node, _ first: Node, _ origin: Origin) -> Declaration.Content? {
        context.faultyMappings = []
        let label = Label("document")
        func values() -> [FieldValue?]? { context.fields(root, holder: first, label, kind.description) }
        switch kind {
        case .workspace:
            return MapReader(root, holder: first, label: label, kind.description, in: context)
                .map { .workspace(workspace($0, origin)) }
        case .deviceProfile:
            return MapReader(root, holder: first, label: label, kind.description, in: context)
                .map { .deviceProfile(deviceProfile($0, origin)) }
        case .channel:
            return values().map { values in
                var channel = Channel.fields.partialRecord(of: values)
                channel.origin = origin
                return .channel(channel)
            }
        case .segment:
            return values().map { values in
                var segment = Segment.fields.partialRecord(of: values)
                segment.origin = origin
                return .segment(segment)
            }
        case .campaign:
            return values().map {
                .campaign(campaign($0, MapReader(checked: root, holder: first, kind.description, in: context), origin))
            }
        }
    }
}
