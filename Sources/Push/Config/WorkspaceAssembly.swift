internal import Base

/// Combines the declarations of all files, and checks what only all of them together can show.
struct WorkspaceAssembly {
    var diagnostics: [Diagnostic] = []
    /// The name of `bugle.yaml` in diagnostics.
    let main: String
    /// True when `bugle.yaml` itself has errors.
    private let mainHasErrors: Bool

    private var workspaces: [(declaration: Declaration, content: DeclaredWorkspace)] = []
    /// The workspace's policy; nil without a Workspace document.
    var policy: Policy? { workspaces.first?.content.workspace.policy }
    /// The texts of the app's keys; nil when the files name none.
    var strings: StringCatalog? { workspaces.first?.content.workspace.strings }
    var profiles: [DeviceProfile] = []
    var profileNames = DeclaredNames(.deviceProfile)
    var channels: [Channel] = []
    var channelNames = DeclaredNames(.channel)
    var segments: [Segment] = []
    var segmentNames = DeclaredNames(.segment)
    var campaigns: [DeclaredCampaign] = []
    var campaignNames = DeclaredNames(.campaign)
    var partNames = DeclaredNames(.part)
    var remoteNames: Set<String> = []
    var remoteSuggestions = NameSuggestions([])
    var profilesByName: [String: DeviceProfile] = [:]
    var segmentsByName: [String: Segment] = [:]

    /// True if another remote may have other values.
    private(set) var dependsOnRemote = false

    /// Creates the assembly from files in path order, with the values of a remote; nil for the one that is used when none
    /// is named.
    init(_ files: [ReadFile], main: String, folder: WorkspaceFolder, remote: String? = nil) {
        self.main = main
        mainHasErrors = files.contains { $0.name == main && $0.diagnostics.hasErrors }
        campaignNames.reserveCapacity(files.count)
        var templates: [CampaignTemplate] = []
        for file in files {
            for declaration in file.declarations { collect(declaration, in: file, &templates) }
        }
        // The one in bugle.yaml is the workspace; the others keep their order.
        let isMain = { (declaration: Declaration) in declaration.origin.file == WorkspaceLoader.marker }
        workspaces = workspaces.filter { isMain($0.declaration) } + workspaces.filter { !isMain($0.declaration) }
        checkSecretReferences(files)
        if !templates.isEmpty { expand(templates, in: folder, for: remote) }
    }

    private mutating func collect(
        _ declaration: Declaration, in file: ReadFile, _ templates: inout [CampaignTemplate]
    ) {
        switch declaration.content {
        case .workspace(let content): workspaces.append((declaration, content))
        case .deviceProfile(let profile):
            if add(declaration, to: \.profileNames), let profile { profiles.append(profile) }
        case .channel(let channel): if add(declaration, to: \.channelNames) { channels.append(channel) }
        case .segment(let segment): if add(declaration, to: \.segmentNames) { segments.append(segment) }
        case .campaign(let campaign):
            // A duplicate is still read, so that its other problems are reported too.
            _ = add(declaration, to: \.campaignNames)
            campaigns.append(campaign)
        case .unexpanded(let document):
            _ = add(declaration, to: declaration.kind == .part ? \.partNames : \.campaignNames)
            templates.append(CampaignTemplate(declaration: declaration, document: document, file: file))
        }
    }

    /// Puts parts and values into what uses them, and reads it.
    private mutating func expand(_ templates: [CampaignTemplate], in folder: WorkspaceFolder, for remote: String?) {
        let declared = workspaces.first?.content
        dependsOnRemote = declared?.values.remotes.values.contains { !$0.isEmpty } ?? false
        let remotes = declared?.remoteNames ?? []
        let chosen = [remote, declared?.workspace.defaultRemote].compactMap(\.self).first(where: remotes.contains)
        var expansion = CampaignExpansion(
            templates, values: declared?.values ?? DeclaredValues(), remote: chosen ?? remotes.sorted().first,
            names: partNames)
        campaigns += expansion.campaigns(of: templates, in: folder)
        diagnostics += expansion.diagnostics
    }

