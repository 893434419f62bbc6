internal import HTTP
internal import Base

/// A batch whose calls another backend may share, with the means to send it its own.
struct PassedBatch: Sendable {
    /// A run of adjacent calls with the same owner.
    struct Run: Sendable {
        /// The owner of the calls.
        let owner: PushPaths.Owner
        /// The calls.
        var elements: [JSONValue]
    }

    /// The backend for the other calls.
    let upstream: Upstream
    /// The head of the whole batch.
    let head: PassedHead
    /// The calls, in order.
    let runs: [Run]
    /// The time by which the backend must have answered all of its calls together.
    private let end: ContinuousClock.Instant

    /// The most calls of a batch that is split.
    static let mostCalls = 1000
    /// The most parts of a batch that go to the backend.
    static let mostParts = 20

    /// Reads a batch once; nil when its body is none.
    init?(_ body: [UInt8], head: PassedHead, upstream: Upstream) {
        guard let elements = try? JSONValue(parsing: body, limits: ServerLimits.json)["requests"]?.array else {
            return nil
        }
        self.upstream = upstream
        self.head = head
        end = upstream.end
        var runs: [Run] = []
        for element in elements {
            let owner = PushPaths.owner(ofElement: element)
            if runs.last?.owner != owner { runs.append(Run(owner: owner, elements: [])) }
            runs[runs.count - 1].elements.append(element)
        }
        self.runs = runs
    }

    /// True if some of the calls are the backend's.
    var hasUpstreams: Bool { runs.contains { $0.owner == .upstream } }

    /// True if all of the calls are the backend's, which gets the batch as it came.
    var isUpstreams: Bool { runs.count == 1 && hasUpstreams }

    /// Refuses a batch whose parts would be too many.
    ///
    /// - Throws: ``APIError`` with code 1.
    func check() throws(APIError) {
        let parts = runs.filter { $0.owner == .upstream }.count
        let calls = runs.reduce(0) { $0 + $1.elements.count }
        guard parts == 0 || parts <= Self.mostParts && calls <= Self.mostCalls else { throw APIError.splitTooOften }
    }

    /// What the backend gets of the batch for some of its calls: these, and nothing else of it.
    func body(_ elements: [JSONValue]) -> [UInt8] {
        JSONValue.object(["requests": .array(elements)]).canonicalBytes
    }

    /// The backend's response to some of the calls.
    func answer(_ elements: [JSONValue]) async -> APIResponse {
        do throws(APIError) {
            let response = try await upstream.answer(head, body: body(elements), until: end)
            guard let json = try? JSONValue(parsing: response.body, limits: ServerLimits.json) else {
                throw APIError.strangeUpstream
            }
            return APIResponse(status: response.status, body: json)
        } catch {
            return APIResponse(status: error.status, body: error.body)
        }
    }

    /// The responses to some calls of a `/batch`, one for each; if the part fails as a whole, each one gives the
    /// reason.
    func answers(_ elements: [JSONValue]) async -> [JSONValue] {
        let response = await answer(elements)
        if !response.isRefusal, let answers = response.body.array, answers.count == elements.count { return answers }
        let failure = response.isRefusal ? response.body : APIError.strangeUpstream.body
        return elements.map { _ in ["error": failure] }
    }
}

extension APIError {
    /// The error for a backend's response to a batch that does not have LeanCloud's format.
    static let strangeUpstream = APIError(
        502, 502, "The upstream's answer to its part of the batch is not a batch answer.")
    /// The error for a batch with credentials in its body that would have to be split.
    static let unsplittable = APIError(
        400, 1,
        "This batch holds calls for push and others, and as text/plain it cannot be split: send application/json.")
    /// The error for a batch that would have to be split too often.
    static let splitTooOften = APIError(
        400, 1,
        "This batch holds calls for push and others: it may have \(PassedBatch.mostCalls) calls, and \(PassedBatch.mostParts) runs of others between those for push. Send several batches, or calls of one kind side by side."
    )
}
