internal import Diagnostics
internal import JSONValue
internal import PushModel

extension Plan {
    /// Reads a plan file that ``savedBytes()`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan` for anything else, `majorVersion` for another major format,
    ///   `damaged` when any byte differs from what was written.
    package static func read(saved bytes: [UInt8]) throws(SavedPlanError) -> Plan {
        guard PlanSeal.unsealed(bytes) != nil else { throw unsealed(bytes) }
        guard let outline = JSONOutline(of: bytes) else { throw .notAPlan("it cannot be read") }
        let rest = outline.emptying(["changes", "diagnostics"])
        let saved: SavedPlan
        do {
            saved = try decode(SavedPlan.self, rest)
        } catch {
            // Another version is the better reason.
            if let head = try? decode(SavedPlanHead.self, rest) { try checkVersion(head) }
            throw .notAPlan(reason(of: error))
        }
        try checkVersion(saved.head)
        return try saved.plan(
            changes: values(SavedChange.self, "changes", outline),
            diagnostics: values(SavedDiagnostic.self, "diagnostics", outline))
    }

    /// Reads a JSON text as a type's.
    static func decode<Saved: Decodable>(_ type: Saved.Type, _ bytes: some Sequence<UInt8>) throws -> Saved {
        try JSONValue(parsing: bytes, limits: .anyMemory).decoded(as: type)
    }

    /// The elements of a list, read on all cores.
    private static func values<Saved: SavedElement>(
        _ type: Saved.Type, _ member: String, _ outline: JSONOutline
    ) throws(SavedPlanError) -> [Saved.Value] {
        let places: [Range<Int>]
        switch outline.member(member) {
        case .list(let list): places = list
        case .missing: throw .notAPlan("\(member) is missing")
        case .other: throw .notAPlan("\(member) has the wrong type")
        }
        let results = [Result<Saved.Value, SavedPlanError>](concurrently: places.count) { index in
            let path = "\(member)[\(index)]"
            do {
                let saved = try decode(Saved.self, outline.bytes[places[index]])
                return .success(try saved.value(path))
            } catch let error as SavedPlanError {
                return .failure(error)
            } catch {
                return .failure(.notAPlan(reason(of: error, in: path)))
            }
        }
        var values: [Saved.Value] = []
        values.reserveCapacity(results.count)
        for result in results { values.append(try result.get()) }
        return values
    }

    private static func checkVersion(_ head: SavedPlanHead) throws(SavedPlanError) {
        guard let version = head.formatVersion else { throw .notAPlan("it has no formatVersion") }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw .notAPlan("its formatVersion is no version")
        }
        guard major == BugleVersion.majorFormat else { throw .majorVersion(version, tool: head.tool) }
    }

    /// What a file is whose bytes do not end with their seal.
    private static func unsealed(_ bytes: [UInt8]) -> SavedPlanError {
        guard let head = try? decode(SavedPlanHead.self, bytes) else {
            let looksLikePlan = bytes.starts(with: "{\n  \"formatVersion\"".utf8)
            return looksLikePlan ? .damaged : .notAPlan("it is not JSON with a formatVersion")
        }
        do {
            try checkVersion(head)
        } catch {
            return error
        }
        guard head.integrity == nil, head.changes == nil else { return .damaged }
        return .notAPlan("it holds diagnostics or results, and no changes")
    }

    /// Names the member at fault; `place` is where what was decoded stands.
    static func reason(of error: any Error, in place: String = "") -> String {
        guard let error = error as? DecodingError else { return "it cannot be read" }
        func name(_ path: [any CodingKey]) -> String {
            let text = place + path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
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
    func plan(changes: [Change], diagnostics: [Diagnostic]) throws(SavedPlanError) -> Plan {
        let remote = RemoteDescription(
            name: remote, type: try known(RemoteType(rawValue: remoteType), "remoteType", remoteType),
            title: remoteTitle,
            fingerprint: try known(Digest(remoteFingerprint), "remoteFingerprint", remoteFingerprint))
        var plan = Plan(
            workspace: workspace, remote: remote, desired: try known(Digest(desired), "desired", desired),
            lastApplied: lastApplied, createdAt: createdAt, expiresAt: expiresAt, isSimulated: simulated ?? false,
            targets: targets ?? [],
            changes: changes, diagnostics: diagnostics)
        // It only says how the plan is shown: one that this version lacks is shown in that of the environment.
        plan.language = language.flatMap(Language.init(rawValue:))
        if let calendar { plan.calendar = try calendar.calendar("calendar") }
        for (index, certificate) in (certificates ?? []).enumerated() {
            plan.certificates.append(try certificate.certificate("certificates[\(index)]"))
        }
        return plan
    }
}

/// What stands in a list of a plan file, before its texts are understood.
protocol SavedElement: Decodable, SendableMetatype {
    associatedtype Value: Sendable

    /// With every text understood; `path` names it in errors.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`.
    func value(_ path: String) throws(SavedPlanError) -> Value
}

/// A value that this version knows.
///
/// - Throws: ``SavedPlanError`` with `notAPlan`, naming the member and the text.
func known<Value>(_ value: Value?, _ member: String, _ text: String) throws(SavedPlanError) -> Value {
    guard let value else { throw .notAPlan("\(member) has a value that this version does not know, '\(text)'") }
    return value
}
