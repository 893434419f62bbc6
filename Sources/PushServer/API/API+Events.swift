internal import DeviceRegistry
internal import Base
internal import Push

extension API {
    /// The most events of a request.
    private static let mostEvents = 100
    /// The largest body of a request in bytes: that many events have a tenth of it.
    private static let eventsLimit = 128 * 1024

    /// `POST /bugle/events`: what became of notifications on devices.
    ///
    /// Source: docs/server/what-devices-call.md#events.
    func events(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .post)
        guard request.body.count <= Self.eventsLimit else { throw APIError.payloadTooLarge }
        let answer = try await intake.run { () throws(APIError) in try await recorded(request) }
        guard let answer else {
            var refusal = APIResponse(status: 429, body: APIError.tooManyRequests.body)
            refusal.retryAfter = 1
            return refusal
        }
        return answer
    }

    private func recorded(_ request: APIRequest) async throws(APIError) -> APIResponse {
        guard let reported = try request.object()["events"]?.array, reported.count <= Self.mostEvents else {
            throw APIError(400, 1, "'events' is a list of at most \(Self.mostEvents) events.")
        }
        let read = reported.map(DeviceEvent.init)
        let events = read.compactMap(\.self)
        let fates = try await ask { () throws(RegistryError) in
            try await Journal(registry) { request.now }.record(events, knowing: intake.index)
        }
        intake.count(events, fates, unreadable: read.count - events.count)
        var rest = fates[...]
        let later = read.indices.filter { read[$0] != nil && rest.popFirst() == .later }
        let accepted = fates.count { $0 == .accepted }
        return APIResponse(
            body: [
                "accepted": .integer(Int64(accepted)),
                "refused": .integer(Int64(read.count - accepted - later.count)),
                "later": .array(later.map { .integer(Int64($0)) }),
            ])
    }
}

extension DeviceEvent {
    /// Reads a reported event; nil for one that cannot be of any delivery.
    fileprivate init?(_ json: JSONValue) {
        guard let delivery = json["delivery"]?.string, Self.isName(delivery),
            let installation = json["installation"]?.string, Self.isName(installation),
            let kind = json["event"]?.string.flatMap(Kind.init(name:))
        else { return nil }
        let at: Instant?
        switch json["at"] {
        case nil: at = nil
        case .string(let text)?:
            guard let instant = Instant(text) else { return nil }
            at = instant
        default: return nil
        }
        self.init(delivery: delivery, installation: installation, kind: kind, at: at)
    }

    /// True for what ids of deliveries and installations are made of.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
