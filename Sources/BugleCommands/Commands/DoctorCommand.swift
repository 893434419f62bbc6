internal import ArgumentParser
internal import Base
internal import Delivery
internal import HTTP
internal import Push
internal import PushReport

/// Checks credentials, certificates, clock and connectivity of each remote.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks credentials, certificates, clock and connectivity of each remote.",
        discussion: """
            EXAMPLES
              bugle doctor
              bugle doctor --remote production

            Apple is sent a silent notification to a device token that no device has: it reports a bad token \
            only if the credential, the environment and the topic are right. No device gets anything. Rooms under \
            'notify' are not told anything either: their addresses and secrets are looked for.
            """)

    @Option(help: ArgumentHelp("Only this remote.", valueName: "NAME"))
    var remote: String?

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let bench = try await Workbench(common)
            let desired = try bench.desired()
            var names = desired.remotes.keys.sorted()
            if let remote { names = [try bench.remote(named: remote, in: desired).name] }
            let examination = HealthCheck(bench: bench, desired: desired)
            var findings = examination.program()
            findings += examination.profiles()
            for name in names {
                guard let declaration = desired.remotes[name] else { continue }
                findings += await examination.remote(declaration)
            }
            findings += examination.rooms()
            for format in formats.requested { findings.write(as: format, bench.console, in: bench.printing.language) }
            return .combined(findings.map(\.status))
        }
    }
}

/// Checks everything that a push depends on besides the campaign.
struct HealthCheck: Sendable {
    let bench: Workbench
    let desired: Workspace

    struct Finding: Sendable {
        let subject: Reason
        let severity: Severity
        /// The finding and the remedy.
        let message: Reason
        /// The exit status that follows from it.
        var status = ExitStatus.success

        enum Severity: Int, Sendable {
            case fine = 0
            case warning = 1
            case error = 2

            var word: String {
                switch self {
                case .fine: "ok"
                case .warning: "warning"
                case .error: "error"
                }
            }
        }

        static func fine(_ subject: Reason, _ message: Reason) -> Self {
            Self(subject: subject, severity: .fine, message: message)
        }

        static func warning(_ subject: Reason, _ message: Reason) -> Self {
            Self(subject: subject, severity: .warning, message: message)
        }

        static func error(_ subject: Reason, _ message: Reason, _ status: ExitStatus) -> Self {
            Self(subject: subject, severity: .error, message: message, status: status)
        }

        // Findings that are English in every language.

        static func fine(_ subject: String, _ message: String) -> Self { fine(.verbatim(subject), .verbatim(message)) }

        static func warning(_ subject: String, _ message: String) -> Self {
            warning(.verbatim(subject), .verbatim(message))
        }

        static func error(_ subject: String, _ message: String, _ status: ExitStatus = .failed) -> Self {
            error(.verbatim(subject), .verbatim(message), status)
        }
    }

    /// Checks the libraries that the program was built with.
    func program() -> [Finding] {
        guard HTTPClient.hasHTTP2 else {
            return [
                .error(
                    "bugle",
                    "\(HTTPClient.version) has no HTTP/2, without which Apple cannot be reached; "
                        + "install a libcurl with nghttp2")
            ]
        }
        return [.fine("bugle", "\(HTTPClient.version) speaks HTTP/2")]
    }

    // MARK: Credentials

    /// Checks the certificates and keys, offline.
    func profiles() -> [Finding] {
        desired.deviceProfiles.flatMap { profile -> [Finding] in
            let subject = "deviceProfile \(profile.name)"
            do throws(CredentialReader.Failure) {
                let credential = try CredentialReader(bench.secrets).credential(of: profile)
                let findings = CredentialReview.findings(
                    credential, topic: profile.topic, types: types(through: profile), environment: profile.environment,
                    at: Workbench.localNow)
                guard findings.isEmpty else {
                    return findings.map { finding in
                        switch finding.severity {
                        case .error: .error(subject, finding.description, .invalid)
                        case .warning: .warning(subject, finding.description)
                        }
                    }
                }
                return [.fine(subject, Self.summary(of: credential, profile))]
            } catch {
                switch error {
                case .unavailable(let reason) where reason.isAbsent: return [.warning(subject, reason.reason)]
                case .unavailable(let reason): return [.error(subject, reason.reason, .credentials)]
                case .unusable(let reason): return [.error(subject, reason.description, .invalid)]
                }
            }
        }
    }

    private static func summary(of credential: PushCredential, _ profile: DeviceProfile) -> String {
        switch credential {
        case .certificate(let identity):
            "certificate for \(profile.topic), \(profile.environment.rawValue), until "
                + "\(Instant(seconds: identity.notAfter).day)"
        case .token(_, let teamID, let keyID):
            "key \(keyID) of team \(teamID) for \(profile.topic), \(profile.environment.rawValue)"
        case .vendor(let credential):
            "\(credential.vendor.title) "
                + credential.ids.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                + ", \(profile.environment.rawValue)"
        case .serviceAccount(let account):
            "account \(account.email) of project \(account.project), \(profile.environment.rawValue)"
        }
    }

