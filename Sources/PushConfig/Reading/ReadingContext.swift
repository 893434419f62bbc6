internal import Diagnostics
internal import LocatedYAML

/// What the reading of one file collects beside its resources.
final class ReadingContext {
    /// Answers whether a path stays inside the workspace.
    let folder: WorkspaceFolder
    /// What is wrong with the file.
    var diagnostics: [Diagnostic] = []
    /// The environment variables that hold a secret.
    var secretVariables: Set<String> = []
    /// The environment variables that a field refers to, with the places.
    var references: [VariableReference] = []

    init(folder: WorkspaceFolder) { self.folder = folder }

    /// Adds an error.
    func report(_ code: DiagnosticCode, _ message: String, at node: Node, help: String? = nil) {
        diagnostics.append(Diagnostic(.error, code, message, at: node.range, help: help))
    }
}

/// A variable that a field refers to.
struct VariableReference: Hashable, Sendable {
    var variable: String
    var field: String
    var range: SourceRange
}

/// What a message calls a value.
struct Label {
    /// The key it stands under.
    let name: String
    /// Whether it is one of several under that key.
    var isElement = false

    init(_ name: String) { self.name = name }

    /// The same for an element of the list.
    var element: Label {
        var label = self
        label.isElement = true
        return label
    }

    /// The words of the message.
    var text: String { isElement ? "an element of \(quoted(name))" : quoted(name) }
}

extension ReadingContext {
    /// Reports a value of the wrong type; an invalid one has been reported before.
    func wrongType(_ node: Node, _ type: FieldType, _ label: Label) {
        wrongType(node, expected: type.expectation, label, help: help(for: node, type))
    }

    /// Reports a value of the wrong type in words.
    func wrongType(_ node: Node, expected: String, _ label: Label, help: String? = nil) {
        guard !node.isInvalid else { return }
        report(
            .wrongType, "\(label.text) must be \(expected), but found \(node.typeDescription)", at: node, help: help)
    }

    private func help(for node: Node, _ type: FieldType) -> String? {
        guard node.kind == .scalar, let scalar = node.scalar else { return nil }
        switch (scalar, type) {
        case (.bool, _), (.integer, _), (.hugeInteger, _), (.float, _):
            return type.isWrittenAsString && !isPercentage(type) ? "quote it to make it a string" : nil
        case (.string(let text), .boolean):
            let isOldBoolean = ["yes", "no", "on", "off", "y", "n", "true", "false"].contains(text.lowercased())
            return isOldBoolean ? "a boolean is written true or false, without quotes" : nil
        case (.string(let text), .integer), (.string(let text), .number), (.string(let text), .oneOfIntegers):
            return Double(text) == nil ? nil : "remove the quotes"
        case (.null, _), (.string, _), (.invalid, _): return nil
        }
    }

    private func isPercentage(_ type: FieldType) -> Bool {
        if case .percentage = type { true } else { false }
    }
}