    private mutating func add(
        _ declaration: Declaration, to names: WritableKeyPath<WorkspaceAssembly, DeclaredNames>
    ) -> Bool {
        guard let first = self[keyPath: names].add(declaration) else { return true }
        let place = first.range(of: ["name"])
        let name = "\(declaration.kind.word) \(quoted(declaration.name))"
        report(
            .duplicateName, "\(name) is already declared in \(place.shortText)",
            at: declaration.origin.range(of: ["name"]), related: [.init("the first", at: place)])
        return false
    }

    /// The names that documents of each kind declare, readable or not.
    var names: [DeclaredNames] { [profileNames, channelNames, segmentNames, campaignNames, partNames] }

    /// Builds the workspace; nil when there is no Workspace document. Call it once.
    mutating func workspace() -> Workspace? {
        profilesByName = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
        segmentsByName = Dictionary(segments.map { ($0.name, $0) }) { first, _ in first }
        checkWorkspaceDocuments()
        checkServedInstallations()
        let remotes = workspaces.first?.content.remoteNames ?? []
        (remoteNames, remoteSuggestions) = (Set(remotes), NameSuggestions(remotes))
        checkFormerNames()
        // Sorted while they are small.
        let campaigns = campaigns.sorted { $0.campaign.name < $1.campaign.name }.map { campaign in
            let before = diagnostics.count
            defer {
                for index in before..<diagnostics.count {
                    diagnostics[index] = campaign.campaign.origin.located(diagnostics[index])
                }
            }
            return finished(campaign)
        }
        guard let (declaration, content) = workspaces.first else { return nil }
        checkEvents(content.remotes, declaration.origin)
        for remote in content.remotes {
            let place: [FieldPathElement] = ["remotes", .key(remote.name), "audience"]
            if let fence = remote.fence { checkNames(in: fence, remote.origin, place) }
        }
        var workspace = content.workspace
        workspace.deviceProfiles = profiles.sorted { $0.name < $1.name }
        workspace.channels = channels.sorted { $0.name < $1.name }
        workspace.segments = segments.sorted { $0.name < $1.name }
        workspace.campaigns = campaigns
        return workspace
    }

    private mutating func checkWorkspaceDocuments() {
        guard let first = workspaces.first?.declaration else {
            // Other errors in bugle.yaml may be the reason.
            guard !mainHasErrors else { return }
            return report(
                .workspaceDocument, "there is no Workspace document in bugle.yaml",
                at: SourceRange(file: main, start: SourcePosition(line: 1, column: 1)),
                help: "it needs kind: Workspace and name: NAME; 'bugle init DIR' writes one")
        }
        let place = first.origin.range(of: ["kind"])
        if first.origin.file != WorkspaceLoader.marker {
            report(.workspaceDocument, "the Workspace document must be in bugle.yaml", at: place)
        }
        for second in workspaces.dropFirst() {
            report(
                .workspaceDocument, "a second Workspace document; the first is in \(place.shortText)",
                at: second.declaration.origin.range(of: ["kind"]), related: [.init("the first", at: place)])
        }
    }

    private mutating func report(
        _ code: DiagnosticCode, _ message: String, at range: SourceRange, help: String? = nil,
        related: [RelatedPlace] = []
    ) {
        diagnostics.append(Diagnostic(.error, code, message, at: range, help: help, related: related))
    }
}

// MARK: - Campaigns

