internal import Diagnostics
internal import LocatedYAML
internal import PushModel

extension DocumentReader {
    func workspace(_ map: MapReader<WorkspaceField>, _ origin: Origin) -> DeclaredWorkspace {
        _ = map.string(.name)
        var remotes: [RemoteDeclaration] = []
        var names: [String] = []
        if let node = map[.remotes] {
            if node.kind == .mapping {
                for entry in node.entries { names.append(remote(entry, origin, into: &remotes)) }
            } else {
                context.wrongType(node, map.type(.remotes), map.label(.remotes))
            }
        }
        let language = map.choice(.language, as: Language.self)
        let defaultRemote = map.string(.defaultRemote)
        checkDefault(defaultRemote, names, map)
        let policy = map.map(.policy, of: PolicyField.self).map(policy) ?? Policy()
        return DeclaredWorkspace(
            language: language, defaultRemote: defaultRemote, remotes: remotes, remoteNames: names, policy: policy,
            exclude: map.strings(.exclude)?.map { Glob($0) } ?? [])
    }

    private func checkDefault(_ name: String?, _ names: [String], _ map: MapReader<WorkspaceField>) {
        if let name, !names.contains(name), let node = map[.defaultRemote] {
            let ending = Suggestion.ending(for: name, among: names)
            context.report(
                .unknownReference, "remote \(quoted(name)) is not declared\(ending)", at: node,
                help: names.isEmpty ? nil : "'remotes' declares \(names.joined(separator: ", "))")
        } else if !map.has(.defaultRemote), names.count > 1 {
            context.report(
                .missingKey, "missing key 'defaultRemote': there are \(names.count) remotes", at: map.key(.remotes))
        }
    }

    private func remote(_ entry: Node.Entry, _ origin: Origin, into remotes: inout [RemoteDeclaration]) -> String {
        let name = entry.key.text ?? ""
        let label = Label(name)
        if let problem = NameRule.remote.problem(with: name, label) {
            context.report(problem.code, problem.message, at: entry.key, help: problem.help)
        }
        guard let map = MapReader<RemoteField>(entry.value, holder: entry.key, label: label, in: context) else {
            return name
        }
        let type = map.choice(.type, as: RemoteType.self)
        let ca = map.string(.ca)
        let timeout = map.duration(.timeout) ?? .seconds(30)
        // Both are read whatever the type is, so that everything that is wrong is said.
        let leancloud = leancloud(map)
        let apns = apns(map)
        guard let type else { return name }
        checkFields(of: type, map)
        let service =
            switch type {
            case .leancloud: leancloud.map(RemoteDeclaration.Service.leancloud)
            case .apns: apns.map(RemoteDeclaration.Service.apns)
            }
        guard let service else { return name }
        remotes.append(RemoteDeclaration(name: name, origin: origin, service: service, ca: ca, timeout: timeout))
        return name
    }

    private func checkFields(of type: RemoteType, _ map: MapReader<RemoteField>) {
        for field in RemoteField.allCases where map.has(field) {
            guard let owner = field.owner, owner != type else { continue }
            let message = "'\(map.label(field).name)' is for remotes of type \(owner.rawValue)"
            map.report(.conflictingKeys, message, atKeyOf: field)
        }
        require(RemoteField.required(by: type), of: map)
    }

    private func leancloud(_ map: MapReader<RemoteField>) -> RemoteDeclaration.LeanCloud? {
        let url = map.reference(.url)
        let appId = map.reference(.appId)
        guard let masterKey = map.secret(.masterKey), let url, let appId else { return nil }
        return RemoteDeclaration.LeanCloud(url: url, appId: appId, masterKey: masterKey)
    }

    private func apns(_ map: MapReader<RemoteField>) -> RemoteDeclaration.APNs? {
        let hosts = map.map(.hosts, of: HostsField.self).map(hosts) ?? [:]
        let registry = map.map(.registry, of: RegistryField.self).flatMap(registry)
        return registry.map { RemoteDeclaration.APNs(registry: $0, hosts: hosts) }
    }

    private func require(_ fields: [RemoteField], of map: MapReader<RemoteField>) {
        for field in fields where !map.has(field) {
            context.report(.missingKey, "missing key '\(map.label(field).name)'", at: map.holder)
        }
    }

    private func registry(_ map: MapReader<RegistryField>) -> RemoteDeclaration.APNs.Registry? {
        if let path = map.string(.sqlite) { return .sqlite(path) }
        return map.secret(.postgres).map(RemoteDeclaration.APNs.Registry.postgres)
    }

    private func hosts(_ map: MapReader<HostsField>) -> [String: String] {
        var hosts: [String: String] = [:]
        for field in HostsField.allCases {
            hosts[map.label(field).name] = map.string(field).map(WebAddress.completed)
        }
        return hosts
    }
}
