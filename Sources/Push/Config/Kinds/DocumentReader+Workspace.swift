internal import Base
internal import FoundationEssentials
internal import YAML

extension DocumentReader {
    func workspace(_ map: MapReader, _ origin: Origin) -> DeclaredWorkspace {
        let name = map.string("name") ?? ""
        let policy = map["policy"].flatMap {
            context.fields($0, holder: map.key("policy"), Label("policy"), Policy.fields.description)
        }
        let limits = policy.map(Policy.fields.partialRecord) ?? Policy()
        check(limits, map)
        var remotes: [String: RemoteDeclaration] = [:]
        var names: [String] = []
        var declared = DeclaredValues(shared: values(of: map.node, .workspace))
        if let node = map["remotes"] {
            if node.kind == .mapping {
                for entry in node.entries {
                    let name = entry.key.text ?? ""
                    names.append(name)
                    remotes[name] = remote(name, entry, origin, under: limits)
                    declared.remotes[name] = values(of: entry.value, .remote)
                }
            } else {
                context.wrongType(node, map.type("remotes"), Label("remotes"))
            }
        }
        let language = map.choice("language", as: Language.self)
        let defaultRemote = map.string("defaultRemote")
        checkDefault(defaultRemote, names, map)
        let migration = map["migration"].flatMap {
            context.fields($0, holder: map.key("migration"), Label("migration"), MigrationPolicy.fields.description)
        }
        let workspace = Workspace(
            name: name, origin: origin, formerly: formerNames(map, of: name), language: language,
            app: map.map("app").map { app($0, of: name) }, strings: strings(map), defaultRemote: defaultRemote,
            remotes: remotes, policy: limits,
            migration: migration.map(MigrationPolicy.fields.partialRecord) ?? MigrationPolicy(), notify: notify(map))
        return DeclaredWorkspace(
            workspace: workspace, remoteNames: names, exclude: map.strings("exclude")?.map { Glob($0) } ?? [],
            values: declared)
    }

    /// The values under `values`, each checked by its type.
    private func values(of node: Node, _ map: MapDescription) -> [String: Node] {
        guard node.kind == .mapping else { return [:] }
        let map = MapReader(checked: node, holder: node, map, in: context)
        guard let values = map["values"] else { return [:] }
        _ = context.value(values, holder: map.key("values"), map.type("values"), Label("values"))
        return Dictionary(values.entries.map { ($0.key.text ?? "", $0.value) }) { first, _ in first }
    }

    private func formerNames(_ map: MapReader, of workspace: String) -> [String] {
        let names = map.strings("formerly") ?? []
        if let node = map["formerly"]?.elements.first(where: { $0.hasText(workspace) }) {
            context.report(.duplicateName, "'formerly' names the workspace itself", at: node)
        }
        return names
    }

    private func app(_ map: MapReader, of workspace: String) -> ShownApp {
        var app = ShownApp(name: map.string("name") ?? workspace)
        guard let path = map.string("icon"), let node = map["icon"] else { return app }
        guard let bytes = contents(of: path, "icon", at: node) else { return app }
        if let problem = ShownApp.problem(withIcon: bytes) {
            context.report(.invalidValue, "\(quoted(path)) \(problem)", at: node)
        } else {
            app.icon = Data(bytes).base64EncodedString()
        }
        return app
    }

    /// Reads the string catalogs; nil when there are none.
    private func strings(_ map: MapReader) -> StringCatalog? {
        guard map.strings("strings") != nil, let list = map["strings"] else { return nil }
        var all: StringCatalog?
        for node in list.elements {
            guard let path = node.string,
                let bytes = contents(of: path, "strings", at: node, atMost: LocalizedStrings.largestFile)
            else { continue }
            do throws(Diagnostic) {
                let catalog = try StringCatalog(bytes, file: path)
                all?.add(catalog)
                all = all ?? catalog
            } catch {
                context.report(error.code, "\(quoted(path)): \(error.message)", at: node)
            }
        }
        return all
    }

    /// Reads a file of the workspace that a field names; nil, with a report, when that is not possible.
    private func contents(
        of path: String, _ field: String, at node: Node, atMost most: Int = Limits.bytes
    ) -> [UInt8]? {
        if let problem = context.folder.problem(withPath: path) {
            context.report(.fileOutside, "'\(field)' \(problem)", at: node)
            return nil
        }
        do {
            let bytes = try Posix.contents(of: context.folder.root + "/" + path, atMost: most)
            if bytes == nil { context.report(.invalidValue, "\(quoted(path)) is no file", at: node) }
            return bytes
        } catch {
            context.report(.unreadable, "\(quoted(path)) cannot be read: \(error.message)", at: node)
            return nil
        }
    }

