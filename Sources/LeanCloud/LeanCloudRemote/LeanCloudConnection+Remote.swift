package import Basics
package import CurlHTTP
package import LeanCloudClient

extension LeanCloudConnection {
    /// What planning may use: it only reads.
    ///
    /// - Parameters:
    ///   - name: The remote's name in the workspace.
    ///   - workspace: The workspace whose ledger, resources and lock are meant.
    package func reader(
        name: String, workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(),
        clock: LocalClock = .system
    ) -> LeanCloudReader {
        LeanCloudReader(
            name: name, workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerClock(clock)))
    }

    /// What only an apply may use.
    ///
    /// - Parameter workspace: The workspace whose ledger, resources and lock are meant.
    package func writer(
        workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(), clock: LocalClock = .system
    ) -> LeanCloudWriter {
        LeanCloudWriter(
            workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerClock(clock)))
    }
}
