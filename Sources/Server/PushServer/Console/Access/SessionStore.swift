internal import Crypto
internal import DeviceRegistry
internal import Diagnostics
internal import PushModel
internal import RegistryModel
internal import Synchronization

/// The console's sessions, kept in memory only: a restart ends them all.
final class SessionStore: Sendable {
    /// The session of one login.
    struct Session: Sendable {
        /// The token that a form must send, so that no other site can submit it.
        let token: String
        /// The rights of the person.
        let role: Role
        /// The outcome of the last action, to be shown once on the next page.
        var notice: Notice?
        fileprivate var seenAt: Instant
    }

    /// The rights of a person who has logged in.
    enum Role: Hashable, Sendable {
        /// The person may look, send, cancel and see whole tokens.
        case master
        /// The person may look.
        case viewer
    }

    /// The seconds without use after which a session ends.
    static let idleSeconds = 12.0 * 3600
    /// The most sessions kept; the least recently used one makes room.
    static let mostSessions = 200
    /// The name of the session cookie.
    static let cookieName = "bugle_console"

    /// The sessions by a hash of the cookie's value, so that lookup time reveals nothing about the value.
    private let sessions = Mutex<[SHA256.Digest: Session]>([:])

    /// Starts a session and returns the cookie's value.
    func begin(at now: Instant, as role: Role) -> String {
        let id = Self.random()
        let key = Self.key(id)
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.isOver($0.value, at: now) }
            if sessions.count >= Self.mostSessions, let oldest = sessions.min(by: { $0.value.seenAt < $1.value.seenAt })
            {
                sessions[oldest.key] = nil
            }
            sessions[key] = Session(token: Self.random(), role: role, notice: nil, seenAt: now)
        }
        return id
    }

    /// Returns the session of a cookie and renews it; `nil` when there is none or it has ended.
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

    /// The rights of a cookie's session while it lasts; does not renew it.
    func role(_ id: String, at now: Instant) -> Role? {
        let key = Self.key(id)
        return sessions.withLock { $0[key].flatMap { Self.isOver($0, at: now) ? nil : $0.role } }
    }

    /// Ends a session.
    func end(_ id: String?) {
        guard let id else { return }
        let key = Self.key(id)
        sessions.withLock { $0[key] = nil }
    }

    /// Leaves a notice for the session's next page.
    func leave(_ notice: Notice, for id: String?) {
        guard let id else { return }
        let key = Self.key(id)
        sessions.withLock { $0[key]?.notice = notice }
    }

    /// Returns and removes the session's notice.
    func takeNotice(for id: String?) -> Notice? {
        guard let id else { return nil }
        let key = Self.key(id)
        return sessions.withLock { sessions in
            defer { sessions[key]?.notice = nil }
            return sessions[key]?.notice
        }
    }

    /// The value of `Set-Cookie`; an empty id deletes the cookie.
    static func cookie(_ id: String, isSecure: Bool) -> String {
        "\(cookieName)=\(id); Path=/console; HttpOnly; SameSite=Strict" + (id.isEmpty ? "; Max-Age=0" : "")
            + (isSecure ? "; Secure" : "")
    }

    private static func isOver(_ session: Session, at now: Instant) -> Bool {
        session.seenAt.advanced(bySeconds: idleSeconds) <= now
    }

    private static func key(_ id: String) -> SHA256.Digest { SHA256.hash(data: Array(id.utf8)) }

    /// Generates 256 random bits from the system, as hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in (generator.next() as UInt64).hexadecimal(digits: 16) }.joined()
    }
}

/// A notice about the last action.
struct Notice: Hashable, Sendable {
    /// The text shown.
    let text: String
    /// True if the action failed.
    let isProblem: Bool
}
