internal import Crypto
internal import DeviceRegistry
internal import Base
internal import Push

/// The console's sessions, kept in the registry: they outlive a restart, and every copy of the server knows them.
struct SessionStore: Sendable {
    let registry: Registry

    /// The session of one login.
    struct Session: Sendable {
        /// The token that a form must send, so that no other site can submit it.
        let token: String
        /// The rights of the person.
        let role: Role
        /// The outcome of the last action, to be shown once on the next page.
        let notice: Notice?
    }

    /// The rights of a person who has logged in.
    enum Role: String, Hashable, Sendable {
        /// The person may look, send, cancel and see whole tokens.
        case master
        /// The person may look.
        case viewer
    }

    /// The seconds without use after which a session ends.
    static let idleSeconds = 12.0 * 3600
    /// The most sessions kept for each kind of rights; the least recently used one of its kind makes room.
    static let mostSessions = 200
    /// The name of the session cookie.
    static let cookieName = "bugle_console"

    /// The seconds after which a use is recorded again.
    private static let secondsBetweenUses = 60.0

    /// Starts a session and returns the cookie's value.
    func begin(at now: Instant, as role: Role) async throws(RegistryError) -> String {
        let id = Self.random()
        try await registry.addConsoleSession(
            Self.key(id), ConsoleSession(token: Self.random(), role: role.rawValue, seenAt: now),
            endingOthersBefore: now.advanced(bySeconds: -Self.idleSeconds), most: Self.mostSessions)
        return id
    }

    /// Returns the session of a cookie and renews it; `nil` when there is none or it has ended. With `taking` its notice
    /// is shown now, and to nobody again.
    func use(_ id: String?, at now: Instant, taking: Bool = false) async throws(RegistryError) -> Session? {
        guard let id, let (session, role) = try await current(id, at: now) else { return nil }
        let takes = taking && session.notice != nil
        if takes || session.seenAt.advanced(bySeconds: Self.secondsBetweenUses) <= now {
            var used = ConsoleSession(token: session.token, role: session.role, seenAt: now)
            if !takes { (used.notice, used.isProblem) = (session.notice, session.isProblem) }
            try await registry.update(Self.key(id), used)
        }
        return Session(
            token: session.token, role: role,
            notice: session.notice.map { Notice(text: $0, isProblem: session.isProblem) })
    }

    /// The rights of a cookie's session while it lasts; does not renew it.
    func role(_ id: String, at now: Instant) async throws(RegistryError) -> Role? {
        try await current(id, at: now)?.role
    }

    private func current(
        _ id: String, at now: Instant
    ) async throws(RegistryError) -> (session: ConsoleSession, role: Role)? {
        guard id.utf8.count <= 128, let session = try await registry.consoleSession(Self.key(id)),
            session.seenAt.advanced(bySeconds: Self.idleSeconds) > now, let role = Role(rawValue: session.role)
        else { return nil }
        return (session, role)
    }

    /// Ends a session.
    func end(_ id: String?) async throws(RegistryError) {
        guard let id else { return }
        try await registry.removeConsoleSession(Self.key(id))
    }

    /// Leaves a notice for the session's next page.
    func leave(_ notice: Notice, for id: String?, at now: Instant) async throws(RegistryError) {
        guard let id, let session = try await current(id, at: now)?.session else { return }
        try await registry.update(
            Self.key(id),
            ConsoleSession(
                token: session.token, role: session.role, notice: notice.text, isProblem: notice.isProblem, seenAt: now)
        )
    }

    /// The value of `Set-Cookie`; an empty id deletes the cookie.
    static func cookie(_ id: String, isSecure: Bool) -> String {
        "\(cookieName)=\(id); Path=/console; HttpOnly; SameSite=Strict" + (id.isEmpty ? "; Max-Age=0" : "")
            + (isSecure ? "; Secure" : "")
    }

    /// The hash of a cookie's value, by which a session is kept: whoever reads the registry cannot take it over.
    private static func key(_ id: String) -> String { SHA256.hash(data: Array(id.utf8)).hexadecimal }

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
