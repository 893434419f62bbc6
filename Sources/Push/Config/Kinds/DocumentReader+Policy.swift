internal import Base
internal import YAML

extension DocumentReader {
    /// Checks the rules of a policy that hold back single devices, and those on approvals.
    func check(_ policy: Policy, _ document: MapReader) {
        guard let map = document.inner("policy") else { return }
        if let node = map.inner("holdout")?["share"] { checkShare(node) }
        for rule in map["frequency"].map({ Array($0.elements) }) ?? [] where rule.kind == .mapping {
            guard let node = rule.entry(named: "per")?.value, let text = node.string,
                let per = Duration(configurationText: text)
            else { continue }
            checkTime(per, policy.reachedKept, at: node)
        }
        for rule in map["approvals"].map({ Array($0.elements) }) ?? [] where rule.kind == .mapping {
            guard let when = rule.entry(named: "when"), when.value.kind == .mapping else { continue }
            checkCondition(when)
        }
    }

    private func checkCondition(_ when: Node.Entry) {
        if Array(when.value.entries).isEmpty {
            context.report(
                .missingKey, "'when' must say 'devices' or 'labels'", at: when.key,
                help: "a rule for every delivery is when: {devices: 1}")
        } else if let labels = when.value.entry(named: "labels"), labels.value.kind == .mapping,
            Array(labels.value.entries).isEmpty
        {
            context.report(.invalidValue, "'labels' names no label", at: labels.value)
        }
    }

    private func checkShare(_ node: Node) {
        guard let text = node.string, FieldType.fraction(text) != nil else { return }
        if let share = Share(text), share > Share(parts: 0), share < .whole { return }
        context.report(
            .invalidValue,
            "\(quoted(text)) is not a share of more than 0% and less than 100% with at most two decimal places",
            at: node)
    }

    private func checkTime(_ per: Duration, _ kept: Duration, at node: Node) {
        if per < .seconds(1) {
            context.report(.invalidValue, "'per' must be at least 1s", at: node)
        } else if per > kept {
            context.report(
                .conflictingKeys,
                "the rule looks back \(per.configurationText), but which devices were reached is known for "
                    + "\(kept.configurationText) only", at: node,
                help: "set policy.reached: {keep: \(per.configurationText)}, or a shorter time here")
        }
    }
}
