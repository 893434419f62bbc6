internal import CurlHTTP
internal import JSONValue

/// A batch whose calls are not all for this server, with what passes its other calls on.
struct PassedBatch: Sendable {
    /// Where they go.
    let upstream: Upstream
    /// The head of the whole batch.
    let head: PassedHead

    /// Calls of a batch that stand beside each other and are for the same one.
    struct Run {
        /// Whose they are.
        let owner: PushPaths.Owner
        /// The calls.
        var elements: [JSONValue]
    }

    /// The calls in runs, in their order.
    static func runs(_ elements: [JSONValue]) -> [Run] {
        var runs: [Run] = []
        for element in elements {
            let owner = PushPaths.owner(ofElement: element)
            if runs.last?.owner == owner {
                runs[runs.count - 1].elements.append(element)
            } else {
                runs.append(Run(owner: owner, elements: [element]))
            }
        }
        return runs
    }

    /// What the backend answers to some of the calls.
    ///
    /// - Throws: ``APIError`` when it answers none, or no JSON.
    func answer(_ elements: [JSONValue], of batch: JSONObject) async throws(APIError) -> APIResponse {
        var body = batch
        body["requests"] = .array(elements)
        let response = try await upstream.answer(head, body: JSONValue.object(body).canonicalBytes)
        guard let json = try? JSONValue(parsing: response.body, limits: ServerLimits.json) else {
            throw APIError.strangeUpstream
        }
        return APIResponse(status: response.status, body: json)
    }

    /// The answers to some calls of a `/batch`, one each: those to a part that failed as a whole all say why.
    func answers(_ elements: [JSONValue], of batch: JSONObject) async -> [JSONValue] {
        let failure: JSONValue
        do throws(APIError) {
            let response = try await answer(elements, of: batch)
            if !response.isRefusal, let answers = response.body.array, answers.count == elements.count {
                return answers
            }
            failure = response.isRefusal ? response.body : APIError.strangeUpstream.body
        } catch {
            failure = error.body
        }
        return elements.map { _ in ["error": failure] }
    }
}

extension APIError {
    /// A backend's answer to a batch is not what LeanCloud's is.
    static let strangeUpstream = APIError(502, 502, "The upstream's answer to its part of the batch is no batch's.")
}
