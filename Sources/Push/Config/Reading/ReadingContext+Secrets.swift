internal import Base
internal import YAML

extension ReadingContext {
    /// Reads the location of a secret; a plain value in its place is an error that does not repeat it.
    func secret(_ node: Node, holder: Node, _ label: Label) -> SecretSource? {
        guard node.kind == .mapping else {
            if node.kind != .scalar || !node.isNull {
                report(
                    .plainSecret, "\(label.text) is a secret and must not be written in a file", at: node,
                    help: "name its source: {env: NAME} or {file: PATH}")
            } else {
                wrongType(node, .secret, label)
            }
            return nil
        }
        guard let map = MapReader(node, holder: holder, label: label, .secret, in: self) else { return nil }
        if map.has("env") {
            guard let value = map["env"] else { return nil }
            guard let variable = value.string, NameRule.environmentVariable.accepts(variable) else {
                report(
                    .plainSecret, "\(label.text) must name an environment variable", at: value,
                    help: "write {env: NAME} with a name of letters, digits and '_'")
                return nil
            }
            secretVariables.insert(variable)
            return .environment(variable)
        }
        guard let value = map["file"] else { return nil }
        return file(value, holder: map.key("file"), Label("file")).map(SecretSource.file)
    }

    /// A path inside the workspace, or the variable that holds a path.
    func file(_ node: Node, holder: Node, _ label: Label) -> FileSource? {
        if node.kind == .mapping { return variable(node, holder: holder, label).map(FileSource.environment) }
        guard let path = node.string else {
            wrongType(node, expected: "a path or {env: NAME}", label)
            return nil
        }
        if let problem = folder.problem(withPath: path) {
            report(.fileOutside, "\(label.text) \(problem)", at: node)
            return nil
        }
        return .path(path)
    }

    /// The name in `{env: NAME}`.
    func variable(_ node: Node, holder: Node, _ label: Label) -> String? {
        MapReader(node, holder: holder, label: label, .reference, in: self)?.string("env")
    }

    /// A value, or the variable that holds it.
    func reference(_ node: Node, holder: Node, _ type: FieldType, _ label: Label) -> TextReference? {
        guard node.kind == .mapping else { return string(node, type, label).map(TextReference.literal) }
        guard let name = variable(node, holder: holder, label) else { return nil }
        references.append(VariableReference(variable: name, field: label.name, range: node.range))
        return .environment(name)
    }
}

extension MapReader {
    /// The secret under a field.
    func secret(_ name: String) -> SecretSource? {
        self[name].flatMap { context.secret($0, holder: key(name), Label(name)) }
    }

    /// The value or reference under a field.
    func reference(_ name: String) -> TextReference? {
        self[name].flatMap { context.reference($0, holder: key(name), type(name), Label(name)) }
    }

    /// The path under a field that stays inside the workspace, or the variable that holds a path.
    func file(_ name: String) -> FileSource? {
        self[name].flatMap { context.file($0, holder: key(name), Label(name)) }
    }
}
