internal import Diagnostics
internal import PushModel

extension SavedChange: SavedElement {
    func value(_ path: String) throws(SavedPlanError) -> Change {
        var blocks: [PushPlan.Block] = []
        for block in blocked {
            let rule = try known(PushPlan.Block.Rule(rawValue: block.rule), path + ".blocked", block.rule)
            blocks.append(PushPlan.Block(rule, block.message))
        }
        var result = Change(
            kind: try known(ResourceKind(rawValue: kind), path + ".kind", kind), name: name,
            action: try known(Action(rawValue: action), path + ".action", action), reason: reason, file: file,
            line: line, delivery: try delivery?.planned(path + ".delivery"),
            audience: try audience?.planned(path + ".audience"),
            payload: payload.map { PlannedPayload(bytes: $0.bytes, limit: $0.limit) }, before: before, after: after,
            request: try request?.request(path + ".request"), preview: preview, blocked: blocks)
        // Far more than there are platforms, and few enough to draw.
        guard looks?.count ?? 0 <= 64 else { throw .notAPlan("\(path).looks has more looks than there are platforms") }
        for look in looks ?? [] { result.looks.append(try look.look(path + ".looks")) }
        return result
    }
}

extension SavedChange.Delivery {
    func planned(_ path: String) throws(SavedPlanError) -> PlannedDelivery {
        var time: OffsetInstant?
        if let at { time = try known(OffsetInstant(at), path + ".at", at) }
        return PlannedDelivery(
            id: try known(DeliveryID(id), path + ".id", id), generation: generation, revision: revision,
            occurrence: try known(Occurrence(occurrence), path + ".occurrence", occurrence), at: time,
            expiresAt: expiresAt, expires: expires)
    }
}

extension SavedChange.Request {
    func request(_ path: String) throws(SavedPlanError) -> PushRequest {
        PushRequest(
            endpoint: try known(PushRequest.Endpoint(rawValue: endpoint), path + ".endpoint", endpoint), body: body)
    }
}

extension SavedDiagnostic: SavedElement {
    func value(_ path: String) throws(SavedPlanError) -> Diagnostic {
        var range: SourceRange?
        if let file, let line, let column {
            for number in [line, column, endLine ?? 1, endColumn ?? 1] { _ = try counted(number, path + ".line") }
            range = SourceRange(
                file: file, start: SourcePosition(line: line, column: column),
                end: SourcePosition(line: endLine ?? line, column: endColumn ?? column + 1))
        }
        return Diagnostic(
            try known(Severity(rawValue: severity), path + ".severity", severity),
            try known(DiagnosticCode(rawValue: code), path + ".code", code), message, at: range, help: help,
            related: (related ?? []).map(\.place))
    }
}

extension SavedDiagnostic.Related {
    var place: Diagnostic.Related {
        Diagnostic.Related(
            message,
            at: SourceRange(
                file: file, start: SourcePosition(line: line, column: column),
                end: SourcePosition(line: endLine, column: endColumn)))
    }
}
