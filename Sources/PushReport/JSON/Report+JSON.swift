internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan

extension Report {
    /// The report for programs.
    var jsonBytes: [UInt8] {
        switch self {
        case .plan(let plan): plan.savedBytes()
        case .diagnostics(let diagnostics):
            OrderedJSON.object([
                ("formatVersion", .string(BugleVersion.format)),
                ("diagnostics", .array(diagnostics.sortedForPrinting().map(\.orderedJSON))),
            ]).bytes
        case .apply(let report): report.orderedJSON.bytes
        case .status(let report): report.orderedJSON.bytes
        case .preview(let report): report.orderedJSON.bytes
        }
    }
}

extension ApplyReport {
    /// What `--json-result` writes.
    var orderedJSON: OrderedJSON {
        [
            "formatVersion": .string(BugleVersion.format),
            "tool": .string(BugleVersion.tool),
            "workspace": .string(workspace),
            "remote": .string(remote.name),
            "results": .array(results.map(\.orderedJSON)),
            "summary": .object(ChangeOutcome.allCases.map { ($0.rawValue, .integer(count($0))) }),
            "exitCode": .integer(exitCode),
        ]
    }
}

extension ApplyReport.Row {
    var orderedJSON: OrderedJSON {
        [
            "kind": .string(kind.rawValue),
            "name": .string(name),
            "action": .string(action.rawValue),
            "result": .string(result.rawValue),
            "detail": .string(detail),
            "delivery": .string(delivery?.text),
            "objectId": .string(objectID),
            "figures": figures?.orderedJSON ?? .null,
        ]
    }
}

extension DeliveryFigures {
    var orderedJSON: OrderedJSON {
        [
            "devices": .integer(devices), "successes": .integer(successes),
            "invalidTokens": .integer(invalidTokens), "inDoubt": .integer(inDoubt), "missed": .integer(missed),
            "simulated": .integer(simulated),
        ]
    }
}

extension StatusReport {
    /// The ledger for programs.
    var orderedJSON: OrderedJSON {
        [
            "formatVersion": .string(BugleVersion.format),
            "tool": .string(BugleVersion.tool),
            "workspace": .string(workspace),
            "remote": .string(remote.name),
            "lastApplied": lastApplied?.orderedJSON ?? .null,
            "deliveries": .array(rows.map(\.orderedJSON)),
        ]
    }
}

extension StatusReport.Row {
    var orderedJSON: OrderedJSON {
        [
            "campaign": .string(campaign),
            "revision": .integer(revision),
            "state": .string(state.rawValue),
            "at": .string(at?.exactText),
            "devices": .integer(figures?.devices),
            "successes": .integer(figures?.successes),
            "invalidTokens": .integer(figures?.invalidTokens),
            "inDoubt": .integer(figures?.inDoubt),
            "missed": .integer(figures?.missed),
            "simulated": .integer(figures?.simulated),
            "objectId": .string(objectID),
            "commit": .string(commit),
            "reason": .string(reason),
        ]
    }
}
