/// The reason why a JSON value is not the expected record: the member, and the fault in it.
package struct RecordError: Error, Hashable, Sendable {
    /// The faults of a value.
    package enum Fault: Hashable, Sendable {
        /// The value is missing.
        case missing
        /// The value is `null`.
        case null
        /// The value has the wrong JSON type.
        case type
        /// The text is not JSON.
        case unreadable
        /// The value is unknown to this version.
        case unknown(String)
        /// The number is out of range.
        case number(Int)
        /// Any other fault, in words.
        case other(String)
    }

    /// The fault.
    package let fault: Fault
    /// The path to the value, the last step first.
    private var steps: [String] = []

    package init(_ fault: Fault) { self.fault = fault }

    /// The error with a member's name added to the front of its path.
    package func under(_ name: String) -> RecordError { adding("." + name) }

    /// The error with an element's index added to the front of its path.
    package func at(_ index: Int) -> RecordError { adding("[\(index)]") }

    private func adding(_ step: String) -> RecordError {
        var error = self
        error.steps.append(step)
        return error
    }

    /// The outermost member at fault; nil when it is the value itself.
    package var member: String? { steps.last.map { String($0.drop { $0 == "." }) } }

    /// The message with the member's path, which begins with `place`: `changes[0].name is missing`.
    package func text(in place: String = "") -> String {
        let path = place + steps.reversed().joined()
        let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
        return switch fault {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null"
        case .type: "\(name) has the wrong type"
        case .unreadable: "\(name) has a value that cannot be read"
        case .unknown(let text): "\(name) has a value that this version does not know, '\(text)'"
        case .number(let number): "\(name) is not an allowed number, '\(number)'"
        case .other(let words): "\(name) \(words)"
        }
    }
}
