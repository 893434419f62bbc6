internal import DeviceRegistry
internal import PushReport
internal import Push

/// A delivery with the devices that reported what became of it.
struct CountedDeliveryView {
    let name: String
    let workspace: String
    let accepted: String
    let received: String
    let opened: String
    let dismissed: String
    let started: InstantView

    init(_ delivery: CountedDelivery, for viewer: Viewer) {
        let language = viewer.language
        func share(_ kind: DeviceEvent.Kind) -> String {
            let devices = delivery.events.devices(kind)
            guard delivery.accepted > 0 else { return devices.grouped }
            return "\(devices.grouped) (\(language.share(devices, of: delivery.accepted)))"
        }
        name = delivery.campaign ?? language.say(.deliveryOf(delivery.delivery, workspace: ""))
        workspace = delivery.workspace
        accepted = delivery.accepted.grouped
        (received, opened, dismissed) = (share(.received), share(.opened), share(.dismissed))
        started = InstantView(delivery.startedAt, for: viewer)
    }
}