extension WorkspaceAssembly {
    /// Completes a campaign with everything that other documents decide, and checks it against them.
    mutating func finished(_ declared: DeclaredCampaign) -> Campaign {
        var campaign = declared.campaign
        let audience = campaign.audience
        checkNames(in: audience, campaign.origin, ["audience"])
        for (index, name) in (campaign.remotes ?? []).enumerated() where !remoteNames.contains(name) {
            report(
                .unknownReference, "remote \(quoted(name)) is not declared\(remoteSuggestions.ending(for: name))",
                at: campaign.origin.range(of: ["remotes", .index(index)]))
        }
        let profile = audience.deviceProfile.flatMap { profilesByName[$0] }
        campaign.environment = declared.environment ?? profile?.environment ?? .production
        if let profile { check(campaign, against: profile) }
        campaign.obey(policy)
        let limits = workspaces.first?.content.limits(of: campaign) ?? []
        if !campaign.message.languages.isEmpty, limits.contains(where: { $0.languageField == nil }) || limits.isEmpty {
            report(
                .missingKey, "'message.languages' needs the field in which devices report their language",
                at: campaign.origin.range(of: ["message", "languages"]),
                help: "name it in bugle.yaml: policy: {languageField: language}")
        }
        if let strings { checkKeys(campaign, strings) }
        if limits.contains(where: { $0.events != nil }) { checkPayloadKey(campaign) }
        if campaign.rollout?.stopWhen.opened != nil {
            checkOpened(campaign, isCounted: !limits.isEmpty && limits.allSatisfy { $0.events != nil })
        }
        if !declared.emptyOn.isEmpty { checkContent(campaign, emptyOn: declared.emptyOn) }
        return campaign
    }

    /// Checks that a campaign leaves the member of its payload alone by which apps know its delivery.
    private mutating func checkPayloadKey(_ campaign: Campaign) {
        let key = EventPolicy.payloadKey
        for (content, path) in campaign.message.appleContents {
            let fields: [(ContentField, Bool)] = [
                (.data, content.data?[key] != nil), (.deliveryKey, content.deliveryKey == key),
            ]
            for (field, isTaken) in fields where isTaken {
                report(
                    .conflictingKeys,
                    "\(quoted(key)) in the payload names the delivery, since 'policy.events' is declared",
                    at: campaign.origin.range(of: path(field)), help: "use another name")
            }
        }
    }

    /// Checks that somebody can open a campaign, and that it is counted.
    private mutating func checkOpened(_ campaign: Campaign, isCounted: Bool) {
        let place = campaign.origin.range(of: ["rollout", "stopWhen", "opened"])
        if !isCounted {
            report(
                .missingKey, "'opened' needs devices to report what was opened", at: place,
                help: "let bugle.yaml count it: policy: {events: {keep: 7d}}")
        }
        let type = campaign.message.content(for: .ios).effectivePushType
        if type != .alert {
            report(
                .conflictingKeys, "nobody opens a push of type '\(type.rawValue)'", at: place,
                help: "leave 'opened' out, or send an alert")
        }
    }

    /// Looks up the keys of a campaign's texts in the app's catalogs.
    private mutating func checkKeys(_ campaign: Campaign, _ strings: StringCatalog) {
        guard campaign.audience.possiblePlatforms(segments: segmentsByName).contains(.ios) else { return }
        for (content, path) in campaign.message.appleContents {
            for (field, text) in [
                (ContentField.title, content.title), (.subtitle, content.subtitle), (.body, content.body),
            ] {
                guard case .localized(let key, let arguments) = text else { continue }
                diagnostics += strings.mistakes(inKey: key, arguments: arguments.count).map {
                    diagnostic($0, key, arguments.count, at: campaign.origin.range(of: path(field)), strings.source)
                }
            }
        }
    }

    private func diagnostic(
        _ mistake: StringCatalog.Mistake, _ key: String, _ count: Int, at place: SourceRange, _ source: String
    ) -> Diagnostic {
        switch mistake {
        case .unknown(let nearest):
            return Diagnostic(
                .error, .unknownReference,
                "no string catalog has the key \(quoted(key))"
                    + (nearest.map { "; did you mean \(quoted($0))?" } ?? ""),
                at: place, help: "devices would show the key itself")
        case .untranslated(let languages):
            return Diagnostic(
                .warning, .unknownReference,
                "the key \(quoted(key)) has no text in \(languages.joined(separator: ", "))", at: place,
                help: "devices in other languages than its own show the text in \(source)")
        case .takes(let number, let language):
            return Diagnostic(
                .error, .invalidValue,
                "the text of \(quoted(key)) in \(language) takes \(number) argument\(number == 1 ? "" : "s"), not \(count)",
                at: place, help: "write as many 'args'")
        }
    }

