internal import Base
package import Push

extension LeanCloudReader {
    /// The pushes that are scheduled for later.
    ///
    /// `expire_time` is the time of sending, despite its name; the outer `id` is the one to cancel with.
    /// Source: LeanCloud, "推送 REST API 使用指南", 定时推送.
    package func scheduledPushes() async throws(RemoteError) -> [ScheduledPush] {
        try await keptPushes().map(\.push)
    }

    package func keptPushes() async throws(RemoteError) -> [KeptPush] {
        let answer = try await api.read("/scheduledPushMessages")
        guard let results = answer.value?["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/scheduledPushMessages: the answer has no list of results")
        }
        var pushes: [KeptPush] = []
        for (index, result) in results.enumerated() {
            // Until the end of year 9999, beyond which a time cannot be formatted.
            guard let id = result["id"]?.integer, let time = result["expire_time"]?.integer,
                (0...253_402_300_799_999).contains(time), let message = result["push_msg"], message.object != nil
            else {
                throw RemoteError(
                    .unexpectedAnswer,
                    "GET /1.1/scheduledPushMessages: result \(index) has no 'id', 'expire_time' or 'push_msg'")
            }
            let push = ScheduledPush(
                id: id, notificationID: message["notificationId"]?.string, at: Instant(milliseconds: time))
            pushes.append(KeptPush(push: push, message: message))
        }
        return pushes
    }

    package func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord? {
        let path = "/notifications/\(notification.text.percentEncoded)"
        guard let value = try await api.read(path).value else { return nil }
        guard let members = value.object else { throw PushRecord.fault(path) }
        if members.isEmpty { return nil }
        if let results = members["results"] {
            guard let results = results.array else { throw PushRecord.fault(path) }
            guard let first = results.first else { return nil }
            return try PushRecord(first, at: path, notification: notification)
        }
        return try PushRecord(value, at: path, notification: notification)
    }

    package func record(objectID: String) async throws(RemoteError) -> PushRecord? {
        let path = "/tables/Notifications/\(objectID.percentEncoded)"
        guard let value = try await api.read(path).value else { return nil }
        if value == [:] { return nil }
        return try PushRecord(value, at: path, notification: nil)
    }
}

extension PushRecord {
    /// Reads a record from the service.
    ///
    /// `status` is `in-queue` (formerly `in queue`), `scheduled` or `done`; the words for failures are not documented,
    /// so any other word decides nothing. `errors` concerns single devices, except for the refusal of a large
    /// development audience.
    /// Source: LeanCloud, "推送通知总览", 推送记录.
    init(_ value: JSONValue, at path: String, notification: DeliveryID?) throws(RemoteError) {
        guard let status = value["status"]?.string else { throw Self.fault(path) }
        if let notification, let name = value["notificationId"]?.string, name != notification.text {
            throw Self.fault(path)
        }
        func counter(_ key: String, _ value: JSONValue?) throws(RemoteError) -> Int {
            guard let number = value?[key], !number.isNull else { return 0 }
            guard let count = number.natural else { throw Self.fault(path) }
            return count
        }
        let figures = DeliveryFigures(
            devices: try counter("devices", value), successes: try counter("successes", value),
            invalidTokens: try counter("invalidTokens", value),
            // Sent by bugle-server only.
            simulated: try counter("successes", value["simulated"]))
        let errors = value["errors"].map { $0.string ?? $0.canonicalText } ?? ""
        let refusal = RecordedRefusal.allCases.first { errors.contains($0.rawValue) }
        if let refusal, !figures.hasReached {
            self.init(objectID: value["objectId"]?.string, .refused(refusal), figures: figures)
            return
        }
        let standing: Standing =
            switch status {
            case "in-queue", "in queue": .queued
            case "scheduled": .scheduled
            case "done": .done
            default: .unknown(status.shortened(to: 100))
            }
        // Sent by bugle-server only.
        let wait = standing == .queued ? value["waiting"]?.string?.shortened(to: 200) : nil
        self.init(
            objectID: value["objectId"]?.string, standing, figures: figures,
            wait: wait.map { Reason(.serverWaits, .text($0)) })
    }

    /// The error for an answer that is not a record.
    static func fault(_ path: String) -> RemoteError {
        RemoteError(.unexpectedAnswer, "GET /1.1\(path): the answer is not a push record".shortened())
    }
}