    /// Returns the push types of the campaigns that use a profile.
    private func types(through profile: DeviceProfile) -> [PushType] {
        let types = desired.campaigns.compactMap { campaign -> PushType? in
            let isIts =
                campaign.environment == profile.environment
                && (campaign.audience.deviceProfile ?? profile.name) == profile.name
            return isIts ? campaign.message.content(for: .ios).effectivePushType : nil
        }
        guard profile.vendor == .apns else { return [] }
        // A topic with a suffix belongs to one push type: the profile pushes no other.
        return PushType.allCases.filter { $0.fits(topic: profile.topic) && types.contains($0) }
    }

    /// Checks, without a request, that those who are to be told can be.
    func rooms() -> [Finding] {
        let news = TeamNews(bench: bench, desired: desired)
        return desired.notify.enumerated().map { index, target in
            let subject = "notify \(index + 1)"
            do throws(NotifyFault) {
                let isSigned = try news.room(target).secret != nil
                return .fine(subject, "\(target.service.rawValue) has its address\(isSigned ? " and its secret" : "")")
            } catch {
                return .warning(subject, "\(target.service.rawValue) \(error.reason)")
            }
        }
    }

    // MARK: Remotes

    /// Checks that a remote can be reached, accepts the credentials, and has the same time.
    func remote(_ declaration: RemoteDeclaration) async -> [Finding] {
        let subject = "remote \(declaration.name)"
        let untrusted = bench.untrusted(declaration, desired.deviceProfiles)
        guard untrusted.isEmpty else { return untrusted.map { .error(subject, $0.message, .invalid) } }
        var findings: [Finding] = []
        do {
            let connected = try await bench.connect(declaration, workspace: desired.identityName)
            let now = try await connected.reader.now()
            findings += clock(now, subject)
            findings += await devices(at: connected.reader, declaration, subject)
            let ledger = try await connected.reader.ledger()
            findings.append(
                .fine(
                    subject,
                    "\(connected.reader.description.title): "
                        + "\(Phrase.counted(ledger.count, "delivery", "deliveries")) in the ledger"))
            findings += await waiting(ledger.uncounted(at: now), connected.reader, subject)
        } catch let failure as Failure {
            findings.append(.error(subject, failure.summary, failure.status))
        } catch let error as RemoteError {
            findings.append(.error(subject, error.description, .of(error)))
        } catch {
            findings.append(.error(subject, "\(error)"))
        }
        switch declaration.service {
        case .leancloud: return findings
        case .apns(let settings):
            return findings
                + (await apple(APNsAccess(bench: bench, remote: declaration, settings: settings), subject))
        }
    }

    /// The most records that are asked for one after the other.
    private static let mostRecords = 20

    /// Looks for pushes that the service took and has not handed on.
    private func waiting(_ sent: [LedgerEntry], _ reader: any RemoteReading, _ subject: String) async -> [Finding] {
        var findings: [Finding] = []
        for entry in sent.prefix(Self.mostRecords) {
            guard let id = entry.objectID, let wait = try? await reader.record(objectID: id)?.wait else { continue }
            findings.append(.error(subject, "\(entry.title): \(wait)"))
        }
        return findings
    }

