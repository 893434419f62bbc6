package import Base
internal import Crypto
internal import FoundationEssentials
package import Push

/// What a chat room is told of one apply: how many of what, a line for each event, and where to read more.
package struct NotifyMessage: Hashable, Sendable {
    package var workspace: String
    package var remote: String
    package var events: [NotifyEvent]
    /// The commit and the run, each with its page if it has one.
    package var links: [Link]

    /// A name, and the page behind it.
    package struct Link: Hashable, Sendable {
        let label: String
        let page: PageLink?

        /// Creates a link; the page of an address that takes much of a message is left out.
        package init(_ label: String, _ page: PageLink?) {
            self.label = escaped(label.shortened(to: 40))
            self.page = page.flatMap { $0.text.utf8.count <= 300 ? $0 : nil }
        }
    }

    package init(workspace: String, remote: String, events: [NotifyEvent], links: [Link] = []) {
        self.workspace = workspace
        self.remote = remote
        self.events = events
        self.links = links
    }

    /// The commit and the run of an apply, with their pages where they have some.
    package static func links(_ provenance: Provenance, commit: PageLink?, run: PageLink?) -> [Link] {
        [
            provenance.commit.map { Link($0.shortCommit, commit) }, provenance.run.map { Link($0, run) },
        ].compactMap(\.self)
    }

    /// The message with what a room asked for; nil when that is nothing.
    func asked(for kinds: [NotifyEvent.Kind], withText: Bool) -> NotifyMessage? {
        var message = self
        message.events.removeAll { !kinds.contains($0.kind) }
        if !withText { for place in message.events.indices { message.events[place].text = nil } }
        return message.events.isEmpty ? nil : message
    }

    // MARK: Words

    /// The most bytes of all lines; with the head and the links, WeCom takes 4,096.
    private static let most = 3_000

    private func head(in language: Language) -> String {
        let counts = NotifyEvent.Kind.allCases.compactMap { kind in
            let count = events.count { $0.kind == kind }
            return count > 0 ? language.say(.count(count, of: language.say(kind.label))) : nil
        }
        return escaped(language.say(Reason(.says, .text("\(workspace) → \(remote)"), .text(language.list(counts)))))
    }

    private func line(_ event: NotifyEvent, in language: Language) -> String {
        let reason = Reason.joined([event.answers, event.reason].compactMap(\.self))
        let outcome = language.say(
            .outcome(
                language.say(event.kind.label), devices: event.figures?.devices,
                simulated: event.figures?.simulated ?? 0,
                lost: event.figures.map { language.lost($0.leftOut, missed: $0.missed) } ?? [],
                detail: reason.map { language.say($0).shortened() }))
        let line = language.say(Reason(.says, .text(event.subject), .text(outcome)))
        return escaped("\(event.kind.tone.sign) \(line)" + (event.text.map { " “\($0.shortened(to: 200))”" } ?? ""))
    }

    /// The lines as far as they fit, and then the links, each after a separator.
    private func lines(
        _ language: Language, _ separator: String, _ inert: (String) -> String, link: (Link) -> String
    ) -> String {
        var (lines, size): ([String], Int) = ([], 0)
        for event in events {
            let line = inert(line(event, in: language))
            size += line.utf8.count + separator.utf8.count
            guard size <= Self.most else {
                lines.append("… " + language.say(.andMore(events.count - lines.count)))
                break
            }
            lines.append(line)
        }
        let links = links.map(link).joined(separator: " · ")
        return (lines + (links.isEmpty ? [] : [links])).joined(separator: separator)
    }
}

extension NotifyEvent {
    /// How many devices accepted what was sent.
    fileprivate var answers: Reason? {
        guard kind == .sent, let figures, figures.devices > 0 else { return nil }
        let refused = max(0, figures.devices - figures.successes - figures.inDoubt - figures.missed)
        return figures.inDoubt > 0
            ? Reason(.acceptedInDoubt, .count(figures.successes), .count(refused), .count(figures.inDoubt))
            : Reason(.accepted, .count(figures.successes), .count(refused))
    }
}

extension NotifyEvent.Kind {
    private var row: (label: Phrase, tone: ReportDocument.Verdict.Tone) {
        switch self {
        case .sent: (.wasSent, .fine)
        case .failed: (.failed, .stop)
        case .doubt: (.unknown, .stop)
        case .stage: (.waitsAtStage, .look)
        case .stopped: (.wasStopped, .stop)
        case .approval: (.waitsForApproval, .look)
        case .certificate: (.certificateEnds, .look)
        }
    }

    fileprivate var label: Phrase { row.label }
    fileprivate var tone: ReportDocument.Verdict.Tone { row.tone }
}

extension Phrase {
    // MARK: Messages to a team

    fileprivate static let waitsAtStage = Phrase("waiting at a stage", "阶段待决定")
    fileprivate static let wasStopped = Phrase("stopped", "已停止")
    fileprivate static let waitsForApproval = Phrase("waiting for approval", "待批准")
    fileprivate static let certificateEnds = Phrase("certificate about to expire", "证书即将到期")
}

// MARK: - Services

