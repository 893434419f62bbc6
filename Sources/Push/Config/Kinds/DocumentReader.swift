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
        /// Apart, because it is large and there is one.
        indirect case workspace(DeclaredWorkspace)
        /// A device profile; nil when its credential cannot be read.
        case deviceProfile(DeviceProfile?)
        case channel(Channel)
        case segment(Segment)
        case campaign(DeclaredCampaign)
        /// A part, or a campaign that lacks what parts and values put into it.
        case unexpanded(Document)
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

    /// The campaign with the names of the parts that were put into it. Unless it is whole, nothing of it is known to be
    /// empty: a value that it lacks may be its text.
    func put(together parts: [String], isWhole: Bool) -> DeclaredCampaign {
        var campaign = campaign
        campaign.parts = parts
        return DeclaredCampaign(campaign, environment: environment, emptyOn: isWhole ? emptyOn : [])
    }
}

/// A Workspace document with the names that are checked across files.
struct DeclaredWorkspace: Sendable {
    /// The workspace without what other documents declare.
    var workspace: Workspace
    /// All names under `remotes`, readable or not.
    var remoteNames: [String]
    var exclude: [Glob]
    var values: DeclaredValues

    /// The remotes that can be read, in the order of the file.
    var remotes: [RemoteDeclaration] { remoteNames.compactMap { workspace.remotes[$0] } }

    /// The policies that hold for a campaign on its remotes; that of the workspace without any.
    func limits(of campaign: Campaign) -> [Policy] {
        let (remotes, policy) = (workspace.remotes.values, workspace.policy)
        guard remotes.contains(where: { $0.policy != nil }) else { return [policy] }
        let meant = remotes.filter { campaign.isMeant(for: $0.name) }
        return meant.isEmpty ? [policy] : meant.map { $0.policy?.limits ?? policy }
    }
}

struct DocumentReader {
    let context: ReadingContext
    /// The file, relative to the workspace.
    let file: String

    /// Reads a document's declaration; nil when it is empty or its kind is unknown, which is reported. What parts and
    /// values are put into is read once they are, with `isExpanded`.
    func declaration(of document: Document, isExpanded: Bool = false) -> Declaration? {
        let root = document.root
        // `---` with nothing after it declares nothing.
        guard !root.isNull, !root.isInvalid else { return nil }
        guard root.kind == .mapping else { return context.mismatch(root, expected: "a mapping", Label("document")) }
        let first = root.entries.first { _ in true }?.key ?? root
        guard let kind = kind(of: root, first) else { return nil }
        let origin = Origin(file: file, line: first.range.start.line, fields: document)
        let name = root["name"]?.string ?? ""
        if !isExpanded, CampaignExpansion.isNeeded(for: kind, document) {
            return Declaration(kind: kind, name: name, origin: origin, content: .unexpanded(document))
        }
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
            return context.mismatch(entry.value, expected: names.alternatives, Label("kind"))
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
        case .part:
            _ = values()
            return nil
        case .campaign:
            return values().map {
                .campaign(campaign($0, MapReader(checked: root, holder: first, kind.description, in: context), origin))
            }
        }
    }
}

// MARK: - Resources

extension DocumentReader {
    func deviceProfile(_ map: MapReader, _ origin: Origin) -> DeviceProfile? {
        let name = map.string("name") ?? ""
        if name.contains("-"), let node = map["name"] {
            context.diagnostics.append(
                Diagnostic(
                    .note, .portability, "some LeanCloud plans refuse the '-' in \(quoted(name))", at: node.range))
        }
        let environment = map.choice("environment", as: PushEnvironment.self)
        let vendor = map.has("vendor") ? map.choice("vendor", as: PushVendor.self) : .apns
        let topic = map.string("topic")
        let installations = map.string("deviceProfile")
        let isDefault = map.flag("default") ?? false
        let isProtected = map.flag("protected") ?? false
        let certificate = map.map("certificate").flatMap(certificate)
        let token = map.map("token").flatMap(token)
        var (others, options): (DeviceProfile.Credential?, JSONObject) = (nil, [:])
        for other in PushVendor.declared where other != .apns {
            guard let inner = map.map(other.rawValue) else { continue }
            // Read whatever the vendor is, so that every problem is reported.
            let (found, asked) = (account(other, inner), self.options(other, inner))
            if other == vendor { (others, options) = (found, asked) }
        }
        guard let vendor, isOf(vendor, map), let environment, let credential = certificate ?? token ?? others else {
            return nil
        }
        return DeviceProfile(
            name: name, origin: origin, environment: environment, topic: topic ?? "", installations: installations,
            isDefault: isDefault, credential: credential, options: options, isProtected: isProtected)
    }

