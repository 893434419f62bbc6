import Base
import DeviceRegistry
import Foundation
import Push
import PushServer
import RegistryTesting
import Testing

/// One documented fact of LeanCloud's API, and the calls that show it, in their order.
struct Fact: Sendable, CustomTestStringConvertible {
    /// The number of the section, as docs/background/leancloud/README.md#section-numbers lists them.
    let section: String
    /// What is documented.
    let claim: String
    /// The calls.
    let steps: [Step]
    /// When the server's clock stands at first.
    let start: Instant
    /// Settings that differ from the defaults.
    let configure: @Sendable (inout PushServerConfiguration) -> Void

    init(
        _ section: String, _ claim: String, _ steps: Step..., start: Instant = .noon,
        configure: @escaping @Sendable (inout PushServerConfiguration) -> Void = { _ in }
    ) {
        self.init(section, claim, steps: steps, start: start, configure: configure)
    }

    init(
        _ section: String, _ claim: String, steps: [Step], start: Instant = .noon,
        configure: @escaping @Sendable (inout PushServerConfiguration) -> Void = { _ in }
    ) {
        self.section = section
        self.claim = claim
        self.steps = steps
        self.start = start
        self.configure = configure
    }

    /// The beginning of a claim that does not hold in PostgreSQL.
    static let inAFile = "in a file, "
    /// True if the store of these tests does as LeanCloud.
    var holdsHere: Bool { !TestStore.isPostgres || !claim.hasPrefix(Self.inAFile) }

    var testDescription: String { "\(section): \(claim)" }
}

/// One call and what it answers.
///
/// Texts hold names such as `$id`: in an expected answer the first `"$id"` takes the value that is there, and every
/// later one, in targets and bodies too, stands for it.
struct Step: Sendable {
    /// What an answer must be.
    enum Expectation: Sendable {
        /// Anything.
        case anything
        /// This value and nothing else. `"*"` stands for any value.
        case exactly(String)
        /// At least these members, at any depth; lists have as many elements. `"-"` stands for a member that is missing.
        case including(String)
    }

    /// `POST /installations`, the path after `/1.1` unless it begins with `//`; the values of a query are encoded.
    var line: String
    let key: TestServer.Key
    let headers: [(String, String)]
    let body: String?
    let status: Int
    let expectation: Expectation
    /// How the `Location` header ends.
    let location: String?

    init(
        _ line: String, _ body: String? = nil, as key: TestServer.Key = .master, headers: [(String, String)] = [],
        _ status: Int = 200, is exact: String? = nil, has members: String? = nil, location: String? = nil
    ) {
        self.line = line
        self.key = key
        self.headers = headers
        self.body = body
        self.status = status
        self.location = location
        expectation = exact.map { .exactly($0) } ?? members.map { .including($0) } ?? .anything
    }

    /// A refusal with a code, and its text where that is documented.
    static func refused(
        _ line: String, _ body: String?, as key: TestServer.Key = .master, _ status: Int, code: Int,
        _ text: String = "*"
    ) -> Step {
        Step(line, body, as: key, status, is: #"{"code":\#(code),"error":"\#(text)"}"#)
    }

    /// A refusal of a request without a body.
    static func refused(
        _ line: String, as key: TestServer.Key = .master, headers: [(String, String)] = [], _ status: Int, code: Int,
        _ text: String = "*"
    ) -> Step {
        Step(line, nil, as: key, headers: headers, status, is: #"{"code":\#(code),"error":"\#(text)"}"#)
    }

    /// Puts the clock forward.
    static func wait(_ seconds: Int) -> Step {
        Step("POST /bugle/clock", #"{"advance":\#(seconds)}"#)
    }

    /// How many messages a device has received.
    static func inbox(_ device: String, _ messages: String...) -> Step {
        let contents = messages.map { #"{"data":\#($0)}"# }.joined(separator: ",")
        return Step("GET /bugle/devices/\(device)/inbox", has: #"{"results":[\#(contents)]}"#)
    }
}

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

/// Every row is a request and an answer of LeanCloud's documentation, over HTTP against a server of its own.
@Suite struct ConformanceTests {
    private static let all: [Fact] =
        Fact.transport + Fact.installations + Fact.registration + Fact.parameters + Fact.operators + Fact.scanning
        + Fact.writing + Fact.batches + Fact.channelsAndCleanUp + Fact.pushes + Fact.pushRefusals + Fact.records
        + Fact.errors + Fact.returning + Fact.tokens + Fact.cloudQueries + Fact.routers + Fact.appleGenerations
        + Fact.androidGenerations + Fact.otherGenerations + Fact.pushMode

    @Test(arguments: all.filter(\.holdsHere))
    func theServerDoesWhatIsDocumented(fact: Fact) async throws {
        try await TestServer.run(
            clock: ServerClock(standingAt: fact.start, machineAt: fact.start), configure: fact.configure
        ) {
            (server) async throws in
            var run = FactRun(server)
            for step in fact.steps { try await run.carryOut(step, of: fact) }
        }
    }
}
