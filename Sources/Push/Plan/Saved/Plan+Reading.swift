internal import Base

extension Plan {
    /// Reads a plan file that ``savedBytes()`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan` for anything else, `majorVersion` for another major format,
    ///   `damaged` when any byte differs from what was written.
    package static func read(saved bytes: [UInt8]) throws(SavedPlanError) -> Plan {
        guard PlanSeal.unsealed(bytes) != nil else { throw unsealed(bytes) }
        guard let outline = JSONOutline(of: bytes),
            let head = document(outline.emptying(["changes", "diagnostics"]))
        else { throw .notAPlan("it cannot be read") }
        try checkVersion(head)
        var plan: Plan
        do throws(RecordError) {
            plan = try record.read(head)
            plan.changes = try outline.elements("changes", Change.record)
            plan.diagnostics = try outline.elements("diagnostics", DiagnosticRecord.ofPlan).sortedForPrinting()
        } catch {
            throw .notAPlan(error.text())
        }
        plan.changes.sort(by: Change.precedes)
        return plan
    }

    /// Parses a JSON text.
    static func document(_ bytes: some Sequence<UInt8>) -> JSONValue? {
        try? JSONValue(parsing: bytes, limits: .anyMemory)
    }

    private static func checkVersion(_ head: JSONValue) throws(SavedPlanError) {
        guard let version = head["formatVersion"]?.string else { throw .notAPlan("it has no formatVersion") }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw .notAPlan("its formatVersion is not a version")
        }
        guard major == BugleVersion.majorFormat else {
            throw .majorVersion(version, tool: head["tool"]?.string)
        }
    }

    /// Returns the error for a file without a valid seal.
    private static func unsealed(_ bytes: [UInt8]) -> SavedPlanError {
        guard let head = document(bytes), head.object != nil else {
            let looksLikePlan = bytes.starts(with: "{\n  \"formatVersion\"".utf8)
            return looksLikePlan ? .damaged : .notAPlan("it is not JSON with a formatVersion")
        }
        do throws(SavedPlanError) {
            try checkVersion(head)
        } catch {
            return error
        }
        guard head["integrity"] == nil, head["changes"] == nil else { return .damaged }
        return .notAPlan("it holds diagnostics or results, and no changes")
    }
}

extension JSONOutline {
    /// Reads the elements of a list, on all cores.
    ///
    /// - Throws: `RecordError` that names the first invalid element.
    func elements<Element: Sendable>(
        _ member: String, _ record: Record<Element>
    ) throws(RecordError) -> [Element] {
        let places: [Range<Int>]
        switch self.member(member) {
        case .list(let list): places = list
        case .missing: throw RecordError(.missing).under(member)
        case .other: throw RecordError(.type).under(member)
        }
        let results = [Result<Element, RecordError>](concurrently: places.count) { index in
            guard let value = Plan.document(bytes[places[index]]) else { return .failure(RecordError(.unreadable)) }
            return Result { () throws(RecordError) in try record.read(value) }
        }
        var elements: [Element] = []
        elements.reserveCapacity(results.count)
        for (index, result) in results.enumerated() {
            do throws(RecordError) {
                elements.append(try result.get())
            } catch {
                throw error.at(index).under(member)
            }
        }
        return elements
    }
}
