import Base
import Foundation

/// What stands in `${{ }}` or behind `if:` of GitHub's files, as far as the recipes use it: paths, texts, `==`, `!=`, `!`,
/// `&&`, `||`, and the functions that ask how the job stands.
struct Expression {
    /// What it cannot read.
    struct Problem: Error {
        let text: String
    }

    private var tokens: [String]
    private let text: String
    private let context: JSONValue
    private let hasFailed: Bool

    /// The value of an expression.
    static func value(_ text: String, in context: JSONValue, hasFailed: Bool = false) throws -> JSONValue {
        var expression = Expression(
            tokens: tokens(text), text: text, context: context, hasFailed: hasFailed)
        let value = try expression.either()
        guard expression.tokens.isEmpty else { throw Problem(text: text) }
        return value
    }

    /// Whether what stands behind `if:` holds; without a function about the job's state, only while nothing failed.
    static func holds(_ condition: JSONValue?, in context: JSONValue, hasFailed: Bool) throws -> Bool {
        guard let condition = condition?.string else { return !hasFailed }
        let asks = ["always()", "failure()", "success()", "cancelled()"].contains { condition.contains($0) }
        if !asks, hasFailed { return false }
        return isTrue(try value(condition, in: context, hasFailed: hasFailed))
    }

    /// A text with every `${{ }}` in it replaced.
    static func filled(_ text: String, in context: JSONValue) throws -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.range(of: "${{"), let end = rest[start.upperBound...].range(of: "}}") {
            result += rest[..<start.lowerBound]
            result += try value(String(rest[start.upperBound..<end.lowerBound]), in: context).asText
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    private static func tokens(_ text: String) -> [String] {
        text.matches(of: /'(?:[^']|'')*'|&&|\|\||==|!=|[!()]|[A-Za-z_][A-Za-z0-9_.\-]*|[0-9]+|\S/).map {
            String($0.output)
        }
    }

    private static func isTrue(_ value: JSONValue) -> Bool { ![.null, false, "", 0].contains(value) }

    private mutating func take(_ token: String) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func either() throws -> JSONValue {
        var value = try both()
        while take("||") {
            let other = try both()
            if !Self.isTrue(value) { value = other }
        }
        return value
    }

    private mutating func both() throws -> JSONValue {
        var value = try comparison()
        while take("&&") {
            let other = try comparison()
            if Self.isTrue(value) { value = other }
        }
        return value
    }

    private mutating func comparison() throws -> JSONValue {
        let value = try primary()
        // GitHub takes a missing value for an empty text.
        if take("==") { return .bool(value.asText == (try primary()).asText) }
        if take("!=") { return .bool(value.asText != (try primary()).asText) }
        return value
    }

    private mutating func primary() throws -> JSONValue {
        if take("!") { return .bool(!Self.isTrue(try primary())) }
        if take("(") {
            let value = try either()
            guard take(")") else { throw Problem(text: text) }
            return value
        }
        guard !tokens.isEmpty else { throw Problem(text: text) }
        let token = tokens.removeFirst()
        if token.hasPrefix("'") { return .string(String(token.dropFirst().dropLast())) }
        if let number = Int64(token) { return .integer(number) }
        if take("(") {
            guard take(")") else { throw Problem(text: text) }
            switch token {
            case "always": return true
            case "failure": return .bool(hasFailed)
            case "success": return .bool(!hasFailed)
            case "cancelled": return false
            default: throw Problem(text: text)
            }
        }
        guard token.first?.isLetter == true else { throw Problem(text: text) }
        return token.split(separator: ".").reduce(context) { $0[String($1)] ?? .null }
    }
}