    private func account(_ vendor: PushVendor, _ map: MapReader) -> DeviceProfile.Credential? {
        var (ids, secrets): ([String: String], [String: SecretSource]) = ([:], [:])
        for name in vendor.fields.ids { ids[name] = map.string(name) }
        for name in vendor.fields.secrets { secrets[name] = map.secret(name) }
        if vendor == .honor, map.flag("experimental") != true { return nil }
        if vendor == .fcm { return secrets["serviceAccount"].map(DeviceProfile.Credential.serviceAccount) }
        let isWhole =
            secrets.count == vendor.fields.secrets.count
            && vendor.fields.ids.allSatisfy { ids[$0] != nil || $0 == "region" }
        let isElsewhere = vendor == .mi && ids["region"] == "global"
        return isWhole ? .vendor(isElsewhere ? .miGlobal : vendor, ids: ids, secrets: secrets) : nil
    }

    private func options(_ vendor: PushVendor, _ map: MapReader) -> JSONObject {
        vendor.fields.options.reduce(into: [:]) { options, name in
            switch map.type(name) {
            case .integer, .oneOfIntegers: options[name] = map.integer(name).map { .integer(Int64($0)) }
            default: options[name] = map.string(name).map { .string($0) }
            }
        }
    }

    /// Checks that a profile has what its vendor needs, and nothing of another's.
    private func isOf(_ vendor: PushVendor, _ map: MapReader) -> Bool {
        let vendors = PushVendor.declared.filter { $0 != .apns && $0 != vendor }.map(\.rawValue)
        let wrong = (vendor == .apns ? [] : ["topic", "certificate", "token"]) + vendors
        for name in wrong where map.has(name) {
            map.report(
                .conflictingKeys, "'\(name)' does not go with vendor \(vendor.rawValue)", atKeyOf: name,
                help: vendors.contains(name) ? "set vendor: \(name)" : nil)
        }
        guard !wrong.contains(where: map.has) else { return false }
        let needed = vendor == .apns ? "topic" : vendor.rawValue
        map.require(needed)
        if vendor == .apns { map.requireExactlyOne(of: ["certificate", "token"]) }
        return map.has(needed)
    }

    private func certificate(_ map: MapReader) -> DeviceProfile.Credential? {
        let key = map.secret("key")
        let passphrase = map.secret("passphrase")
        let file = map.file("file").map(SecretSource.file)
        let variable = map.string("env")
        // A PKCS#12 archive in a variable holds a private key.
        if let variable { context.secretVariables.insert(variable) }
        guard let source = file ?? variable.map(SecretSource.environment) else { return nil }
        return .certificate(source: source, key: key, passphrase: passphrase)
    }

    private func token(_ map: MapReader) -> DeviceProfile.Credential? {
        let team = map.string("teamId")
        let id = map.string("keyId")
        guard let key = map.secret("key"), let team, let id else { return nil }
        return .token(teamId: team, keyId: id, key: key)
    }
}

// MARK: - Campaign

