internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

extension Console {
    /// The number of failures on a device's page.
    static let mostFailures = 50

    /// `GET /console/installations`: the devices that fit a filter, or that were searched for.
    func installations(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = FilterForm(visit.request.query)
        let cursor = visit.request.query["after"].flatMap { InstallationCursor($0) }
        var page = InstallationPage.empty
        var death: Instant?
        var count = ListCount(0)
        if let filter = form.filter(at: visit.now, in: visit.language) {
            do throws(RegistryError) {
                let found = form.isSearchOnly && cursor == nil ? try await find(form.search) : nil
                if let device = found?.exact {
                    return .redirect(to: "/console/installations/" + device.objectID.percentEncoded)
                }
                if let objects = found?.objects, !objects.isEmpty {
                    page = InstallationPage(found: objects)
                    count = ListCount(objects.count, isAtLeast: objects.count == Self.devicesPerPage)
                } else {
                    page = try await registry.installations(filter, after: cursor, limit: Self.devicesPerPage)
                    count = try await self.count(filter, form)
                    if case .text(let text) = DeviceSearch(form.search) {
                        death = try await registry.deathOfToken(text)
                    }
                }
            } catch {
                if error.isInternal || filter.condition == nil { throw error }
                form.problem = error.description
            }
        }
        let place = ListPlaceView(
            page.objects.count, after: cursor?.count ?? 0, of: count, perPage: Self.devicesPerPage)
        let content = InstallationListView(
            form, page, place: place, isLater: cursor != nil, death: death, for: visit.viewer)
        let view = PageView(
            frame: frame(visit.language.say(.installations), visit, in: visit.language), content: content)
        return .page(
            Templates[visit.language].render(.installations, view),
            status: (form.problem + form.fieldProblem).isEmpty ? 200 : 400)
    }

    /// Counts the devices of all pages.
    private func count(_ filter: InstallationFilter, _ form: FilterForm) async throws(RegistryError) -> ListCount {
        if form.isEmpty, let census = try? await census.value { return ListCount(census.all) }
        return try await registry.installationCount(filter)
    }

    private func find(_ text: String) async throws(RegistryError) -> FoundDevices {
        try await registry.devices(DeviceSearch(text), limit: Self.devicesPerPage)
    }

    /// `GET /console/installations/:objectId`.
    func device(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let screen = try await registry.screen(ofDevice: objectID, limit: LiveParts.mostMessages) else {
            let text = visit.language.say(.noneHasID(objectID.cut(to: 64)))
            return message(404, .noSuchDevice, text, visit.language, visit)
        }
        let (app, device, viewer) = (app(), screen.device, visit.viewer)
        let token = device.fields["deviceToken"]?.string ?? ""
        let failures = token.isEmpty ? [] : try await registry.failures(ofToken: token, limit: Self.mostFailures)
        let death = token.isEmpty ? nil : try await registry.deathOfToken(token)
        let content = DevicePageView(
            device: DeviceView(device, showsTokens: visit.mayAct, for: viewer),
            screen: DeviceScreenView(screen, app: app, for: viewer), death: death.map { InstantView($0, for: viewer) },
            failures: failures.map { FailureView($0, for: viewer) },
            test: visit.mayAct
                ? TestPushForm(device, isSimulated: configuration.apple == nil, in: viewer.language) : nil)
        let name = "\(content.screen.phone.name) \(content.screen.phone.short)"
        let view = PageView(
            frame: frame(name, visit, in: visit.language, events: .device(objectID: objectID)), content: content)
        return .page(Templates[visit.language].render(.device, view))
    }

    /// `POST /console/test`: sends a push to one device, as a request to the API would.
    func sendTest(_ form: [String: String], _ visit: Visit) async throws(RegistryError) -> WebResponse {
        let objectID = form["device"] ?? ""
        let page = "/console/installations/" + objectID.percentEncoded
        guard let text = form["text"], !text.allSatisfy(\.isWhitespace), ObjectID.isPlausible(objectID) else {
            return try await leave(visit.language.say(.testNeedsText), isProblem: true, for: visit, at: page)
        }
        let title = form["title"] ?? ""
        var alert: JSONValue = ["body": .string(text.replacing("\r\n", with: "\n"))]
        if !title.allSatisfy(\.isWhitespace) { alert["title"] = .string(title) }
        var members: JSONObject = [
            "where": ["objectId": .string(objectID)], "data": ["alert": alert],
            "prod": form["environment"] == "dev" ? "dev" : "prod",
        ]
        members["req_id"] = form["request"].map { .string($0) }
        let receipt: PushReceipt
        do throws(APIError) {
            receipt = try await sendPush(members, visit.now)
        } catch {
            return try await leave(error.message, isProblem: true, for: visit, at: page)
        }
        return try await leave(
            visit.language.say(receipt.isRepeated ? .testWasSentBefore : .testWasTaken), isProblem: false,
            for: visit, at: "/console/pushes/" + receipt.objectID.percentEncoded)
    }

    /// Leaves a notice for the next page and leads there.
    func leave(
        _ text: String, isProblem: Bool, for visit: Visit, at target: String
    ) async throws(RegistryError) -> WebResponse {
        try await sessions.leave(Notice(text: text, isProblem: isProblem), for: visit.sessionID, at: visit.now)
        return .redirect(to: target)
    }
}
