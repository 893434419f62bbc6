/// Why a JSON value is not the record that it should be: which member, and what is wrong with it.
package struct RecordError: Error, Hashable, Sendable {
    /// What is wrong with a value.
    package enum Fault: Hashable, Sendable {
        /// It is not there.
        case missing
        /// It is `null`.
        case null
        /// It is of another JSON type.
        case type
        /// It is no JSON.
        case unreadable
        /// It is none of the values that this version knows.
        case unknown(String)
        /// It is out of range.
        case number(Int)
        /// It says too much.
        case other(String)
    }

    /// What is wrong.
    package let fault: Fault
    /// The steps to the value, the last first.
    private var steps: [String] = []

    package init(_ fault: Fault) { self.fault = fault }

    /// The error, seen from a member's object.
    package func under(_ name: String) -> RecordError { adding("." + name) }

    /// The error, seen from the list of an element.
    package func at(_ index: Int) -> RecordError { adding("[\(index)]") }

    private func adding(_ step: String) -> RecordError {
        var error = self
        error.steps.append(step)
        return error
    }

    /// The outermost member at fault; nil: the value itself.
    package var member: String? { steps.last.map { String($0.drop { $0 == "." }) } }

    /// Names the member: `changes[0].name is missing`.
    ///
    /// - Parameter place: what the path begins with.
    package func text(in place: String = "") -> String {
        let path = place + steps.reversed().joined()
        let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
        return switch fault {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null"
        case .type: "\(name) has the wrong type"
        case .unreadable: "\(name) has a value that cannot be read"
        case .unknown(let text): "\(name) has a value that this version does not know, '\(text)'"
        case .number(let number): "\(name) is no such number, '\(number)'"
        case .other(let words): "\(name) \(words)"
        }
    }
}