extension DocumentReader {
    /// The campaign that its document declares, checked without other documents.
    func campaign(_ values: [FieldValue?], _ map: MapReader, _ origin: Origin) -> DeclaredCampaign {
        var campaign = Campaign(values, origin: origin)
        // An unreadable expiration is not a missing one: the policy must not demand one that is there.
        if campaign.expiration == nil, map["expiration"] != nil { campaign.expiration = .never }
        check(&campaign.audience, map)
        let emptyOn = MessageCheck(message: campaign.message, platforms: campaign.audience.platforms, document: map)
            .emptyPlatforms()
        check(campaign, map)
        WordsCheck(message: campaign.message, document: map).check()
        VariantsCheck(campaign: campaign, document: map).check()
        if let rollout = campaign.rollout { check(rollout, of: campaign, map) }
        if campaign.localSchedule != nil, let schedule = map.inner("schedule") { checkLocalTime(schedule, of: map) }
        if let rule = campaign.recurrence, let schedule = map.inner("schedule") {
            RecurrenceCheck(rule: rule, campaign: campaign, schedule: schedule, document: map).check()
        }
        return DeclaredCampaign(
            campaign, environment: map["environment"]?.string.flatMap(PushEnvironment.init), emptyOn: emptyOn)
    }

    private func check(_ campaign: Campaign, _ map: MapReader) {
        if case .at(let end) = campaign.expiration, let start = campaign.scheduledAt, end.instant <= start.instant,
            let node = map["expiration"]
        {
            context.report(.conflictingKeys, "'expiration' is over before 'schedule.at'", at: node)
        }
        if case .at(let end) = campaign.expiration, let waves = campaign.localSchedule, end.instant <= waves.last,
            end.instant > waves.first.instant, let node = map["expiration"]
        {
            context.warn(
                .conflictingKeys, "'expiration' is over before the last wave begins: its devices get nothing",
                at: node.range, help: "write {after: DURATION}, which counts from each wave")
        }
        if campaign.inDoubt == .resend, campaign.message.content(for: .ios).collapseId == nil {
            map.report(
                .conflictingKeys, "'inDoubt: resend' needs 'message.collapseId'", atKeyOf: "inDoubt",
                help: "with it the device shows only one of the two")
        }
        if !campaign.audience.devices.isEmpty, map.has("throttle") {
            map.report(.conflictingKeys, "'throttle' cannot be combined with 'audience.devices'", atKeyOf: "throttle")
        }
        if campaign.formerly.contains(campaign.name), let nodes = map["formerly"]?.elements,
            let node = nodes.first(where: { $0.hasText(campaign.name) })
        {
            context.report(.duplicateName, "'formerly' names the campaign itself", at: node)
        }
    }
}

// MARK: - Audience

extension DocumentReader {
    /// Checks the fields of an audience against each other, and drops repeated Apple tokens.
    func check(_ audience: inout Audience, _ document: MapReader) {
        let isPlain = audience.devices.isEmpty && !audience.everyone && audience.platforms.count < 2
        if isPlain, audience != Audience(), !context.faultyMappings.contains(Audience.fields.description.name) {
            return
        }
        guard let map = document.inner("audience") else { return }
        if audience.platforms == [.ios] { checkTokens(&audience.devices, map) }
        checkCombination(map)
        checkPlatforms(audience, map)
    }

    /// Checks that the fields can be combined and narrow the audience at all.
    private func checkCombination(_ map: MapReader) {
        if map.node.count == 0 {
            context.report(
                .missingKey, "'audience' is empty", at: map.holder, help: "set everyone: true if that is intended")
        }
        guard map.has("devices") || map.has("everyone") else { return }
        let others = Audience.narrowing.filter(map.has)
        for leader in ["devices", "everyone"] where map.has(leader) {
            for name in others where name != leader && !(leader == "everyone" && name == "devices") {
                map.report(.conflictingKeys, "'\(leader)' and '\(name)' exclude each other", atKeyOf: name)
            }
        }
    }

    private func checkPlatforms(_ audience: Audience, _ map: MapReader) {
        if map.has("devices"), audience.platforms.count != 1 {
            map.report(
                .conflictingKeys, "'devices' needs exactly one platform", atKeyOf: "devices",
                help: "add platforms: [ios] or platforms: [android]")
        }
        guard audience.platforms.count == Platform.allCases.count else { return }
        if map.map.fields.allSatisfy({ $0.name == "platforms" || !map.has($0.name) }) {
            map.report(
                .conflictingKeys, "'platforms' names all platforms and narrows nothing", atKeyOf: "platforms",
                help: "set everyone: true if that is intended")
        }
    }

