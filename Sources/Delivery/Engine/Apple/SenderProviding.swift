internal import DeviceRegistry
internal import Push

/// Provides the sender of a profile: created on first use, shared by all batches, closed by its creator.
package protocol SenderProviding: RouteProviding {
    /// The sender for a profile's credential and environment.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be read or used.
    func sender(for profile: String) async throws(SenderError) -> any NotificationSending
}

extension SenderProviding {
    package func route(_ route: DeliveryOrder.Route, of job: DeliveryJob) async throws(SenderError) -> any RouteSending
    {
        AppleRoute(
            delivery: job.id, order: job.order, route: route, sender: try await sender(for: route.profile),
            places: job.order.forms.map(\.values.count))
    }
}

/// The order and the sender for one profile's devices.
private struct AppleRoute: RouteSending {
    let delivery: String
    let order: DeliveryOrder
    let route: DeliveryOrder.Route
    let sender: any NotificationSending
    /// The number of places for texts, by form.
    let places: [Int]

    func fits(_ batch: JournalBatch) -> Bool {
        form(of: batch).map { form in batch.targets.allSatisfy { $0.texts.count == form.all } } ?? false
    }

    /// The form of a batch, and where its texts stand among those of a device; nil when the order has none.
    private func form(of batch: JournalBatch) -> (form: Int, texts: Range<Int>, all: Int)? {
        let arm = batch.winner.flatMap { order.test?.index(of: $0) }
        return AudienceWords.form(batch.form, arm: arm, of: max(1, order.variants.count), places: places)
    }

    func send(_ batch: JournalBatch, startingAt start: Instant, through gate: BatchGate) async -> [Verdict] {
        guard let form = form(of: batch) else { return [] }
        let notification = order.notification(for: route, form: form.form, startingAt: start)
        let ids = APNsIDs(delivery: delivery)
        let targets = batch.targets.map { target in
            var target = target
            target.texts = Array(target.texts[form.texts])
            return SendTarget(
                token: notification.recipient(target.token), id: ids.id(for: target.token),
                fillings: order.fillings(target))
        }
        return await sender.send(notification, to: targets, through: gate)
    }
}

extension BatchGate: SendGate {}

extension PushNotification {
    /// Converts the journal's token to the form that Apple expects.
    fileprivate func recipient(_ token: String) -> String {
        switch destination {
        case .devices: token
        // Apple refuses a token that is not a channel's id.
        case .broadcastChannels: ChannelToken.channelID(of: token) ?? token
        }
    }
}
