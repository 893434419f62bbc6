internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

extension Console {
    /// The most rows of a file of pushes.
    static let mostPushRows = 10_000
    /// The most rows of a file of devices.
    static let mostDeviceRows = 5000

    /// `GET /console/pushes`.
    func pushes(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = PushFilterForm(visit.request.query)
        form.check(for: visit.viewer)
        let isLive = !form.isFiltered && form.cursor == nil
        let totals =
            form.isFiltered ? try await registry.totals(of: form.range(for: visit.viewer), at: visit.now) : nil
        let content = PushesPageView(
            form: form, isFiltered: form.isFiltered, list: try await parts.pushes(form, for: visit.viewer),
            totals: totals.map(PushTotalsView.init), first: form.address(after: nil), file: form.fileAddress)
        let frame = frame(visit.language.say(.pushes), visit, in: visit.language, events: isLive ? .pushes : nil)
        let view = PageView(frame: frame, content: content)
        return .page(Templates[visit.language].render(.pushes, view), status: form.problem.isEmpty ? 200 : 400)
    }

    /// `GET /console/pushes.csv`: the newest pushes of the chosen days.
    func pushesFile(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let range = PushFilterForm(visit.request.query).range(for: visit.viewer)
        let pushes = try await registry.newestPushes(in: range, limit: Self.mostPushRows, at: visit.now)
        var file = CSVFile([
            "createdAt", "objectId", "notificationId", "state", "title", "text", "audience", "environment", "devices",
            "successes", "invalidTokens", "inDoubt", "simulatedDevices",
        ])
        for push in pushes {
            let preview = MessagePreview(push.order.data, in: visit.language)
            let figures = PushSummary.Counter.allCases.map { push.record == nil ? "" : String(push.total($0)) }
            file.add(
                [
                    push.createdAt.isoText, push.order.objectID, push.order.notificationID, push.state,
                    preview.headline, preview.detail, push.order.audienceText(in: visit.language),
                    push.order.environment,
                ] + figures + [push.record == nil ? "" : String(push.simulated(.devices))])
        }
        return .csv(file, named: "pushes")
    }

    /// `GET /console/installations.csv`: the devices that fit the filter, among those that one search may examine.
    func installationsFile(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = FilterForm(visit.request.query)
        var page = InstallationPage.empty
        if let filter = form.filter(at: visit.now, in: visit.language) {
            page = try await registry.installations(filter, limit: Self.mostDeviceRows)
        }
        let problem = form.problem + form.fieldProblem
        guard problem.isEmpty else { return message(400, .didNotWork, problem, visit.language, visit) }
        let texts = ["deviceType", "deviceToken", "installationId", "deviceProfile"]
        var file = CSVFile(["objectId", "createdAt", "updatedAt"] + texts + ["valid", "channels"])
        for device in page.objects {
            let fields = visit.mayAct ? device.fields : JSONValue.object(device.fields).withShortTokens.object ?? [:]
            file.add(
                [device.objectID, device.createdAt.isoText, device.updatedAt.isoText]
                    + texts.map { fields[$0]?.string ?? "" }
                    + [
                        fields["valid"]?.bool.map { $0 ? "true" : "false" } ?? "",
                        DeviceView.channels(device).joined(separator: " "),
                    ])
        }
        return .csv(file, named: "installations")
    }
}