    /// Checks Apple's tokens and drops repeats: a token is a number, so case does not matter.
    ///
    /// Messages must not repeat a token.
    private func checkTokens(_ devices: inout [String], _ map: MapReader) {
        guard !devices.isEmpty, let nodes = map["devices"]?.elements else { return }
        let label = Label("devices")
        devices = context.uniqueStrings(Array(nodes), .text, label) { $0.lowercased() }
        for node in nodes {
            guard let token = node.string, !token.isEmpty, !token.isDeviceToken else { continue }
            context.report(
                .invalidValue, "\(label.element.text) is not a device token: an even number of hexadecimal digits",
                at: node)
        }
    }
}

extension String {
    /// True when Apple could have issued this token: an even number of hexadecimal digits, at most 200.
    package var isDeviceToken: Bool {
        !isEmpty && utf8.count.isMultiple(of: 2) && utf8.count <= 200 && utf8.allSatisfy(\.isHexadecimal)
    }
}

// MARK: - Rollout

extension DocumentReader {
    /// Checks the stages of a rollout, and that they fit into the campaign's time.
    func check(_ rollout: Rollout, of campaign: Campaign, _ document: MapReader) {
        guard let map = document.inner("rollout"), !context.faultyMappings.contains(Rollout.fields.description.name)
        else { return }
        checkShares(map)
        if let limits = map["stopWhen"], rollout.stopWhen == Rollout.Limits(), limits.count == 0 {
            map.report(
                .missingKey, "'stopWhen' is empty", atKeyOf: "stopWhen",
                help: "say when to stop, such as {refused: 2%, deadTokens: 15%}")
        }
        if let floor = rollout.stopWhen.opened?.below, floor.parts == 0 {
            context.report(
                .invalidValue, "no share is below 0%: it stops nothing",
                at: map.inner("stopWhen")?.inner("opened")?["below"] ?? document.node)
        }
        guard let stages = map["stages"], stages.count == rollout.stages.count else { return }
        checkOrder(rollout.stages, at: stages)
        guard rollout.stages.count > 1 else { return }
        let stops = rollout.stages.count - 1
        if rollout.bakes > campaign.window {
            map.report(
                .conflictingKeys,
                "the last stage starts at least \(rollout.bakes.configurationText) after the first, later than the window of "
                    + "\(campaign.window.configurationText) allows",
                atKeyOf: map.has("bake") ? "bake" : "stages",
                help: "\(stops) times 'bake' must fit into 'schedule.window'")
        }
        if case .at(let end) = campaign.expiration, let start = campaign.scheduledAt,
            start.instant + rollout.bakes >= end.instant
        {
            map.report(
                .conflictingKeys, "the last stage starts after 'expiration.at'",
                atKeyOf: map.has("bake") ? "bake" : "stages",
                help: "\(stops) times 'bake' must fit between 'schedule.at' and 'expiration.at'")
        }
    }

    private func checkShares(_ map: MapReader) {
        let limits = map.inner("stopWhen").map { limits in
            [limits["refused"], limits["deadTokens"], limits["inDoubt"], limits.inner("opened")?["below"]]
                .compactMap(\.self)
        }
        for node in (map["stages"].map { Array($0.elements) } ?? []) + (limits ?? []) {
            context.checkShare(node, "from 0% to 100%") { _ in true }
        }
    }

    private func checkOrder(_ stages: [Share], at node: Node) {
        let nodes = Array(node.elements)
        for (index, pair) in zip(stages, stages.dropFirst()).enumerated() where pair.0 >= pair.1 {
            context.report(
                .invalidValue,
                "stage \(pair.1.text) is not larger than \(pair.0.text) before it: each includes the last",
                at: index + 1 < nodes.count ? nodes[index + 1] : node)
        }
        guard let last = stages.last, last != .whole || stages.count < 2 else { return }
        context.report(
            .invalidValue, stages.count < 2 ? "a rollout has at least two stages" : "the last stage is not 100%",
            at: nodes.last ?? node, help: "such as [1%, 10%, 100%]")
    }
}
