internal import Crypto
internal import DeviceRegistry
internal import Diagnostics
internal import PushModel
internal import Synchronization

/// Who is logged in. Sessions live in memory: a restart ends them all.
final class SessionStore: Sendable {
    /// One login.
    struct Session: Sendable {
        /// What a form must bring along, so that no other site can send it.
        let token: String
        /// What the next page tells once: the outcome of the last action.
        var notice: Notice?
        fileprivate var seenAt: Instant
    }

    /// A session ends when it was not used for this many seconds.
    static let idleSeconds = 12.0 * 3600
    /// This many sessions are kept; the one that was not used for longest makes room.
    static let mostSessions = 200
    /// The cookie's name.
    static let cookieName = "bugle_console"

    /// By a hash of the cookie's value, so that the time of a look-up tells nothing about it.
    private let sessions = Mutex<[SHA256.Digest: Session]>([:])

    /// Begins a session and gives the cookie's value.
    func begin(at now: Instant) -> String {
        let id = Self.random()
        let key = Self.key(id)
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.isOver($0.value, at: now) }
            if sessions.count >= Self.mostSessions, let oldest = sessions.min(by: { $0.value.seenAt < $1.value.seenAt })
            {
                sessions[oldest.key] = nil
            }
            sessions[key] = Session(token: Self.random(), notice: nil, seenAt: now)
        }
        return id
    }

    /// The session of a cookie, which lives on by being used; `nil` when there is none or it has ended.
    func use(_ id: String?, at now: Instant) -> Session? {
        guard let id, id.utf8.count <= 128 else { return nil }
        let key = Self.key(id)
        return sessions.withLock { sessions in
            guard let session = sessions[key], !Self.isOver(session, at: now) else {
                sessions[key] = nil
                return nil
            }
            sessions[key]?.seenAt = now
            return session
        }
    }

    /// Whether a cookie's session lasts, without prolonging it.
    func isAlive(_ id: String, at now: Instant) -> Bool {
        let key = Self.key(id)
        return sessions.withLock { $0[key].map { !Self.isOver($0, at: now) } ?? false }
    }

    /// Ends a session.
    func end(_ id: String?) {
        guard let id else { return }
        let key = Self.key(id)
        sessions.withLock { $0[key] = nil }
    }

    /// Leaves a word for the session's next page.
    func leave(_ notice: Notice, for id: String?) {
        guard let id else { return }
        let key = Self.key(id)
        sessions.withLock { $0[key]?.notice = notice }
    }

    /// The word that was left, once.
    func takeNotice(for id: String?) -> Notice? {
        guard let id else { return nil }
        let key = Self.key(id)
        return sessions.withLock { sessions in
            defer { sessions[key]?.notice = nil }
            return sessions[key]?.notice
        }
    }

    /// The value of `Set-Cookie`; an empty id takes the cookie back.
    static func cookie(_ id: String, isSecure: Bool) -> String {
        "\(cookieName)=\(id); Path=/console; HttpOnly; SameSite=Strict" + (id.isEmpty ? "; Max-Age=0" : "")
            + (isSecure ? "; Secure" : "")
    }

    private static func isOver(_ session: Session, at now: Instant) -> Bool {
        session.seenAt.advanced(bySeconds: idleSeconds) <= now
    }

    private static func key(_ id: String) -> SHA256.Digest { SHA256.hash(data: Array(id.utf8)) }

    /// 256 random bits of the system, as hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in (generator.next() as UInt64).hexadecimal(digits: 16) }.joined()
    }
}

/// A word about the action before.
struct Notice: Hashable, Sendable {
    /// What is told.
    let text: String
    /// Whether the action failed.
    let isProblem: Bool
}
