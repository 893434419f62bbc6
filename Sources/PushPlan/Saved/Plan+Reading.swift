internal import Diagnostics
internal import FoundationEssentials
internal import PushModel

extension Plan {
    /// Reads a plan file that ``savedBytes()`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan` for anything else, `majorVersion` for another major format,
    ///   `damaged` when any byte differs from what was written.
    package static func read(saved bytes: [UInt8]) throws(SavedPlanError) -> Plan {
        let data = Data(bytes)
        try checkHead(data, sealed: PlanSeal.holds(for: bytes))
        let saved: SavedPlan
        do {
            saved = try JSONDecoder().decode(SavedPlan.self, from: data)
        } catch {
            throw .notAPlan(reason(of: error))
        }
        return try saved.plan()
    }

    private static func checkHead(_ data: Data, sealed: Bool) throws(SavedPlanError) {
        guard let head = try? JSONDecoder().decode(SavedPlanHead.self, from: data) else {
            let looksLikePlan = data.starts(with: Data("{\n  \"formatVersion\"".utf8))
            throw looksLikePlan ? .damaged : .notAPlan("it is not JSON with a formatVersion")
        }
        guard let version = head.formatVersion else { throw .notAPlan("it has no formatVersion") }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw .notAPlan("its formatVersion is no version")
        }
        guard major == BugleVersion.majorFormat else { throw .majorVersion(version, tool: head.tool) }
        if sealed { return }
        guard head.integrity == nil, head.changes == nil else { throw .damaged }
        throw .notAPlan("it holds diagnostics or results, and no changes")
    }

    /// Names the member at fault.
    static func reason(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it cannot be read" }
        func name(_ path: [any CodingKey]) -> String {
            let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
            return text.hasPrefix(".") ? String(text.dropFirst()) : text
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(name(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): return "\(name(context.codingPath)) is null"
        case .typeMismatch(_, let context): return "\(name(context.codingPath)) has the wrong type"
        case .dataCorrupted(let context): return "\(name(context.codingPath)) has a value that cannot be read"
        @unknown default: return "it cannot be read"
        }
    }
}

extension SavedPlan {
    /// The plan, with every text understood.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`, naming the member that has a value of another version.
    func plan() throws(SavedPlanError) -> Plan {
        let remote = RemoteDescription(
            name: remote, type: try known(RemoteType(rawValue: remoteType), "remoteType", remoteType),
            title: remoteTitle,
            fingerprint: try known(Digest(remoteFingerprint), "remoteFingerprint", remoteFingerprint))
        var changes: [Change] = []
        changes.reserveCapacity(self.changes.count)
        for (index, change) in self.changes.enumerated() {
            changes.append(try change.change("changes[\(index)]"))
        }
        var diagnostics: [Diagnostic] = []
        for (index, diagnostic) in self.diagnostics.enumerated() {
            diagnostics.append(try diagnostic.diagnostic("diagnostics[\(index)]"))
        }
        var plan = Plan(
            workspace: workspace, remote: remote, desired: try known(Digest(desired), "desired", desired),
            lastApplied: lastApplied, createdAt: createdAt, expiresAt: expiresAt, isSimulated: simulated ?? false,
            targets: targets ?? [],
            changes: changes, diagnostics: diagnostics)
        if let calendar { plan.calendar = try calendar.calendar("calendar") }
        for (index, certificate) in (certificates ?? []).enumerated() {
            plan.certificates.append(try certificate.certificate("certificates[\(index)]"))
        }
        return plan
    }
}

/// A value that this version knows.
///
/// - Throws: ``SavedPlanError`` with `notAPlan`, naming the member and the text.
func known<Value>(_ value: Value?, _ member: String, _ text: String) throws(SavedPlanError) -> Value {
    guard let value else { throw .notAPlan("\(member) has a value that this version does not know, '\(text)'") }
    return value
}
