package import Base
package import HTTP

extension LeanCloudConnection {
    /// A reader for planning.
    ///
    /// `name` is the remote's name in `workspace`, whose ledger, resources and lock are meant.
    package func reader(
        name: String, workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(),
        clock: LocalClock = .system
    ) -> LeanCloudReader {
        LeanCloudReader(
            name: name, workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerFacts(clock)))
    }

    /// A writer for applies, on the ledger, resources and lock of `workspace`.
    package func writer(
        workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(), clock: LocalClock = .system
    ) -> LeanCloudWriter {
        LeanCloudWriter(
            workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerFacts(clock)))
    }
}
