import Base
import Foundation
import ProgramTesting
import Testing

/// The built `push-simulator` as a process of its own, and what a workspace needs to reach it.
struct AppleSimulator: Sendable {
    /// Where it takes pushes.
    let url: String
    /// The file of its authority.
    let authority: URL
    /// The file of the provider key, the key's id and its team.
    let key: URL
    let keyID: String
    let team: String
    /// The files of the push certificates that were asked for.
    let certificates: [URL]
    /// The files of the service accounts that were asked for: Google's, and Huawei's for HarmonyOS.
    let serviceAccount: URL?
    let harmonyAccount: URL?
    private let control: String
    private let folder: URL
    private let program: BackgroundProgram

    /// The ones that tests share: they ask about their own topics and tokens only, and set no faults.
    static let production = Shared("production")
    static let development = Shared("development")

    /// One that is started when it is first asked for.
    actor Shared {
        private let environment: String
        private var starting: Task<AppleSimulator, any Error>?

        init(_ environment: String) { self.environment = environment }

        /// It runs.
        var running: AppleSimulator {
            get async throws {
                if let starting { return try await starting.value }
                let task = Task { [environment] in try await AppleSimulator.start(["--environment", environment]) }
                starting = task
                return try await task.value
            }
        }
    }

    /// Starts one with `more` options, and with push certificates for the bundle ids in `certificates`.
    static func start(_ more: [String] = [], certificates: [String] = []) async throws -> AppleSimulator {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString)")
        let program = try await BackgroundProgram.start(
            "push-simulator",
            ["--state", folder.path] + more + certificates.flatMap { ["--certificate", $0] },
            lines: 6 + certificates.count + more.count { ["--fcm", "--harmony"].contains($0) })
        func said(_ what: String) throws -> String {
            let line = program.head.first { $0.hasPrefix(what + " ") }
            return String(try #require(line, "\(program.head)").dropFirst(what.count + 1))
        }
        let files = program.head.filter { $0.hasPrefix("certificate ") }.map { URL(filePath: String($0.dropFirst(12))) }
        func account(_ kind: String) -> URL? {
            let line = program.head.first { $0.hasPrefix(kind + " account ") }
            return line.map { URL(filePath: String($0.dropFirst(kind.count + 9))) }
        }
        return AppleSimulator(
            url: try said("listening on"), authority: URL(filePath: try said("ca")),
            key: URL(filePath: try said("key")), keyID: try said("key id"), team: try said("team"),
            certificates: files, serviceAccount: account("service"), harmonyAccount: account("harmony"),
            control: try said("control on"), folder: folder, program: program)
    }

    /// Runs a test with one of its own and ends it.
    static func run(_ more: [String] = [], _ test: (AppleSimulator) async throws -> Void) async throws {
        let simulator = try await start(more)
        do {
            try await test(simulator)
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    /// Ends it.
    func stop() async {
        await program.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Asks its control endpoint.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let answer = try await LoopbackHTTP.send(try #require(URL(string: control + path)), method: method, body: body)
        #expect(answer["error"] == nil, "\(method) \(path): \(answer)")
        return answer
    }

    /// What a device received, oldest first.
    func inbox(_ token: String) async throws -> [JSONValue] {
        try await call("GET", "/devices/\(token)/inbox")["results"]?.array ?? []
    }

    /// The alert texts that a device received, oldest first.
    func texts(_ token: String) async throws -> [String] {
        try await inbox(token).map { push in
            let alert = push["data"]?["aps"]?["alert"]
            return alert?.string ?? alert?["body"]?.string ?? ""
        }
    }

    /// How many requests it has seen.
    var requests: Int64 { get async throws { try await call("GET", "/stats")["requests"]?.integer ?? -1 } }

    /// Puts a fault into force.
    ///
    /// - Returns: its number.
    @discardableResult
    func fault(_ effect: String, _ more: JSONValue = [:]) async throws -> Int64 {
        var body = more
        body["effect"] = .string(effect)
        return try #require(try await call("POST", "/faults", body)["id"]?.integer)
    }

    /// How many pushes it let go without an answer.
    func unanswered() async throws -> Int { Int(try await call("GET", "/stats")["unanswered"]?.integer ?? -1) }

    /// How many pushes each fault has hit.
    func faultHits() async throws -> [Int64: Int64] {
        let faults = try await call("GET", "/faults")["results"]?.array ?? []
        return Dictionary(uniqueKeysWithValues: faults.map { ($0["id"]?.integer ?? 0, $0["hits"]?.integer ?? 0) })
    }
}