/// A request that tells a room something, but for the address.
package struct NotifyRequest: Hashable, Sendable {
    /// What is appended to the address.
    package var query = ""
    /// The header with the signature of the body.
    package var signature: String?
    package var body: [UInt8]
}

extension NotifyMessage {
    /// Returns the request that tells it; the secret signs it, nil: it is not signed.
    ///
    /// Names and reasons come from files and services: whatever they contain mentions nobody and links nowhere.
    /// Source: shared facts in docs/features/notify.md#what-each-service-is-sent.
    package func request(
        to service: NotifyService, in language: Language, at now: Instant, signedWith secret: Secret?
    ) -> NotifyRequest {
        switch service {
        case .feishu: feishu(language, now, secret)
        case .dingtalk: dingtalk(language, now, secret)
        case .wecom:
            NotifyRequest([
                "msgtype": "markdown", "markdown": ["content": .string(markdown(language, separator: "\n"))],
            ])
        case .slack: slack(language)
        case .json: json(language, now, secret)
        }
    }

    /// A card, whose texts are plain.
    private func feishu(_ language: Language, _ now: Instant, _ secret: Secret?) -> NotifyRequest {
        func plain(_ text: String) -> JSONValue { ["tag": "plain_text", "content": .string(text)] }
        let text = lines(language, "\n", { $0 }, link: { $0.label })
        var elements: [JSONValue] = [["tag": "div", "text": plain(text)]]
        let buttons = links.compactMap { link -> JSONValue? in
            link.page.map {
                ["tag": "button", "type": "default", "text": plain(link.label), "url": .string($0.text)]
            }
        }
        if !buttons.isEmpty { elements.append(["tag": "action", "actions": .array(buttons)]) }
        var body: JSONObject = [
            "msg_type": "interactive",
            "card": [
                "config": ["wide_screen_mode": true],
                "header": ["title": plain(head(in: language)), "template": .string(colour)],
                "elements": .array(elements),
            ],
        ]
        if let secret {
            let time = String(now.seconds)
            let code = authenticationCode(of: "", key: "\(time)\n\(secret.revealedText)")
            (body["timestamp"], body["sign"]) = (.string(time), .string(Data(code).base64EncodedString()))
        }
        return NotifyRequest(.object(body))
    }

    private var colour: String {
        let tones = events.map(\.kind.tone)
        return tones.contains(.stop) ? "red" : tones.contains(.look) ? "orange" : "green"
    }

    private func dingtalk(_ language: Language, _ now: Instant, _ secret: Secret?) -> NotifyRequest {
        let text = markdown(language, separator: "\n\n")
        var request = NotifyRequest([
            "msgtype": "markdown",
            "markdown": ["title": .string("bugle " + head(in: language)), "text": .string(text)],
            "at": ["isAtAll": false],
        ])
        if let secret {
            let key = secret.revealedText
            let code = authenticationCode(of: "\(now.milliseconds)\n\(key)", key: key)
            let sign = Data(code).base64EncodedString().percentEncoded
            request.query = "&timestamp=\(now.milliseconds)&sign=\(sign)"
        }
        return request
    }

    /// What DingTalk and WeCom take: neither says that anything can be escaped, so what has a meaning is replaced.
    private func markdown(_ language: Language, separator: String) -> String {
        func inert(_ text: String) -> String { text.replacingScalars(by: Self.lookalikes) }
        let lines = lines(language, separator, inert) { link in
            link.page.map { "[\(inert(link.label))](\($0.text))" } ?? inert(link.label)
        }
        return "**\(inert(head(in: language)))**" + separator + lines
    }

    private static let lookalikes: [Unicode.Scalar: String] = [
        "[": "［", "]": "］", "<": "＜", ">": "＞", "`": "＇", "*": "＊", "#": "＃",
    ]

    private func slack(_ language: Language) -> NotifyRequest {
        func inert(_ text: String) -> String {
            text.replacingScalars(by: ["&": "&amp;", "<": "&lt;", ">": "&gt;"])
        }
        let lines = lines(language, "\n", inert) { link in
            link.page.map { "<\(inert($0.text))|\(inert(link.label))>" } ?? inert(link.label)
        }
        return NotifyRequest(["text": .string("*\(inert(head(in: language)))*\n" + lines), "unfurl_links": false])
    }

    private func json(_ language: Language, _ now: Instant, _ secret: Secret?) -> NotifyRequest {
        let value: OrderedJSON = [
            "formatVersion": .string(BugleVersion.format), "tool": .string(BugleVersion.tool),
            "workspace": .string(workspace), "remote": .string(remote), "verdict": .string(head(in: language)),
            "events": .array(events.map(NotifyEvent.record.json)),
        ]
        var request = NotifyRequest(body: value.bytes)
        if let secret {
            let time = String(now.seconds)
            let signed = time + "." + String(decoding: request.body, as: UTF8.self)
            let code = authenticationCode(of: signed, key: secret.revealedText)
            request.signature = "t=\(time),v1=\(code.hexadecimal)"
        }
        return request
    }
}

extension NotifyRequest {
    fileprivate init(_ body: JSONValue) { self.body = body.canonicalBytes }
}

private func authenticationCode(of text: String, key: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: Array(key.utf8))))
}
