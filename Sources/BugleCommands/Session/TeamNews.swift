internal import Apply
internal import Base
internal import Delivery
internal import HTTP
internal import Push
internal import PushReport

/// Tells a team what became of its deliveries, after the fact: a failure is a warning and changes nothing else.
struct TeamNews: Sendable {
    let bench: Workbench
    let desired: Workspace

    /// True if anybody is to be told.
    var isWanted: Bool { !desired.notify.isEmpty }

    /// Tells what an apply has recorded as told; returns a warning for each room that could not be told.
    func tell(_ news: [NotifyEvent], on remote: String, by provenance: Provenance) async -> [String] {
        guard !news.isEmpty else { return [] }
        var (rooms, warnings): ([NotifyRoom], [String]) = ([], [])
        for target in desired.notify {
            do throws(NotifyFault) {
                rooms.append(try room(target))
            } catch {
                warnings.append(error.warning(of: target.service))
            }
        }
        let pages = ForgePages(bench.environment)
        let message = NotifyMessage(
            workspace: desired.name, remote: remote, events: news.map(withText),
            links: NotifyMessage.links(
                provenance, commit: pages.page(ofCommit: provenance.commit), run: pages.job))
        do throws(TransportError) {
            // Not the client that logs requests: these have secrets in their addresses.
            let http = try HTTPClient(
                HTTPClient.Configuration(connectTimeout: .seconds(5), userAgent: BugleVersion.tool))
            let began = ContinuousClock.now
            let notifier = Notifier(
                http, pausing: TaskPause(), now: { Workbench.localNow }, elapsed: { ContinuousClock.now - began })
            return warnings + (await notifier.tell(message, to: rooms))
        } catch {
            return warnings + ["notify: nobody was told: \(error.code)"]
        }
    }

    /// Resolves a room's secrets.
    ///
    /// - Throws: why it cannot be told.
    func room(_ target: NotifyTarget) throws(NotifyFault) -> NotifyRoom {
        let address = try secret(target.address)
        let text = address.revealedText
        if let problem = WebAddress.problem(with: String(text.prefix { $0 != "?" })) {
            throw NotifyFault("has an address that \(problem)")
        }
        guard TrustedHosts(environment: bench.environment)?.contain(text) ?? true else {
            throw NotifyFault("leads to a host that BUGLE_TRUSTED_HOSTS does not list")
        }
        var room = NotifyRoom(
            target.service, address: address, secret: try target.secret.map(secret),
            language: target.language ?? bench.options.language(in: desired.language))
        (room.kinds, room.showsText) = (target.kinds, target.showsText)
        return room
    }

    private func secret(_ source: SecretSource) throws(NotifyFault) -> Secret {
        do throws(SecretReader.Unavailable) {
            return try bench.secrets.secret(source)
        } catch {
            throw NotifyFault("cannot be told: \(error.reason)")
        }
    }

    /// The event with the text of its message, as far as the files still have it.
    private func withText(_ event: NotifyEvent) -> NotifyEvent {
        guard let campaign = desired.campaigns.first(where: { $0.name == event.campaign }),
            campaign.recurrence != nil || event.subject == "\(campaign.name)@\(campaign.revision)"
        else { return event }
        var event = event
        event.text = campaign.message.previewText
        return event
    }
}
