internal import Base

extension API {
    /// The most bytes that all responses of a batch may have together, the same as its body.
    private static let answersLimit = 20 * 1024 * 1024

    /// `POST /batch`: runs the calls in order, each with its own response. No call is started once the client has left.
    ///
    /// With another backend for everything but push, adjacent calls for it are sent there as one batch.
    /// Source: docs/background/leancloud/objects.md#batches.
    func batch(_ request: APIRequest) async throws(APIError) -> APIResponse {
        var answers: [JSONValue] = []
        var left = Self.answersLimit
        func isOver(_ calls: Int) -> Bool {
            guard left <= 0 || request.presence?.hasLeft == true else { return false }
            let error = left > 0 ? APIError.clientLeft : .payloadTooLarge
            answers += Array(repeating: ["error": error.body], count: calls)
            return true
        }
        for run in try runs(request) {
            if run.owner == .upstream, let batch = request.batch {
                guard !isOver(run.elements.count) else { continue }
                let given = await request.serve { await batch.answers(run.elements) }
                left -= given.reduce(0) { $0 + $1.canonicalByteCount }
                answers += given
                continue
            }
            for element in run.elements where !isOver(1) {
                let response = await answer(element, of: request)
                left -= response.body.canonicalByteCount
                answers.append([response.isRefusal ? "error" : "success": response.body])
            }
        }
        return APIResponse(body: .array(answers))
    }

    /// `POST /batch/save`: runs the calls in order, up to the first that fails; its refusal is then the whole response.
    ///
    /// The response holds the saved state of each object under the id that its body calls `__internalId`. A body's
    /// `__children` are objects that earlier calls of the batch created: pointers to them are put under their keys. A
    /// `PUT` of a class changes the object named by `__internalId`. Undocumented; this is what the ObjC, Swift and Java
    /// SDKs send and read.
    /// Source: docs/background/leancloud/objects.md#batches.
    func saveBatch(_ request: APIRequest) async throws(APIError) -> APIResponse {
        var saved: JSONObject = [:]
        var left = Self.answersLimit
        func keep(_ object: JSONValue, as id: String?) {
            guard let id else { return }
            var members = saved[id]?.object ?? [:]
            members.merge(object.object ?? [:]) { $1 }
            saved[id] = .object(members)
        }
        for run in try runs(request) {
            if run.owner == .upstream, let batch = request.batch {
                guard request.presence?.hasLeft != true else { throw APIError.clientLeft }
                let elements = run.elements.map { element in
                    var element = element
                    if let body = element["body"] { element["body"] = withChildren(body, saved).body }
                    return element
                }
                let response = await request.serve { await batch.answer(elements) }
                guard !response.isRefusal else { return response }
                guard let objects = response.body.object else { throw APIError.strangeUpstream }
                left -= response.body.canonicalByteCount
                guard left > 0 else { throw APIError.payloadTooLarge }
                for (id, object) in objects { keep(object, as: id) }
                continue
            }
            for element in run.elements {
                guard request.presence?.hasLeft != true else { throw APIError.clientLeft }
                var element = element
                let (body, unsaved) = withChildren(element["body"] ?? [:], saved)
                guard unsaved.isEmpty else { throw APIError(400, 1, "A child of __children was not saved before.") }
                element["body"] = body
                let response = await answer(element, of: request, namesObjects: true)
                guard !response.isRefusal else { return response }
                left -= response.body.canonicalByteCount
                guard left > 0 else { throw APIError.payloadTooLarge }
                keep(response.body, as: body["__internalId"]?.string ?? response.body["objectId"]?.string)
            }
        }
        return APIResponse(body: .object(saved))
    }

    /// The calls of a batch, in order; a single run where this server handles all of them.
    private func runs(_ request: APIRequest) throws(APIError) -> [PassedBatch.Run] {
        try allow(request, .post)
        if let batch = request.batch {
            try batch.check()
            return batch.runs
        }
        guard let elements = try request.object()["requests"]?.array else {
            throw APIError(400, 1, "A batch has requests.")
        }
        return [PassedBatch.Run(owner: .push, elements: elements)]
    }

    /// Replaces children saved earlier by pointers, and returns the unsaved ones too: those of a batch for another
    /// backend may be saved there.
    private func withChildren(_ body: JSONValue, _ saved: JSONObject) -> (body: JSONValue, unsaved: [JSONValue]) {
        guard let children = body["__children"]?.array else { return (body, []) }
        var body = body
        var unsaved: [JSONValue] = []
        for child in children {
            guard let key = child["key"]?.string, let className = child["className"]?.string,
                let id = child["cid"]?.string, let objectID = saved[id]?["objectId"]
            else {
                unsaved.append(child)
                continue
            }
            body[key] = ["__type": "Pointer", "className": .string(className), "objectId": objectID]
        }
        body["__children"] = .array(unsaved)
        return (body, unsaved)
    }

    private func answer(_ element: JSONValue, of batch: APIRequest, namesObjects: Bool = false) async -> APIResponse {
        do throws(APIError) {
            var call = try call(element, of: batch)
            if namesObjects, call.method == .put, call.isWholeClass, let id = element["body"]?["__internalId"]?.string {
                call.path.append(id)
            }
            return await respond(call)
        } catch {
            return APIResponse(error)
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

extension APIRequest {
    /// True if the request addresses a class but none of its objects.
    fileprivate var isWholeClass: Bool { path == ["installations"] || (path.count == 2 && path[0] == "classes") }
}

extension APIResponse {
    var isRefusal: Bool { status >= 400 }
}
