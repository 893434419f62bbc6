import Base
import DeviceRegistry
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
