internal import Base
internal import YAML

extension DocumentReader {
    /// Checks the stages of a rollout, and that they fit into the campaign's time.
    func check(_ rollout: Rollout, of campaign: Campaign, _ document: MapReader) {
        guard let map = document.inner("rollout"), !context.faultyMappings.contains(Rollout.fields.description.name)
        else { return }
        checkShares(map)
        if let limits = map["stopWhen"], rollout.stopWhen == Rollout.Limits(), limits.count == 0 {
            map.report(
                .missingKey, "'stopWhen' is empty", atKeyOf: "stopWhen",
                help: "say when to stop, such as {refused: 2%, deadTokens: 15%}")
        }
        if let floor = rollout.stopWhen.opened?.below, floor.parts == 0 {
            context.report(
                .invalidValue, "no share is below 0%: it stops nothing",
                at: map.inner("stopWhen")?.inner("opened")?["below"] ?? document.node)
        }
        guard let stages = map["stages"], stages.elements.reduce(0, { count, _ in count + 1 }) == rollout.stages.count
        else { return }
        checkOrder(rollout.stages, at: stages)
        guard rollout.stages.count > 1 else { return }
        let stops = rollout.stages.count - 1
        if rollout.bakes > campaign.window {
            map.report(
                .conflictingKeys,
                "the last stage starts at least \(rollout.bakes.configurationText) after the first, later than the window of "
                    + "\(campaign.window.configurationText) allows",
                atKeyOf: map.has("bake") ? "bake" : "stages",
                help: "\(stops) times 'bake' must fit into 'schedule.window'")
        }
        if case .at(let end) = campaign.expiration, let start = campaign.scheduledAt,
            start.instant + rollout.bakes >= end.instant
        {
            map.report(
                .conflictingKeys, "the last stage starts after 'expiration.at'",
                atKeyOf: map.has("bake") ? "bake" : "stages",
                help: "\(stops) times 'bake' must fit between 'schedule.at' and 'expiration.at'")
        }
    }

    /// Reports percentages that are no shares: devices are told apart by ten-thousandths.
    private func checkShares(_ map: MapReader) {
        let limits = map.inner("stopWhen").map { limits in
            [limits["refused"], limits["deadTokens"], limits["inDoubt"], limits.inner("opened")?["below"]]
                .compactMap(\.self)
        }
        for node in (map["stages"].map { Array($0.elements) } ?? []) + (limits ?? []) {
            guard let text = node.string, FieldType.fraction(text) != nil, Share(text) == nil else { continue }
            context.report(
                .invalidValue, "\(quoted(text)) is not a share from 0% to 100% with at most two decimal places",
                at: node)
        }
    }

    private func checkOrder(_ stages: [Share], at node: Node) {
        let nodes = Array(node.elements)
        for (index, pair) in zip(stages, stages.dropFirst()).enumerated() where pair.0 >= pair.1 {
            context.report(
                .invalidValue,
                "stage \(pair.1.text) is not larger than \(pair.0.text) before it: each includes the last",
                at: index + 1 < nodes.count ? nodes[index + 1] : node)
        }
        guard let last = stages.last, last != .whole || stages.count < 2 else { return }
        context.report(
            .invalidValue, stages.count < 2 ? "a rollout has at least two stages" : "the last stage is not 100%",
            at: nodes.last ?? node, help: "such as [1%, 10%, 100%]")
    }
}