    /// Counts the devices of a remote: all, those that a push to everyone reaches, and the others by reason.
    private func devices(
        at reader: any RemoteReading, _ declaration: RemoteDeclaration, _ subject: String
    ) async -> [Finding] {
        let profiles = desired.deviceProfiles
        let everyone: JSONValue
        var staleAfter = AudienceCount.threeMonths
        switch declaration.service {
        case .leancloud: everyone = [:]
        case .apns(let settings):
            staleAfter = settings.stale ?? staleAfter
            let routes = profiles.map { profile -> JSONValue in
                [
                    "profile": .string(profile.name), "vendor": .string(profile.vendor.rawValue),
                    "deviceProfile": .string(profile.installations), "topic": .string(profile.topic),
                    "default": .bool(profile.isDefault),
                ]
            }
            if routes.isEmpty { return [] }
            everyone = ["where": [:], "routes": .array(routes)]
        }
        do throws(RemoteError) {
            let found = try await reader.explain(everyone, deviceProfiles: profiles.map(\.name))
            let others = found.leftOut.byNumber
            let platforms = found.platforms.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\(grouped($0.value)) \($0.key.isEmpty ? "of an unknown platform" : $0.key)"
            }
            let all = others.reduce(found.devices) { $0 + $1.devices }
            let words = others.map { $0.reason.reason($0.devices, staleAfter: staleAfter).text }
            let message =
                "\(Phrase.counted(all, "device")), \(grouped(found.devices)) sendable"
                + (platforms.isEmpty ? "" : " (\(platforms.joined(separator: ", ")))")
                + words.map { "; \($0)" }.joined()
            return [all > 0 && found.devices == 0 ? .warning(subject, message) : .fine(subject, message)]
        } catch {
            return [.warning(subject, "its devices cannot be counted: \(error.description)")]
        }
    }

    /// The tolerated clock difference: Apple rejects provider tokens that are an hour off.
    private static let tolerance = Duration.seconds(60)

    private func clock(_ theirs: Instant, _ subject: String) -> [Finding] {
        let ahead = Workbench.localNow - theirs
        guard ahead > Self.tolerance || ahead < .zero - Self.tolerance else { return [] }
        let way = ahead > .zero ? "ahead of" : "behind"
        let size = ahead > .zero ? ahead : .zero - ahead
        return [.warning(subject, "this machine's clock is \(size.roundedText) \(way) the remote's; set it")]
    }

    /// Sends a probe with each profile.
    private func apple(_ access: APNsAccess, _ subject: String) async -> [Finding] {
        let pool = access.senderPool(desired.deviceProfiles)
        var findings: [Finding] = []
        for profile in desired.deviceProfiles {
            let name = "\(subject), deviceProfile \(profile.name)"
            do throws(SenderError) {
                let sender = try await pool.senders().sender(for: profile.name)
                guard [.apns, .fcm].contains(profile.vendor) else {
                    // The others have no call that sends nothing but the one for a token, which was just made. Xiaomi
                    // has no tokens, and those for HarmonyOS are signed here.
                    let service = profile.vendor.title
                    findings.append(
                        [.mi, .miGlobal, .harmony].contains(profile.vendor)
                            ? .warning(name, "not asked: \(service) has no call that sends nothing")
                            : .fine(name, "\(service) accepts the ids and the secret"))
                    continue
                }
                let answer = await sender.send(.probe(of: profile), to: [.nobody], through: OpenGate()).first
                let problem = try await pool.tokens(for: profile)?.problem
                findings.append(
                    Self.finding(answer ?? .unknown("there was no answer"), of: profile.vendor, problem, name))
            } catch {
                findings.append(.warning(name, "not asked: \(error.description)"))
            }
        }
        await pool.close()
        return findings
    }

    private static func finding(
        _ answer: Verdict, of vendor: PushVendor, _ problem: CredentialError?, _ name: String
    ) -> Finding {
        let service = vendor.title
        switch answer {
        case .accepted: return .warning(name, "\(service) accepted a notification for a device that does not exist")
        case .refused(.service(.fcm(.invalidToken), _)), .refused(.service(.fcm(.unregistered), _)):
            return .fine(name, "FCM accepts the account and the project")
        case .refused(.service(.apple(.badDeviceToken), _)):
            return .fine(name, "Apple accepts the credential, the environment and the topic")
        case .refused(.service(let reason, _)):
            let cause = problem.map { "; \($0.description)" } ?? ""
            return .error(name, reason.explanation + cause, .credentials)
        case .refused(let proof), .notSent(let proof):
            return .error(name, "\(service) cannot be reached: \(proof.explanation)")
        case .unknown(let reason): return .error(name, "\(service) did not answer: \(reason)")
        }
    }
}

extension PushNotification {
    /// The notification for probes: silent, and never stored.
    fileprivate static func probe(of profile: DeviceProfile) -> PushNotification {
        guard profile.vendor == .apns else {
            // FCM checks it and delivers nothing.
            let probe = #"{"validate_only":true,"message":{"token":"nobody","data":{"bugle":"doctor"}}}"#
            return PushNotification(to: .fcm, body: .same(Array(probe.utf8)))
        }
        return PushNotification(
            topic: profile.topic, pushType: .background, priority: 5, expiration: 0,
            body: .same(Array(#"{"aps":{"content-available":1}}"#.utf8)))
    }
}

extension SendTarget {
    /// A target with a token that no device has.
    fileprivate static var nobody: SendTarget {
        let token = String(repeating: "0", count: 64)
        return SendTarget(token: token, id: APNsID(delivery: RandomName.make(), token: token))
    }
}

extension [HealthCheck.Finding] {
    /// Prints the findings, or writes them to a file; `closing` are paragraphs after them for text, `more` are members
    /// beside them for JSON, which is English in every language.
    func write(
        as format: OutputFormat, _ console: Console, in language: Language, closing: [[Reason]] = [],
        more: JSONObject = [:]
    ) {
        let text: String
        switch format.form {
        case .text, .markdown, .html, .github, .sarif, .csv, .svg:
            let marks = console.usesUnicode ? ["✓", "!", "✗"] : ["ok", "warning:", "error:"]
            let lines = map { finding in
                let said = language.say(Reason(.says, .reason(finding.subject), .reason(finding.message)))
                return "\(marks[finding.severity.rawValue]) \(escaped(said))\n"
            }
            let paragraphs = closing.map { "\n" + $0.map { "\(escaped(language.say($0)))\n" }.joined() }
            text = lines.joined() + paragraphs.joined()
        case .json:
            let rows = map { finding -> JSONValue in
                [
                    "subject": .string(finding.subject.text), "severity": .string(finding.severity.word),
                    "message": .string(finding.message.text),
                ]
            }
            let members: JSONObject = [
                "formatVersion": .string(BugleVersion.format), "tool": .string(BugleVersion.tool),
                "findings": .array(rows),
            ]
            text = JSONValue.object(members.merging(more) { own, _ in own }).canonicalText + "\n"
        }
        if let file = format.file {
            OutputFile.put([UInt8](text.utf8), to: file, console)
        } else {
            console.output(text)
        }
    }
}