    /// Reads who is told of deliveries; an element that cannot be read is reported and left out.
    private func notify(_ map: MapReader) -> [NotifyTarget] {
        (map.elements("notify") ?? []).compactMap { node in
            guard
                let map = MapReader(node, holder: node, label: Label("notify").element, .notify, in: context)
            else { return nil }
            let kinds = map.strings("on")?.compactMap(NotifyEvent.Kind.init)
            let language = map.choice("language", as: Language.self)
            let showsText = map.flag("text") ?? false
            guard let to = map.map("to") else { return nil }
            let secret = to.secret("secret")
            let found = NotifyService.allCases.compactMap { service in
                to.secret(service.rawValue).map { (service: service, address: $0) }
            }
            guard found.count == 1, let (service, address) = found.first else { return nil }
            if to.has("secret"), !service.isSigned {
                to.report(
                    .conflictingKeys, "'secret' does not go with '\(service.rawValue)'", atKeyOf: "secret",
                    help: "its address is the only secret it has")
            }
            var target = NotifyTarget(service: service, address: address, secret: secret, language: language)
            if let kinds { target.kinds = kinds }
            target.showsText = showsText
            return target
        }
    }

    private func checkDefault(_ name: String?, _ names: [String], _ map: MapReader) {
        if let name, !names.contains(name), let node = map["defaultRemote"] {
            let ending = Suggestion.ending(for: name, among: names)
            context.report(
                .unknownReference, "remote \(quoted(name)) is not declared\(ending)", at: node,
                help: names.isEmpty ? nil : "'remotes' declares \(names.joined(separator: ", "))")
        } else if !map.has("defaultRemote"), names.count > 1 {
            context.report(
                .missingKey, "missing key 'defaultRemote': there are \(names.count) remotes", at: map.key("remotes"))
        }
    }

    private func remote(
        _ name: String, _ entry: Node.Entry, _ origin: Origin, under limits: Policy
    ) -> RemoteDeclaration? {
        let label = Label(name)
        if let problem = NameRule.remote.problem(with: name, label) {
            context.report(problem.code, problem.message, at: entry.key, help: problem.help)
        }
        guard let map = MapReader(entry.value, holder: entry.key, label: label, .remote, in: context) else {
            return nil
        }
        let type = map.choice("type", as: RemoteWord.self)?.type
        let ca = map.string("ca")
        let timeout = map.duration("timeout") ?? .seconds(30)
        // Both are read whatever the type is, so that every problem is reported.
        let leancloud = leancloud(map)
        let apns = apns(map)
        let fence = fence(map)
        let policy = policy(map, over: limits)
        guard let type else { return nil }
        checkFields(of: type, map)
        let service =
            switch type {
            case .leancloud: leancloud.map(RemoteDeclaration.Service.leancloud)
            case .apns: apns.map(RemoteDeclaration.Service.apns)
            }
        return service.map {
            RemoteDeclaration(
                name: name, origin: origin, service: $0, ca: ca, timeout: timeout, fence: fence, policy: policy)
        }
    }

    private func checkFields(of type: RemoteType, _ map: MapReader) {
        for owner in RemoteType.allCases where owner != type {
            for name in owner.ownFields where map.has(name) {
                map.report(
                    .conflictingKeys, "'\(name)' is for remotes of type \(owner == .apns ? "direct" : owner.rawValue)",
                    atKeyOf: name)
            }
        }
        for name in type.needed where !map.has(name) {
            context.report(.missingKey, "missing key '\(name)'", at: map.holder)
        }
    }

    private func leancloud(_ map: MapReader) -> RemoteDeclaration.LeanCloud? {
        let url = map.reference("url")
        let appId = map.reference("appId")
        guard let masterKey = map.secret("masterKey"), let url, let appId else { return nil }
        return RemoteDeclaration.LeanCloud(url: url, appId: appId, masterKey: masterKey)
    }

    private func apns(_ map: MapReader) -> RemoteDeclaration.APNs? {
        let hosts = map.map("hosts").map(hosts) ?? [:]
        let map = map.map("registry")
        let stale = map.map(stale) ?? AudienceCount.threeMonths
        return map.flatMap(registry).map { RemoteDeclaration.APNs(registry: $0, hosts: hosts, stale: stale) }
    }

