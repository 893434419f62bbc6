internal import Base
package import DeviceRegistry
internal import LeanCloud
package import Push

/// The progress of copying a class.
struct PullState: Hashable {
    enum Phase: Hashable {
        case everything
        /// Reading what was written since a time on the server's clock.
        case changes(since: Instant)
        /// Everything written before a time on the server's clock has been read.
        case done(upTo: Instant)
    }

    private(set) var phase = Phase.everything
    var position = ClassScan.Position.start
    /// The server's time when this phase began; nil before its first page.
    private(set) var began: Instant?
    /// The server's time when the first complete copy began: what this registry wrote before is of no app yet.
    private(set) var first: Instant?

    init(phase: Phase = .everything, first: Instant? = nil) {
        self.phase = phase
        self.first = first
    }

    /// Everything that was written before this time on the server's clock has been read; nil: not everything has.
    var copiedUntil: Instant? {
        switch phase {
        case .everything: nil
        case .changes(let time), .done(let time): time
        }
    }

    /// True when nothing is left to read.
    var isDone: Bool {
        if case .done = phase { true } else { false }
    }

    /// Moves on past a page.
    ///
    /// - Throws: ``TransferError`` if the server does not send its time, without which changes cannot be found.
    mutating func advance(past page: ClassScan.Page) throws(TransferError) {
        guard let start = began ?? page.date else {
            throw TransferError("the answers have no Date header: check that the url is that of the service")
        }
        began = start
        if let next = page.next {
            position = next
            return
        }
        switch phase {
        case .everything: self = PullState(phase: .changes(since: start), first: first ?? start)
        case .changes, .done: self = PullState(phase: .done(upTo: start), first: first)
        }
    }
}

extension PullState {
    var json: JSONValue {
        var members: JSONObject = [:]
        switch phase {
        case .everything: members["phase"] = "everything"
        case .changes(let since):
            members["phase"] = "changes"
            members["time"] = .string(since.isoText)
        case .done(let end):
            members["phase"] = "done"
            members["time"] = .string(end.isoText)
        }
        switch position {
        case .start: break
        case .cursor(let cursor): members["cursor"] = .string(cursor)
        case .after(let time, let id):
            members["after"] = ["createdAt": .string(time.isoText), "objectId": .string(id)]
        }
        members["began"] = began.map { .string($0.isoText) }
        members["first"] = first.map { .string($0.isoText) }
        return .object(members)
    }

    /// Parses the form of ``json``; nil for anything else.
    init?(_ json: JSONValue) {
        func time(_ value: JSONValue?) -> Instant? { value?.string.flatMap { Instant($0) } }
        switch (json["phase"]?.string, time(json["time"])) {
        case ("everything", _): phase = .everything
        case ("changes", let time?): phase = .changes(since: time)
        case ("done", let time?): phase = .done(upTo: time)
        default: return nil
        }
        began = time(json["began"])
        first = time(json["first"])
        if let cursor = json["cursor"]?.string {
            position = .cursor(cursor)
        } else if let created = time(json["after"]?["createdAt"]), let id = json["after"]?["objectId"]?.string {
            position = .after(createdAt: created, objectID: id)
        }
    }
}

extension Registry {
    /// Returns how far the devices of a live app have been copied into this registry, by its service's clock: everything
    /// that was written before `until`, and since `first` a copy has been complete; nil when none ever was.
    ///
    /// - Throws: ``RegistryError`` when the registry fails.
    package func copiedDevices() async throws(RegistryError) -> (first: Instant, until: Instant)? {
        let states = try await transfers().filter { $0.name.hasSuffix(" " + ClassName.installation.name) }
            .compactMap { PullState($0.value) }
        guard let until = states.compactMap(\.copiedUntil).max() else { return nil }
        return (states.compactMap(\.first).min() ?? until, until)
    }
}
