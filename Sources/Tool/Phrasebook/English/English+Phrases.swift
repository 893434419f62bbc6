internal import PushModel

extension English {
    /// A sentence in English.
    static func text(_ phrase: Phrase) -> String {
        switch phrase {
        // Counts.
        case .devices(let count): counted(count, "device")
        case .missedDevices(let count): "\(count.grouped) missed"
        case .pushes(let count): counted(count, "push", "pushes")
        case .ofRegistered(let count): "of \(counted(count, "device")) registered"
        case .collisions(let count): counted(count, "collision")
        case .notes(let count): counted(count, "note")
        case .errors(let count): counted(count, "error")
        case .warnings(let count): counted(count, "warning")
        case .valid(let files, let campaigns): "\(counted(files, "file")), \(counted(campaigns, "campaign")): valid"
        case .nothingIntroduced(let revision, let earlier):
            "no error is new since \(revision); \(counted(earlier, "earlier diagnostic")) not shown"
        case .others(let count): "\(count.grouped) others"
        case .more(let count): "\(count.grouped) more"
        case .moreRows(let count): counted(count, "more row")
        case .morePushes(let count): "\(count.grouped) more pushes"
        case .daysLeft(let count): counted(count, "day") + " left"
        case .count(let count, let of): "\(count.grouped) \(of)"
        case .size(let bytes, let limit): "\(bytes.grouped) of \(limit.grouped) bytes"
        case .namesAndMore(let list, let count): list.joined(separator: ", ") + " and \(count.grouped) more"
        // Audiences.
        case .lastDelivery(let revision, let devices, let at, let change, let share):
            lastDelivery(revision, devices, at, change, share)
        case .zonesOfNewest(let count): "Time zone, of the newest \(count.grouped) devices"
        case .underShare(let percent): "under \(percent) %"
        case .share(let percent): "\(percent) %"
        // The calendar.
        case .quietHours(let hours): "Quiet hours: \(hours)."
        case .atTheEarliest(let moment): "\(time(moment)) at the earliest"
        case .laterAtTheEarliest(let delay): "\(delay.configurationText) later at the earliest"
        case .devicesWithoutZone(let zone): "devices without a time zone, as in \(zone)"
        case .timesOfZone(let zone): "Days and times of \(zone), where most of the devices are."
        case .until(let text, let end): "\(text), expires \(end)"
        case .closeTo(let count): "too close to \(counted(count, "other"))"
        case .pair(let first, let second, let apart, let devices):
            "\(first) and \(second): " + (apart == .zero ? "at the same time" : "\(duration(apart)) apart")
                + (devices.map { ", \(counted($0, "device"))" } ?? ", some devices perhaps")
        case .minimumGap(let gap):
            "These pairs are closer than \(gap.configurationText), the policy's minimumGap: move one, or narrow an audience."
        case .remarked(let text, let remark): "\(text) (\(remark))"
        // Certificates.
        case .certificateEnded(let name): "the certificate of \(name) has ended"
        case .certificateEnds(let name, let days): "the certificate of \(name) ends in \(counted(days, "day"))"
        case .key(let name): "key \(name)"
        // Effects of a change.
        case .blocked(let list): "blocked: " + list.joined(separator: "; ")
        case .approvals(let count, let teams):
            counted(count, "approval") + (teams.isEmpty ? "" : " from " + teams.joined(separator: " or "))
        case .approvalsFrom(let devices): "\(counted(devices, "device")) or more"
        case .approvedBy(let names): "approved by " + names.joined(separator: ", ")
        case .scheduled(let moment, let expires): "\(time(moment))\(expires.map { ", expires \($0)" } ?? "")"
        case .rescheduled(let to): "rescheduled to \(to)"
        case .cancels(let time): "cancels" + (time.map { " \($0)" } ?? "")
        case .waits(let time): "waits" + (time.map { " for \($0)" } ?? "")
        case .missed(let time): "missed" + (time.map { " \($0)" } ?? "")
        case .occurrencesAhead(let count): counted(count, "occurrence") + " ahead"
        case .furtherUntil(let count, let day): "\(count.grouped) more" + (day.map { " until \($0)" } ?? "")
        case .between(let start, let end): "between \(start) and \(end)"
        case .showsNothing(let name): "\(name): nothing is shown"
        case .lastApplied(let commit, let ago, let run):
            "last applied\(commit.map { " \($0)," } ?? "") \(duration(ago)) ago" + (run.map { ", by \($0)" } ?? "")
        case .noChanges(let remote): "No changes: \(remote) matches the workspace."
        case .sums(let resources, let deliveries):
            "Plan: \(resources.joined(separator: ", ")). Deliveries: \(deliveries.joined(separator: ", "))."
        // What a merge does.
        case .merging(let verbs, let clauses, let isNothing):
            "Merging " + anded(verbs) + (isNothing && verbs.count == 1 ? ": " : "; ") + clauses.joined(separator: "; ")
                + "."
        case .verbSends(let count, let devices): "sends \(counted(count, "push", "pushes")) to \(devices) now"
        case .verbSchedules(let count, let devices, let isFirst):
            "schedules \(isFirst ? counted(count, "push", "pushes") : count.grouped)"
                + (devices.map { " to \($0)" } ?? "")
        case .verbReschedules(let count): "reschedules \(counted(count, "push", "pushes"))"
        case .verbGoesOn(let count, let devices):
            "goes on with \(counted(count, "open delivery", "open deliveries"))" + (devices.map { " to \($0)" } ?? "")
        case .verbCancels(let count): "cancels \(counted(count, "push", "pushes"))"
        case .verbStarts(let count): "starts \(counted(count, "recurring campaign"))"
        case .verbCreates(let count): "creates \(counted(count, "resource"))"
        case .verbUpdates(let count, let isFirst): "updates \(isFirst ? counted(count, "resource") : count.grouped)"
        case .verbDeletes(let count, let isFirst): "deletes \(isFirst ? counted(count, "resource") : count.grouped)"
        case .atLeast(let devices): "at least \(devices)"
        case .areBlocked(let pushes, let others, let rules):
            (others == 0
                ? counted(pushes, "push", "pushes")
                : pushes == 0 ? counted(others, "resource") : counted(pushes + others, "change"))
                + (pushes + others == 1 ? " is" : " are") + " blocked" + (rules.count > 1 ? ": " : " ")
                + rules.joined(separator: ", ")
        case .byRule(let rule, let until, let count):
            (count.map { $0.grouped + " " } ?? "") + "by \(rule)" + (until.map { " until \($0)" } ?? "")
        case .needPerson(let count): counted(count, "delivery needs", "deliveries need") + " a person's decision"
        case .areOnHold(let count): counted(count, "delivery is", "deliveries are") + " on hold"
        case .goOnInParts(let count): counted(count, "delivery goes", "deliveries go") + " on in parts"
        case .waitForTime(let count): counted(count, "push waits", "pushes wait") + " for the time to come"
        case .wereMissed(let count): counted(count, "push was", "pushes were") + " missed"
        // Results of an apply.
        case .nothingToApply(let remote, let waiting):
            waiting == 0
                ? "Nothing to apply: \(remote) matches the workspace."
                : "Nothing to apply now: \(waiting.grouped) waiting."
        case .applied(let list): "Applied: \(list.joined(separator: ", "))."
        case .sentTo(let pushes, let devices, let simulated):
            pushes == 0
                ? "nothing sent"
                : counted(pushes, "push", "pushes") + " sent to "
                    + [
                        devices > 0 || simulated == 0 ? counted(devices, "device") : nil,
                        simulated > 0 ? counted(simulated, "simulated device") : nil,
                    ].compactMap(\.self).joined(separator: " and ")
        case .sentUncounted(let pushes): counted(pushes, "push", "pushes") + " sent and not counted yet"
        case .reached(let devices, let simulated):
            [
                devices > 0 || simulated == 0 ? devices.grouped : nil,
                simulated > 0 ? "\(simulated.grouped) simulated" : nil,
            ]
            .compactMap(\.self).joined(separator: " and ")
        case .inDoubtDevices(let count): "\(count.grouped) in doubt"
        case .nextDue(let campaign, let at): "Next: \(campaign), \(time(at))."
        case .outcome(let word, let devices, let simulated, let lost, let detail):
            word + (devices.map { $0 > 0 || simulated == 0 ? ", " + counted($0, "device") : "" } ?? "")
                + (simulated > 0 ? ", " + counted(simulated, "simulated device") : "") + lost.map { ", " + $0 }.joined()
                + (detail.map { ": " + $0 } ?? "")
        // The ledger.
        case .deliveries(let count, let list):
            counted(count, "delivery", "deliveries") + ": \(list.joined(separator: ", "))."
        case .appliedSince(let moment): "applied since \(moment)"
        case .appliedBefore(let count):
            counted(count, "earlier delivery", "earlier deliveries") + ": a longer --since lists them."
        case .absentClass(let name): "Its condition queries the class \(name), which does not exist."
        // Previews.
        case .previewed(let revision, let delivery): "revision \(revision), delivery \(delivery)"
        case .revision(let of, let count): "campaign \(of), revision \(count)"
        case .at(let audience, let moment): audience + (moment.map { ", \(time($0))" } ?? "")
        case .notMeant(let remote): "it is not deployed to \(remote): its 'remotes' do not include it"
        case .theRequest(let call): "The request (\(call)):"
        // Effects on a device, in words.
        case .badge(let count): "badge \(count)"
        case .sound(let name): "sound: \(name)"
        case .criticalSound(let name): "critical sound: \(name)"
        case .interruption(let name): "interruption level: \(name)"
        // The page.
        case .figureRest(let count, let of):
            "This page shows the \(of) campaigns to look at first; \(count.grouped) of these are not shown: bugle preview draws any one."
        // The comment of a pull request.
        case .moreItems(let count, let list):
            "… \(count.grouped) more: \(list.joined(separator: ", ")); the full report is in the HTML or JSON artifact."
        case .noPlan(let ending):
            "**There is no plan**\(ending.map { ": \($0.meaning) (exit code \($0.code))" } ?? ""). The log says why."
        case .exitCode(let code, let meaning): "**Exit code \(code)**: \(meaning)."
        case .noResult(let ending):
            "**There is no result of the apply**\(ending.map { ": \($0.meaning) (exit code \($0.code))" } ?? ""). The log says why; the next apply continues."
        case .appliedFrom(let commit, let page):
            page.map { "Applied from [`\(commit)`](<\($0)>)." } ?? "Applied from `\(commit)`."
        case .job(let address): "[The job and its log](<\(address)>)."
        case .pullRequest(let address): "[The pull request](<\(address)>)."
        case .plannedFrom(let commit): "Planned from `\(commit)`."
        case .wholePage(let address): "[Full report](<\(address)>)."
        case .carriesOut(let who):
            "\(who) applies exactly this plan, or nothing if anything has changed by then (exit code 9). By hand: `bugle apply PLAN`. A push cannot be taken back."
        case .neverApplied(let name): "The plan for \(name) was made with `--now` or `--against`: it is never applied."
        case .holdsUntil(let name, let moment): "The plan for \(name) is valid until \(instant(moment))."
        // Drawings.
        case .playedThoughMuted(let name): "♪ \(name), even when muted"
        case .notPlayed(let name): "♪ \(name), not played"
        case .grouped(let name): "grouped: " + name
        case .actions(let name): "actions: " + name
        case .replaces(let name): "replaces: " + name
        case .actionsOf(let name): "Actions of \(name)"
        case .actionsNamed(let name): "[actions of \(name): the app names them]"
        case .picture(let name, let of): "[picture \(name) of \(of)]"
        case .withoutValues(let fields): "without " + fields.joined(separator: ", ")
        case .andMore(let count): "and \(count) more"
        case .soundPlays(let name): "The sound \(name) is played."
        case .badgeBecomes(let count): "The badge becomes \(count)."
        case .sideBySide(let list): list.joined(separator: " ")
        case .label(let label): text(label)
        case .sentences(let list): list.joined(separator: ". ")
        // The console.
        case .inMinutes(let count): "in \(count) min"
        case .inHours(let count): "in \(count) h"
        case .inDays(let count): "in \(count) d"
        case .inAMoment: "in a moment"
        case .moreNotes(let count): "and \(count.grouped) more"
        case .minutesAgo(let count): "\(count) min ago"
        case .hoursAgo(let count): "\(count) h ago"
        case .daysAgo(let count): "\(count) d ago"
        case .weekdayAndDay(let weekday, let month, let day): "\(weekdays[weekday]), \(day) \(months[month - 1])"
        case .listedDevices(let count, let platform): "\(count) \(platform) \(count == 1 ? "device" : "devices") by id"
        case .noneHasID(let id): "None has the id \(id)."
        case .tooManyKeys(let seconds): "Too many wrong keys came from your address. Try again in \(seconds) s."
        case .deliveryOf(let id, let workspace): "Delivery \(id)" + (workspace.isEmpty ? "" : " of \(workspace)")
        }
    }
}