    private func stale(_ map: MapReader) -> Duration? {
        guard let node = map["stale"] else { return AudienceCount.threeMonths }
        return node.hasText("never") ? nil : map.duration("stale")
    }

    private func registry(_ map: MapReader) -> RemoteDeclaration.APNs.Registry? {
        if let path = map.string("sqlite") { return .sqlite(path) }
        return map.secret("postgres").map(RemoteDeclaration.APNs.Registry.postgres)
    }

    private func hosts(_ map: MapReader) -> [String: String] {
        var hosts: [String: String] = [:]
        for field in map.map.fields { hosts[field.name] = map.string(field.name).map(WebAddress.completed) }
        return hosts
    }
}

// MARK: - Policy

extension DocumentReader {
    /// Reads the fence of a remote. One that cannot be read is an error, so that no workspace goes without it.
    private func fence(_ map: MapReader) -> Audience? {
        guard let node = map["audience"],
            let values = context.value(node, holder: map.key("audience"), map.type("audience"), Label("audience"))
        else { return nil }
        var fence = Audience.fields.partialRecord(of: values.fields ?? [])
        check(&fence, map)
        return fence
    }

    /// Reads what a remote says in place of the workspace's policy.
    private func policy(_ map: MapReader, over limits: Policy) -> RemotePolicy? {
        guard let node = map["policy"] else { return nil }
        let fields = Policy.fields.description.fields
        var values = [FieldValue?](repeating: nil, count: fields.count)
        var (own, ended): ([String], Set<Int>) = ([], [])
        let reader = MapReader(
            node, holder: map.key("policy"), label: Label("policy"), RemotePolicy.description, in: context
        ) { place, entry in
            let field = fields[place]
            own.append(field.name)
            if RemotePolicy.canEnd(field), entry.value.hasText(RemotePolicy.off) {
                ended.insert(place)
            } else {
                values[place] = context.value(entry.value, holder: entry.key, field.type, Label(field.name))
            }
        }
        guard reader != nil else { return nil }
        let policy = RemotePolicy(
            limits: Policy.fields.overridden(limits, by: values, without: ended), own: own.sorted())
        check(policy.limits, map)
        return policy
    }

    /// Checks the quiet hours of a policy, its rules that hold back single devices, and those on approvals.
    func check(_ policy: Policy, _ document: MapReader) {
        guard let map = document.inner("policy") else { return }
        if let hours = map.inner("quietHours"), let from = hours["from"]?.string, FieldType.minutes(from) != nil,
            let node = hours["to"], node.hasText(from)
        {
            context.warn(
                .conflictingKeys, "'from' and 'to' are the same time: no hour is quiet", at: node.range,
                help: "leave 'quietHours' out for none")
        }
        if let node = map.inner("holdout")?["share"] {
            context.checkShare(node, "of more than 0% and less than 100%") { $0 > Share(parts: 0) && $0 < .whole }
        }
        for rule in map["frequency"].map({ Array($0.elements) }) ?? [] where rule.kind == .mapping {
            guard let node = rule.entry(named: "per")?.value, let text = node.string,
                let per = Duration(configurationText: text)
            else { continue }
            checkTime(per, policy.reachedKept, at: node)
        }
        for rule in map["approvals"].map({ Array($0.elements) }) ?? [] where rule.kind == .mapping {
            guard let when = rule.entry(named: "when"), when.value.kind == .mapping else { continue }
            checkCondition(when)
        }
    }

    private func checkCondition(_ when: Node.Entry) {
        if when.value.count == 0 {
            context.report(
                .missingKey, "'when' must say 'devices' or 'labels'", at: when.key,
                help: "a rule for every delivery is when: {devices: 1}")
        } else if let labels = when.value.entry(named: "labels")?.value, labels.kind == .mapping, labels.count == 0 {
            context.report(.invalidValue, "'labels' names no label", at: labels)
        }
    }

    private func checkTime(_ per: Duration, _ kept: Duration, at node: Node) {
        if per < .seconds(1) {
            context.report(.invalidValue, "'per' must be at least 1s", at: node)
        } else if per > kept {
            context.report(
                .conflictingKeys,
                "the rule looks back \(per.configurationText), but which devices were reached is known for "
                    + "\(kept.configurationText) only", at: node,
                help: "set policy.reached: {keep: \(per.configurationText)}, or a shorter time here")
        }
    }
}