    /// Checks that there is a remote on which events are counted.
    mutating func checkEvents(_ remotes: [RemoteDeclaration], _ origin: Origin) {
        let hasJournal = remotes.contains { $0.type == .apns }
        var places: [[FieldPathElement]] = policy?.events != nil && !remotes.isEmpty && !hasJournal ? [[]] : []
        places += remotes.filter { $0.type == .leancloud && $0.policy?.says("events") { $0.events != nil } ?? false }
            .map { ["remotes", .key($0.name)] }
        for place in places {
            report(
                .notSupported, "LeanCloud does not tell which devices it sent to: it cannot count their events",
                at: origin.range(of: place + ["policy", "events"]),
                help: "add a remote of 'type: direct' with the same devices as its 'registry'")
        }
    }

    /// Checks that an audience names what the files declare; what no document can declare was reported where it stands.
    private mutating func checkNames(in audience: Audience, _ origin: Origin, _ path: [FieldPathElement]) {
        func check(
            _ name: String, _ names: WritableKeyPath<WorkspaceAssembly, DeclaredNames>, _ rule: NameRule,
            _ field: FieldPathElement, _ index: Int? = nil
        ) {
            guard !self[keyPath: names].contains(name), rule.accepts(name) else { return }
            let (message, help) = self[keyPath: names].missing(name)
            var place = path + [field]
            if let index { place.append(.index(index)) }
            report(.unknownReference, message, at: origin.range(of: place), help: help)
        }
        for (index, name) in audience.channels.enumerated() { check(name, \.channelNames, .channel, "channels", index) }
        for (index, name) in audience.segments.enumerated() {
            check(name, \.segmentNames, .resource, "segments", index)
        }
        if let name = audience.deviceProfile { check(name, \.profileNames, .deviceProfile, "deviceProfile") }
    }

    private mutating func check(_ campaign: Campaign, against profile: DeviceProfile) {
        if campaign.environment != profile.environment {
            let message =
                "'environment' is \(campaign.environment.rawValue), but device profile "
                + "\(quoted(profile.name)) is for \(profile.environment.rawValue)"
            report(.conflictingKeys, message, at: campaign.origin.range(of: ["environment"]))
        }
        let pushType = campaign.message.content(for: .ios).effectivePushType
        guard campaign.audience.platforms != [.android], profile.vendor == .apns,
            let only = PushType(ofTopic: profile.topic),
            only != pushType
        else { return }
        let message = "topic \(quoted(profile.topic)) fits push type \(only.rawValue) only, not \(pushType.rawValue)"
        report(.pushType, message, at: campaign.origin.range(of: ["audience", "deviceProfile"]))
    }

    private mutating func checkContent(_ campaign: Campaign, emptyOn: Set<Platform>) {
        var possible = campaign.audience.possiblePlatforms(segments: segmentsByName)
        if let name = campaign.audience.deviceProfile, let profile = profiles.first(where: { $0.name == name }) {
            possible.formIntersection(profile.vendor == .apns ? [.ios] : [.android])
        }
        let empty = possible.intersection(emptyOn)
        guard !empty.isEmpty else { return }
        let place = campaign.origin.range(of: ["message"])
        if empty == possible {
            report(.emptyMessage, "the message has nothing to show and no 'contentAvailable'", at: place)
        } else {
            let names = empty.sorted().map(\.rawValue).joined(separator: " and ")
            diagnostics.append(
                Diagnostic(
                    .warning, .emptyMessage, "the message has nothing to show on \(names)", at: place,
                    help: "narrow audience.platforms if that is intended"))
        }
    }
}

extension WorkspaceAssembly {
    /// Checks that no other campaign has or had a former name.
    mutating func checkFormerNames() {
        var owners: [String: String] = [:]
        for campaign in campaigns.lazy.filter({ !$0.campaign.formerly.isEmpty }).map(\.campaign) {
            for name in campaign.formerly where name != campaign.name {
                let other: String
                if let existing = campaignNames[name] {
                    other = "is the name of another campaign, in \(existing.range(of: ["name"]).shortText)"
                } else if let owner = owners[name] {
                    other = "is also a former name of campaign \(quoted(owner))"
                } else {
                    owners[name] = campaign.name
                    continue
                }
                report(.duplicateName, "\(quoted(name)) \(other)", at: campaign.origin.range(of: ["formerly"]))
            }
        }
    }

