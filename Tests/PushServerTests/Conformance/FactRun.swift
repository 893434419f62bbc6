import Base
import Foundation
import Testing

/// Carries out the steps of one fact against one server.
struct FactRun {
    let server: TestServer
    private var names: [String: String] = [:]

    init(_ server: TestServer) {
        self.server = server
    }

    mutating func carryOut(_ step: Step, of fact: Fact) async throws {
        let words = step.line.split(separator: " ", maxSplits: 1).map(String.init)
        let answer = try await server.send(
            words[0], Self.encoded(filled(words[1])), bytes: Array(filled(step.body ?? "").utf8), key: step.key,
            headers: step.headers.map { ($0.0, filled($0.1)) })
        let context = "\(fact.testDescription): \(step.line) answered \(answer.status) \(answer.body.canonicalText)"
        #expect(answer.status == step.status, "\(context)")
        switch step.expectation {
        case .anything: break
        case .exactly(let text):
            #expect(matches(answer.body, try JSONValue(parsing: text), isExact: true), "\(context)")
        case .including(let text):
            #expect(matches(answer.body, try JSONValue(parsing: text), isExact: false), "\(context)")
        }
        if let location = step.location {
            #expect(answer.headers["location"]?.hasSuffix(filled(location)) == true, "\(context)")
        }
        // No success is answered with nothing. Source: docs/background/leancloud/errors.md#codes.
        #expect(answer.headers["content-length"] != "0", "\(context)")
    }

    private mutating func matches(_ value: JSONValue, _ expected: JSONValue, isExact: Bool) -> Bool {
        switch (value, expected) {
        case (_, .string("*")): return !value.isNull
        case (.string(let text), .string(let name)) where name.hasPrefix("$"):
            let known = names[name] ?? text
            names[name] = known
            return text == known
        case (.array(let values), .array(let elements)):
            guard values.count == elements.count else { return false }
            for (value, element) in zip(values, elements) where !matches(value, element, isExact: isExact) {
                return false
            }
            return true
        case (.object(let members), .object(let wanted)):
            let isMissing: (JSONValue) -> Bool = { $0 == "-" }
            let shown = wanted.filter { !isMissing($0.value) }
            guard !isExact || Set(members.keys) == Set(shown.keys) else { return false }
            for (key, element) in wanted {
                guard let value = members[key] else {
                    if isMissing(element) { continue }
                    return false
                }
                guard matches(value, element, isExact: isExact) else { return false }
            }
            return true
        default: return value == expected
        }
    }

    private func filled(_ text: String) -> String {
        names.sorted { $0.key.count > $1.key.count }.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }

    /// The target with the values of its query encoded.
    private static func encoded(_ target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return target }
        let pairs = parts[1].split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return sides[0] + "="
                + (sides.count > 1 ? sides[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" : "")
        }
        return parts[0] + "?" + pairs.joined(separator: "&")
    }
}
