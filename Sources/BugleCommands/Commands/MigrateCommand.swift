internal import ArgumentParser
internal import Base
internal import Push

/// Shows the state of a migration from LeanCloud and the next step.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Shows what is done and what is next in the move off LeanCloud.",
        discussion: """
            EXAMPLES
              bugle migrate --from leancloud --to server
              bugle migrate --from leancloud --to server --rehearse

            Looks at the live app, at the new server, at the domain that apps call and at the workspace, and changes \
            nothing anywhere. Run it again after each step: it numbers the steps of the turn, ticks those that are done, \
            and says what to type for the others; the next one is printed last.

            --rehearse looks closer, days before the turn: it compares the audience of every campaign, channel and segment \
            on both sides by number and by ids, and explains each difference by its cause; lets the new server render \
            every campaign that is due for each way that it has, without sending it; and asks for a copy that is less than \
            a minute behind ('bugle-server pull --follow'). Devices that the new server cannot reach are to be dealt with, \
            unless the workspace accepts to lose them (migration.accept).

            Ends with 0 when the domain may be moved, and again when it has been; with 6 while something is left to do \
            before. A remote that cannot be asked, a credential that is wrong or a file with an error has its own code.
            """)

    @Option(
        help: ArgumentHelp("The remote that is LeanCloud's service.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var from: String

    @Option(
        help: ArgumentHelp("The remote that is the new server, by an address of its own.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var to: String

    @Option(
        help: ArgumentHelp("The domain that apps call, or its address. Default: that of --from.", valueName: "HOST"))
    var domain: String?

    @Flag(help: "Compare every audience by ids, render every campaign that is due, and ask for a copy in step.")
    var rehearse = false

    @Flag(
        name: .customLong("dry-run-vendors"),
        help: "With --rehearse: let FCM and Huawei check each campaign in a dry run, which no device gets.")
    var dryRunsVendors = false

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if from == to { throw ValidationError("--from and --to name the same remote") }
        if dryRunsVendors, !rehearse { throw ValidationError("--dry-run-vendors needs --rehearse") }
    }

    func run() async throws {
        try await running(common, formats: formats.requested) {
            var migration = try await Migration(
                try await Workbench(common, for: to), from: from, to: to, domain: domain)
            migration.isRehearsal = rehearse
            migration.dryRunsVendors = dryRunsVendors
            let outcome = try await migration.look()
            let words = TurnWords(outcome: outcome, migration: migration)
            for format in formats.requested {
                outcome.findings.write(
                    as: format, migration.bench.console, in: migration.bench.printing.language, closing: words.lines,
                    more: [
                        "state": .string(outcome.state.rawValue), "next": .string(outcome.next.text),
                        "steps": words.json,
                    ])
            }
            return .combined(outcome.findings.map(\.status))
        }
    }
}

// MARK: - Steps

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
