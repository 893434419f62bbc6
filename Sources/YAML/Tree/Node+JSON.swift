package import Base

extension Node {
    /// The value as JSON, with scalars, aliases and merges resolved.
    ///
    /// Invalid values, which have been reported already, become null. An integer beyond 64 bits becomes null and is
    /// reported here, code `invalid-value`.
    package func json(reportingTo diagnostics: inout [Diagnostic]) -> JSONValue {
        switch kind {
        case .sequence: return .array(elements.map { $0.json(reportingTo: &diagnostics) })
        case .mapping:
            var members: JSONObject = [:]
            for entry in entries { members[entry.key.text ?? ""] = entry.value.json(reportingTo: &diagnostics) }
            return .object(members)
        case .scalar: break
        }
        switch scalar {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .float(let value): return .number(value)
        case .string(let value): return .string(value)
        case .hugeInteger(let text):
            diagnostics.append(
                Diagnostic(
                    .error, .invalidValue, "integer \(quoted(text)) does not fit 64 bits", at: range,
                    help: "quote it if it is meant as text"))
            return .null
        case .null, .invalid, nil: return .null
        }
    }
}
