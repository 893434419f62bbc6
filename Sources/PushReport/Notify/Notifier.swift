package import Base
package import HTTP
package import Push

/// A room with its secrets resolved.
package struct NotifyRoom: Sendable {
    package var service: NotifyService
    /// The webhook's address, never part of any output.
    package var address: Secret
    /// The secret that signs; nil: nothing is signed.
    package var secret: Secret?
    package var language: Language
    /// What it is told of.
    package var kinds = NotifyEvent.Kind.allCases
    /// True if it is told the text of messages.
    package var showsText = false

    package init(_ service: NotifyService, address: Secret, secret: Secret?, language: Language) {
        self.service = service
        self.address = address
        self.secret = secret
        self.language = language
    }
}

/// Tells rooms what happened, side by side and within five seconds.
///
/// Redirects are not followed, certificates are always checked, and a request that may have arrived is not made again.
package struct Notifier: Sendable {
    private let http: any HTTPExchanging
    private let pausing: any Pausing
    private let now: @Sendable () -> Instant
    private let elapsed: @Sendable () -> Duration

    /// The most tries of one room.
    static let tries = 3
    /// The time for all of them.
    static let patience = Duration.seconds(5)

    /// Creates a notifier; `now` is the time of day, `elapsed` the time since a fixed moment on a monotonic clock.
    package init(
        _ http: any HTTPExchanging, pausing: any Pausing, now: @escaping @Sendable () -> Instant,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.http = http
        self.pausing = pausing
        self.now = now
        self.elapsed = elapsed
    }

    /// Tells every room what it asked for.
    ///
    /// - Returns: why rooms were not told, as a warning each; it names the service and nothing of the address.
    package func tell(_ message: NotifyMessage, to rooms: [NotifyRoom]) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for room in rooms {
                guard let asked = message.asked(for: room.kinds, withText: room.showsText) else { continue }
                group.addTask {
                    await fault(telling: asked, to: room)?.warning(of: room.service)
                }
            }
            return await group.reduce(into: []) { if let fault = $1 { $0.append(fault) } }.sorted()
        }
    }

    private func fault(telling message: NotifyMessage, to room: NotifyRoom) async -> NotifyFault? {
        let end = elapsed() + Self.patience
        for attempt in 1... {
            let fault = await fault(of: request(message, room, timeout: end - elapsed()), room.service)
            guard let fault, fault.mayPass, attempt < Self.tries else { return fault }
            let wait = pausing.backoff(attempt - 1)
            guard elapsed() + wait < end, (try? await pausing.pause(for: wait)) != nil else { return fault }
        }
        return nil
    }

    private func request(_ message: NotifyMessage, _ room: NotifyRoom, timeout: Duration) -> HTTPRequest {
        let told = message.request(to: room.service, in: room.language, at: now(), signedWith: room.secret)
        var headers = [("Content-Type", "application/json; charset=utf-8")]
        if let signature = told.signature { headers.append(("Bugle-Signature", signature)) }
        return HTTPRequest(
            .post, room.address.revealedText + told.query, headers: headers, body: told.body, timeout: timeout)
    }

    private func fault(of request: HTTPRequest, _ service: NotifyService) async -> NotifyFault? {
        do throws(TransportError) {
            return service.fault(in: try await http.exchange(request))
        } catch {
            // Its words name the address.
            switch error.sent {
            case .nothing: return NotifyFault("was not reached: \(error.code)", mayPass: error.isTransient)
            case .possibly: return NotifyFault("may not have got it: \(error.code)")
            }
        }
    }
}

/// Why a room was not told, in words that say nothing of its address.
package struct NotifyFault: Error, Hashable {
    /// The predicate of a sentence about the service.
    package let reason: String
    /// True if another try may end better.
    let mayPass: Bool

    package init(_ reason: String, mayPass: Bool = false) {
        self.reason = reason
        self.mayPass = mayPass
    }

    /// The whole warning.
    package func warning(of service: NotifyService) -> String { "notify: \(service.rawValue) \(reason)" }
}

extension NotifyService {
    /// Judges an answer; nil when it says that the room was told. The service's own words are not repeated: an answer can
    /// contain the address.
    package func fault(in response: HTTPResponse) -> NotifyFault? {
        switch response.status {
        case 200..<300: break
        case 300..<400: return NotifyFault("redirects (\(response.status)), which is not followed")
        case 429, 500...: return NotifyFault("answered \(response.status)", mayPass: true)
        default: return NotifyFault("answered \(response.status)")
        }
        let answer = try? JSONValue(parsing: response.body)
        switch self {
        case .json: return nil
        case .slack:
            let isOK = String(decoding: response.body.prefix(16), as: UTF8.self).trimmingPrefix(" ") == "ok"
            return isOK ? nil : NotifyFault("answered \(response.status), but not 'ok'")
        case .feishu: return Self.fault(in: answer, "code", answer?["code"] ?? answer?["StatusCode"])
        case .dingtalk, .wecom: return Self.fault(in: answer, "errcode", answer?["errcode"])
        }
    }

    private static func fault(in answer: JSONValue?, _ name: String, _ code: JSONValue?) -> NotifyFault? {
        guard let code = code?.integer else {
            return NotifyFault("answered 200 without a '\(name)'")
        }
        return code == 0 ? nil : NotifyFault("refused it with \(name) \(code)")
    }
}
