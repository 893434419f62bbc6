internal import JSONValue

extension API {
    /// `POST /batch`: calls in the order given, each with an answer of its own.
    ///
    /// Source: leancloud.md section 2.5.
    func batch(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .post)
        guard let elements = try request.object()["requests"]?.array else {
            throw APIError(400, 1, "A batch has requests.")
        }
        var answers: [JSONValue] = []
        answers.reserveCapacity(elements.count)
        for element in elements { answers.append(await answer(element, of: request)) }
        return APIResponse(body: .array(answers))
    }

    private func answer(_ element: JSONValue, of batch: APIRequest) async -> JSONValue {
        do throws(APIError) {
            let response = await respond(try call(element, of: batch))
            return response.body["error"] != nil && response.status >= 400
                ? ["error": response.body] : ["success": response.body]
        } catch {
            return ["error": error.body]
        }
    }

    private func call(_ element: JSONValue, of batch: APIRequest) throws(APIError) -> APIRequest {
        guard let name = element["method"]?.string, let method = APIRequest.Method(rawValue: name.uppercased()),
            let target = element["path"]?.string, let parsed = RequestTarget(target), let path = parsed.versioned,
            path.first != "batch"
        else { throw APIError(400, 1, "A request of a batch has a method and a path such as /1.1/classes/Name.") }
        var request = batch
        request.method = method
        request.path = path
        request.query = parsed.query
        for (key, value) in element["params"]?.object ?? [:] {
            request.query[key] = value.string ?? value.canonicalText
        }
        request.body = (element["body"] ?? [:]).canonicalBytes
        return request
    }
}
