internal import Base
internal import HTTP
internal import LeanCloud
internal import Push
internal import RemoteTesting
internal import Synchronization

extension FuzzTarget {
    /// What `plan` and `status` ask of a remote that answers everything with the input, under several statuses.
    static let answers = FuzzTarget(
        "answers",
        [
            "LeanCloud/Client", "LeanCloud/Remote/LeanCloudDecoder.swift", "LeanCloud/Remote/LeanCloudReader",
            "LeanCloud/Remote/StoredObject.swift",
        ],
        words: ["\"results\":[]", "\"objectId\":\"\"", "\"code\":101,\"error\":\"x\"", "\"__type\":\"Date\""]
    ) { bytes in
        let status = [200, 200, 200, 200, 201, 404, 400, 429][bytes.count % 8]
        let connection = LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret("fuzz"), retries: 0)
        let reader = connection.reader(
            name: "production", workspace: "giants", http: SameAnswer(status: status, body: bytes), pausing: NoPause())
        for question in questions { await question(reader) }
    }

    private static let questions: [@Sendable (LeanCloudReader) async -> Void] = [
        { _ = try? await $0.now() }, { _ = try? await $0.ledger() }, { _ = try? await $0.isLedgerStarted() },
        { _ = try? await $0.resources() }, { _ = try? await $0.lock() }, { _ = try? await $0.scheduledPushes() },
        { reader in for push in (try? await reader.keptPushes()) ?? [] { _ = try? KeptRequest(push) } },
        { _ = try? await $0.record(objectID: "a") },
        { _ = try? await $0.record(notification: DeliveryID(workspace: "giants", campaign: "a", revision: 1)) },
        { _ = try? await $0.count(["channels": "a"]) },
        { _ = try? await $0.explain(["channels": "a"], deviceProfiles: ["driver"]) },
        { _ = try? await $0.sampleInstallations(channels: ["a"], deviceProfiles: ["driver"]) },
    ]
}

/// Answers everything alike, so often that whoever asks for ever is found.
private final class SameAnswer: HTTPExchanging {
    private let response: HTTPResponse
    private let count = Mutex(0)

    init(status: Int, body: [UInt8]) {
        response = HTTPResponse(status: status, headers: ["Date": "Fri, 20 Nov 2026 12:00:00 GMT"], body: body)
    }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let asked = count.withLock { count in
            count += 1
            return count
        }
        if asked > 2000 { fatalError("the reader asks for ever") }
        return response
    }
}
