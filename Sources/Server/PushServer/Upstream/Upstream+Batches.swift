internal import CurlHTTP
internal import JSONValue

/// A batch that also holds calls for another backend, with the means to forward those.
struct PassedBatch: Sendable {
    /// The backend for the other calls.
    let upstream: Upstream
    /// The head of the whole batch.
    let head: PassedHead

    /// A run of adjacent calls with the same owner.
    struct Run {
        /// The owner of the calls.
        let owner: PushPaths.Owner
        /// The calls.
        var elements: [JSONValue]
    }

    /// Groups the calls into runs, in order.
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

    /// The backend's response to some of the calls.
    ///
    /// - Throws: ``APIError`` if there is no response, or it is not JSON.
    func answer(_ elements: [JSONValue], of batch: JSONObject) async throws(APIError) -> APIResponse {
        var body = batch
        body["requests"] = .array(elements)
        let response = try await upstream.answer(head, body: JSONValue.object(body).canonicalBytes)
        guard let json = try? JSONValue(parsing: response.body, limits: ServerLimits.json) else {
            throw APIError.strangeUpstream
        }
        return APIResponse(status: response.status, body: json)
    }

    /// The responses to some calls of a `/batch`, one for each; if the part fails as a whole, each one gives the
    /// reason.
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
    /// The error for a backend's response to a batch that does not have LeanCloud's format.
    static let strangeUpstream = APIError(
        502, 502, "The upstream's answer to its part of the batch is not a batch answer.")
}
