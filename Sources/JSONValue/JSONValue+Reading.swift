internal import FoundationEssentials

/// A text that is not JSON.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the reader said.
    package let description: String
}

extension JSONValue {
    /// Reads one JSON text.
    ///
    /// - Throws: ``JSONSyntaxError`` when the bytes are not UTF-8 or not one JSON value.
    package init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw JSONSyntaxError(description: "not a JSON text")
        }
    }

    /// Reads one JSON text.
    ///
    /// - Throws: ``JSONSyntaxError`` when it is not one JSON value.
    package init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: text.utf8)
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let whole = try? container.decode(Int64.self) {
            self = .integer(whole)
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