    /// Checks that no two profiles of a vendor and environment serve the same installations.
    mutating func checkServedInstallations() {
        var first: [[String]: DeviceProfile] = [:]
        func check(_ profile: DeviceProfile, _ field: String, _ served: [String], _ what: String) {
            let key = [field, profile.vendor.rawValue, profile.environment.rawValue] + served
            guard let other = first[key], other.name != profile.name else {
                first[key] = profile
                return
            }
            let place = other.origin.range(of: [.key(field)])
            report(
                .conflictingKeys, "device profile \(quoted(other.name)) \(what), in \(place.shortText)",
                at: profile.origin.range(of: [.key(field)]), related: [.init("the first", at: place)])
        }
        for profile in profiles {
            if profile.isDefault {
                check(profile, "default", [], "is already the default of \(profile.environment.rawValue)")
            }
            check(
                profile, "deviceProfile", [profile.topic, profile.installations],
                "already serves the installations of \(quoted(profile.installations))")
        }
    }

    /// Checks that no field that is sent or shown names a variable that holds a secret.
    mutating func checkSecretReferences(_ files: [ReadFile]) {
        let secrets = files.reduce(into: Set<String>()) { $0.formUnion($1.secretVariables) }
        for reference in files.lazy.flatMap(\.references) where secrets.contains(reference.variable) {
            let message =
                "\(quoted(reference.field)) refers to \(quoted(reference.variable)), "
                + "which holds a secret of this workspace"
            report(.secretReference, message, at: reference.range)
        }
    }
}

/// The names that the files declare for one kind, readable or not.
struct DeclaredNames {
    let kind: DocumentKind
    private var first: [String: Origin] = [:]
    /// Created when the first missing name is found, after all names were added.
    private lazy var suggestions = NameSuggestions(first.keys.sorted())

    init(_ kind: DocumentKind) { self.kind = kind }

    /// Makes room for names: growing a large table step by step moves each name several times.
    mutating func reserveCapacity(_ count: Int) { first.reserveCapacity(count) }

    /// Adds a name and returns its earlier declaration, if any. A missing name is ignored.
    mutating func add(_ declaration: Declaration) -> Origin? {
        guard !declaration.name.isEmpty else { return nil }
        if let other = first[declaration.name] { return other }
        first[declaration.name] = declaration.origin
        return nil
    }

    /// The place of a name's declaration.
    subscript(name: String) -> Origin? { first[name] }

    func contains(_ name: String) -> Bool { first.keys.contains(name) }

    /// The message and help for a reference to an undeclared name.
    mutating func missing(_ name: String) -> (message: String, help: String?) {
        let ending = suggestions.ending(for: name)
        return (
            "\(kind.word) \(quoted(name)) is not declared\(ending)",
            ending.isEmpty ? "declare it in a document with kind: \(kind.rawValue) and name: \(name)" : nil
        )
    }
}

/// Suggestions for undeclared names, as long as they are cheap to find: a thousand references to a thousand names would
/// be a million comparisons.
struct NameSuggestions {
    private let names: [String]
    /// The number of comparisons left.
    private var comparisons = 20_000

    init(_ names: [String]) { self.names = names }

    /// The end of a message: `; did you mean 'x'?`, or nothing.
    mutating func ending(for name: String) -> String {
        guard comparisons > 0 else { return "" }
        comparisons -= names.count
        let near = Suggestion.ending(for: name, among: names)
        guard near.isEmpty, !name.isEmpty else { return near }
        // The city of a time zone.
        let end = "/" + name.lowercased().replacing(" ", with: "_")
        return names.first { $0.lowercased().hasSuffix(end) }.map { "; did you mean \(quoted($0))?" } ?? ""
    }
}

extension SourceRange {
    /// `file:line:column`.
    var shortText: String { "\(file):\(start.line):\(start.column)" }
}
