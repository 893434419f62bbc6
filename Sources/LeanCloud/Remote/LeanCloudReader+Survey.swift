package import Push

extension LeanCloudReader: RemoteImporting {
    package func surveyInstallations(
        progress: @Sendable (Int) -> Void
    ) async throws(RemoteError) -> InstallationSurvey {
        let scan = api.scan(
            "_Installation", keys: ["channels", "deviceProfile", "deviceType", "apnsTopic", "apnsTeamId"],
            pageSize: 1000)
        var survey = InstallationSurvey()
        var position: ClassScan.Position? = .start
        var watch = ScanWatch(scan.className)
        var restarts = 0
        while let place = position {
            let page: ClassScan.Page?
            do throws(ClassScan.Failure) {
                page = try await scan.page(at: place)
            } catch {
                guard case .lostCursor = error else { throw error.remoteError }
                guard restarts < 3 else { throw error.remoteError }
                restarts += 1
                survey = InstallationSurvey()
                watch = ScanWatch(scan.className)
                position = .start
                continue
            }
            if let page { try watch.pass(page, at: place) }
            for installation in page?.objects ?? [] { survey.add(installation) }
            progress(survey.count)
            position = page?.next
        }
        return survey
    }
}

extension ClassScan.Failure {
    /// Converts the failure to the remote's error.
    package var remoteError: RemoteError {
        switch self {
        case .remote(let error): error
        case .lostCursor: RemoteError(.unavailable, "the service lost the scan's cursor; run it again")
        }
    }
}
