internal import Apply
internal import ArgumentParser
internal import Base
internal import Delivery
internal import DeviceRegistry
internal import Push

/// Sends one campaign to one device, outside the ledger.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Sends one campaign to one device, outside the ledger.",
        discussion: """
            EXAMPLE
              bugle test welcome --device 0a1b2c3d

            The campaign is sent as it is, but to this device only, at once, and whether it was delivered or not; nothing \
            is recorded. A push cannot be taken back.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(help: ArgumentHelp("The campaign.", valueName: "CAMPAIGN"), completion: WorkspaceNames.campaigns)
    var campaign: String

    @Option(help: ArgumentHelp("The device token; of an Android device the installation id.", valueName: "TOKEN"))
    var device: String

    @Option(help: ArgumentHelp("Apple's environment: development or production.", valueName: "ENVIRONMENT"))
    var environment: PushEnvironment = .development

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            var bench = try await Workbench(common, for: remote.remote)
            var files = try bench.desired()
            let declaration = try bench.remote(named: remote.remote, in: &files)
            let desired = try bench.withCredentialFacts(files, for: declaration)
            let declared = try desired.campaign(named: campaign)
            let test = try TestDelivery(declared, to: device, environment, in: desired, declaration)
            // Diagnostics about other campaigns do not matter here.
            bench.diagnostics += bench.untrusted(declaration, desired.deviceProfiles) + test.encoded.findings
            if bench.diagnostics.hasErrors { throw bench.invalid }
            let outcome: TestDelivery.Outcome
            switch declaration.service {
            case .leancloud:
                let connected = try await bench.connect(declaration, workspace: desired.identityName)
                outcome = try await test.send(
                    through: try await connected.makeWriter(TaskPause()), lookingAt: connected.reader, TaskPause())
            case .apns(let settings):
                if let objection = try await test.objection(in: bench, declaration, desired) {
                    outcome = objection
                    break
                }
                let access = APNsAccess(bench: bench, remote: declaration, settings: settings)
                outcome = try await test.send(through: access.senderPool(desired.deviceProfiles))
            }
            switch outcome.status {
            case .success: bench.console.output(escaped(outcome.text) + "\n")
            default: bench.console.say("bugle: error: " + outcome.text)
            }
            return outcome.status
        }
    }
}

extension PushEnvironment: ExpressibleByArgument {}

/// A test push of one campaign to one device, which no ledger records.
struct TestDelivery: Sendable {
    let encoded: EncodedPush
    private let campaign: Campaign
    private let device: String
    private let id: DeliveryID
    /// The device as an audience for remotes with LeanCloud's API, to count it.
    private let audience: JSONValue?

    struct Outcome: Sendable {
        let status: ExitStatus
        let text: String
    }

    /// Encodes the campaign for a device.
    ///
    /// - Throws: ``Failure`` with `usage` when the device is not a token, or the campaign's profile is of the other
    ///   environment and no profile of this one has its topic.
    init(
        _ campaign: Campaign, to device: String, _ environment: PushEnvironment, in desired: Workspace,
        _ remote: RemoteDeclaration
    ) throws {
        var test = campaign
        // An Android device of a direct remote may be named with its vendor: hms:REGISTRATION-ID.
        let androids = remote.type == .apns ? desired.deviceProfiles.filter { $0.vendor != .apns } : []
        let vendor = device.firstIndex(of: ":").flatMap { PushVendor(rawValue: String(device[..<$0])) }
        let fitting = androids.filter { profile in
            vendor.map { profile.vendor == $0 } ?? true && profile.environment == campaign.environment
        }
        // The one by which a delivery reaches such a device.
        let named = fitting.first { $0.name == campaign.audience.deviceProfile }
        let chosen = named ?? fitting.first(where: \.isDefault) ?? fitting.first
        let device = vendor == nil || chosen == nil ? device : PushAddress.registrationID(of: device)
        let isAndroid =
            campaign.audience.platforms == [.android] || chosen != nil && (vendor != nil || !device.isDeviceToken)
        if isAndroid, vendor == nil, Set(androids.map(\.vendor)).count > 1, campaign.audience.deviceProfile == nil {
            throw Failure(.usage, "say whose --device it is: \(androids[0].vendor.rawValue):REGISTRATION-ID")
        }
        guard isAndroid || device.isDeviceToken else {
            throw Failure(
                .usage,
                "--device is not a device token: Apple gives an app one of 64 or more hexadecimal digits, such as 740f4707…"
            )
        }
        // Only Apple tells development builds apart.
        test.environment = isAndroid && remote.type == .apns ? campaign.environment : environment
        test.audience = Audience(
            platforms: [isAndroid ? .android : .ios],
            deviceProfile: vendor == nil ? try Self.profile(of: campaign, test.environment, in: desired) : chosen?.name,
            devices: [device])
        (test.scheduledAt, test.recurrence) = (nil, nil)
        test.throttlePerSecond = nil
        // A person asked for it on this device.
        (test.holdout, test.frequency) = (nil, [])
        self.campaign = test
        self.device = isAndroid ? device : device.lowercased()
        // A new id each time: pushes with the same id are one push for five minutes.
        id = DeliveryID(workspace: RandomName.make(), campaign: campaign.name, revision: campaign.revision)
        let encoder = remote.type.encoder
        encoded = Checker.request(of: test, in: desired, encoder: encoder, notification: id)
        var counted = test
        counted.audience.devices = []
        let isDirect = remote.type == .apns
        // A direct remote knows an Android device by what its vendor calls it, and an Apple token by its lower-case digits.
        let name = isAndroid ? isDirect ? "registrationId" : "installationId" : "deviceToken"
        counted.audience.condition = [name: .string(isDirect ? self.device : device)]
        audience = encoder.audience(
            of: Checker.request(of: counted, in: desired, encoder: encoder, notification: id).request)
    }

    /// Returns the campaign's profile, or the one of the requested environment with the same topic.
    private static func profile(
        of campaign: Campaign, _ environment: PushEnvironment, in desired: Workspace
    ) throws -> String? {
        guard let name = campaign.audience.deviceProfile, let named = desired.profilesByName[name],
            named.environment != environment
        else { return campaign.audience.deviceProfile }
        let other = desired.deviceProfiles.first {
            $0.environment == environment && $0.vendor == named.vendor && $0.topic == named.topic
        }
        guard let other else {
            throw Failure(
                .usage,
                "\(campaign.name) is for deviceProfile \(name) (\(named.environment.rawValue)), and no profile of "
                    + "environment \(environment.rawValue) has its topic \(named.topic); declare one, or say "
                    + "--environment \(named.environment.rawValue)")
        }
        return other.name
    }

    /// The reason that a direct remote's fence forbids the test: it can tell only of a device in its registry.
    func objection(in bench: Workbench, _ remote: RemoteDeclaration, _ desired: Workspace) async throws -> Outcome? {
        guard let fence = campaign.fence, let audience else { return nil }
        let connected = try await bench.connect(remote, workspace: desired.identityName)
        guard try await connected.reader.count(audience).devices == 0 else { return nil }
        return Outcome(
            status: .blocked,
            text: "nothing was sent: \(remote.name) has no such device within its audience, \(fence.reason.text)")
    }

    /// Sends the push through a remote with LeanCloud's API, if the device is registered there, and returns the result.
    func send(
        through writer: any RemoteWriting, lookingAt reader: any RemoteReading, _ pausing: any Pausing
    ) async throws -> Outcome {
        if let audience, try await reader.count(audience).devices == 0 {
            return Outcome(
                status: .failed,
                text:
                    "nothing was sent: no device of this kind that was seen within three months is registered under it"
                    + (campaign.fence.map { " within the remote's audience, \($0.reason.text)" } ?? ""))
        }
        let entry = LedgerEntry(
            delivery: id, generation: 0, notificationID: id, workspace: "", campaign: campaign.name,
            revision: campaign.revision, state: .sending, request: encoded.request, fingerprint: Digest(of: []),
            content: Digest(of: []), encoder: 0, intendedAt: Workbench.localNow, window: .zero, fence: 0,
            provenance: Provenance())
        let none = Lease(workspace: entry.workspace, run: "", fence: 0, expiresAt: entry.intendedAt)
        switch await writer.send(OutgoingDelivery(entry: entry, lease: { none })) {
        case .answered(let answer):
            guard case .accepted = answer.verdict, let push = answer.objectID else { return Outcome(answer) }
            // The push was sent; a failing lookup does not change that.
            return (try? await result(of: push, reader, pausing)) ?? Outcome(answer)
        case .delivered: return Outcome(status: .success, text: "The service accepted it.")
        case .interrupted(let reason, _, _): return Outcome(unknown: reason)
        case .judged(let verdict, _): return Outcome(unknown: verdict.rule.text)
        case .stopped(let order, _): return Outcome(status: .unknown, text: "nothing was sent: \(order.reason.text)")
        case .outsideLimits(let figures):
            return Outcome(status: .failed, text: "nothing was sent: its audience has \(figures.devices) devices")
        }
    }

    /// Returns the result in the push's record once the service is done with it; nil when it is not after ten seconds.
    private func result(of push: String, _ reader: any RemoteReading, _ pausing: any Pausing) async throws -> Outcome? {
        for _ in 0..<10 {
            if let record = try await reader.record(objectID: push) {
                switch record.standing {
                case .done where record.figures.successes > 0:
                    return Outcome(status: .success, text: "The device's push service accepted it: push \(push).")
                case .done where record.figures.simulated > 0:
                    return Outcome(
                        status: .success, text: "The device is simulated by the server and received it: push \(push).")
                case .done:
                    let why = record.figures.invalidTokens > 0 ? "its token is dead" : "no reason is recorded"
                    return Outcome(status: .failed, text: "it did not reach the device, \(why): push \(push)")
                case .refused(let refusal): return Outcome(status: .failed, text: "it was refused: \(refusal.rawValue)")
                case .queued, .scheduled, .unknown: break
                }
            }
            try await pausing.pause(for: .seconds(1))
        }
        return nil
    }

    /// Sends the push directly to the device's service.
    func send(through pool: SenderPool) async throws -> Outcome {
        let order = try DeliveryOrder(encoded.request.body)
        guard let route = order.routes.first(where: \.isDefault) ?? order.routes.first else {
            return Outcome(status: .invalid, text: "no DeviceProfile of this environment can push it")
        }
        let (notification, target) = order.single(
            for: route, to: device, id: APNsID(delivery: id.text, token: device), startingAt: Workbench.localNow)
        let answer: Verdict?
        do throws(SenderError) {
            let sender = try await pool.senders().sender(for: route.profile)
            answer = await sender.send(notification, to: [target], through: OpenGate()).first
            await pool.close()
        } catch {
            return Outcome(status: .credentials, text: "DeviceProfile \(route.profile): \(error.description)")
        }
        return Outcome(answer ?? .unknown("there was no answer"), through: route, target.id)
    }
}

extension TestDelivery.Outcome {
    fileprivate init(_ answer: SendAnswer) {
        switch (answer.verdict, answer.remedy) {
        case (.accepted, _):
            self.init(
                status: .success, text: "The service accepted it" + (answer.objectID.map { ": push \($0)." } ?? "."))
        case (.unknown(let reason), _): self.init(unknown: reason)
        case (_, .credentials): self.init(status: .credentials, text: answer.reason)
        case (_, .slowDown): self.init(status: .rateLimited, text: "nothing was sent: \(answer.reason)")
        case (.refused, _): self.init(status: .failed, text: answer.reason)
        case (.notSent, _): self.init(status: .failed, text: "nothing was sent: \(answer.reason)")
        }
    }

    fileprivate init(_ verdict: Verdict, through route: DeliveryOrder.Route, _ id: APNsID) {
        switch verdict {
        case .accepted:
            let id = route.vendor == .apns ? ": apns-id \(id.text)" : ""
            self.init(status: .success, text: "\(route.vendor.title) accepted it through \(route.profile)\(id).")
        case .refused(.service(let reason, _)):
            let isCredential = if case .giveUp(.credential) = reason.row.decision { true } else { false }
            self.init(
                status: isCredential ? .credentials : .failed,
                text: "\(route.vendor.title) refused it: \(reason.explanation)")
        case .refused(let proof), .notSent(let proof):
            self.init(status: .failed, text: "nothing was sent: \(proof.explanation)")
        case .unknown(let reason): self.init(unknown: reason)
        }
    }

    fileprivate init(unknown reason: String) {
        self.init(status: .unknown, text: "it is unknown whether it was sent: \(reason)")
    }
}

struct OpenGate: SendGate {
    var isOpen: Bool { true }

    func note(_ answer: Verdict) {}
}
