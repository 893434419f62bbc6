internal import Base
internal import Push

/// The steps from the old service to the new server, in their order; each is done when nothing is left to do for it.
enum TurnStep: CaseIterable {
    /// The new server has what the old service has, and keeps step with it.
    case copy
    /// The new server knows what was delivered.
    case ledger
    /// No apply would send anything while the domain moves.
    case hold
    /// The domain leads to the new server.
    case domain
    /// Devices have registered with the new server itself.
    case arrivals
    /// What was held may be sent again.
    case release

    var title: Reason {
        switch self {
        case .copy: Reason(.stepCopy)
        case .ledger: Reason(.stepLedger)
        case .hold: Reason(.stepHold)
        case .domain: Reason(.stepDomain)
        case .arrivals: Reason(.stepArrivals)
        case .release: Reason(.stepRelease)
        }
    }
}

/// The steps of a turn as they stand, with what to type for those that are not done.
struct TurnWords: Sendable {
    let outcome: Migration.Outcome
    let migration: Migration

    /// The paragraphs after the findings: the steps, then the way back where there is one, then what is next.
    var lines: [[Reason]] {
        let first = TurnStep.allCases.first { !outcome.done.contains($0) }
        var steps = [Reason(.turn)]
        for (index, step) in TurnStep.allCases.enumerated() {
            let number = Reason.Value.number(index + 1)
            let title = Reason.Value.reason(step.title)
            if outcome.done.contains(step) {
                steps.append(Reason(.stepDone, number, title))
            } else {
                let typed = Reason.Value.reason(typed(for: step))
                steps.append(
                    step == first
                        ? Reason(.stepNext, number, title, typed) : Reason(.stepLater, number, title, typed))
            }
        }
        return [steps] + (wayBack.map { [[$0]] } ?? []) + [[outcome.closing]]
    }

    var json: JSONValue {
        .array(
            TurnStep.allCases.enumerated().map { index, step in
                let isDone = outcome.done.contains(step)
                var members: JSONObject = [
                    "number": .integer(Int64(index + 1)), "title": .string(step.title.text), "done": .bool(isDone),
                ]
                if !isDone { members["type"] = .string(typed(for: step).text) }
                return .object(members)
            })
    }

    /// How to turn back; nil before the turn, and when the old service is gone.
    private var wayBack: Reason? {
        guard outcome.state == .moved || outcome.done.contains(.domain), outcome.isOldThere else { return nil }
        return Reason(.wayBack, .text(migration.domain.name), .text("bugle-server return --to \(service) --write"))
    }

    /// What to type for a step.
    private func typed(for step: TurnStep) -> Reason {
        let (old, new) = (migration.old.name, migration.new.name)
        switch step {
        case .copy:
            let command = "bugle-server pull --from \(service) --follow"
            return .verbatim(command)
        case .ledger:
            let command = "bugle ledger copy --from \(old) --to \(new)"
            return .verbatim(command)
        case .hold: return Reason(.writeHold, .text(names(outcome.campaigns.unheld)))
        case .domain:
            return Reason(
                .leadDomain, .text(migration.domain.name), .text(Authority(of: migration.places.new.url).text))
        case .arrivals: return Reason(.lookAgain, .text("bugle migrate --from \(old) --to \(new)"))
        case .release:
            return Reason(
                .removeHold, .text(names(outcome.campaigns.held)),
                .text("bugle plan --remote \(new); bugle apply --remote \(new)"))
        }
    }

    /// The old service in the words of bugle-server's commands.
    private var service: String {
        "\(migration.places.old.url.shellWord) --app-id \(migration.places.old.appID.shellWord) --config server.yaml"
    }

    /// Some names, as many as a line may have.
    private func names(_ names: [String]) -> String {
        guard !names.isEmpty else { return "*" }
        return names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    }
}
