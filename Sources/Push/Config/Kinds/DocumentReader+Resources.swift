internal import Base
internal import YAML

extension DocumentReader {
    func deviceProfile(_ map: MapReader, _ origin: Origin) -> DeviceProfile? {
        let name = map.string("name") ?? ""
        if name.contains("-"), let node = map["name"] {
            context.diagnostics.append(
                Diagnostic(
                    .note, .portability, "some LeanCloud plans refuse the '-' in \(quoted(name))", at: node.range))
        }
        let environment = map.choice("environment", as: PushEnvironment.self)
        let topic = map.string("topic")
        let isDefault = map.flag("default") ?? false
        let isProtected = map.flag("protected") ?? false
        let certificate = map.map("certificate").flatMap(certificate)
        let token = map.map("token").flatMap(token)
        guard let environment, let topic, let credential = certificate ?? token else { return nil }
        return DeviceProfile(
            name: name, origin: origin, environment: environment, topic: topic, isDefault: isDefault,
            credential: credential, isProtected: isProtected)
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
