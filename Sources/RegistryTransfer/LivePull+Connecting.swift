internal import CurlHTTP
package import DeviceRegistry
internal import Diagnostics
internal import LeanCloudClient

extension LivePull {
    /// How often a request is tried again: with waits of up to 30 s, and to the end of a minute that is full.
    private static let retries = 10

    /// Prepares a copy from an address; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - url: the app's base URL; `http` only to this machine.
    ///   - masterKey: signs the requests; it is never sent or printed.
    ///   - silence: gives up on a server that has said nothing for so long.
    ///   - caFile: a PEM file of CAs to trust beside the system's.
    /// - Throws: ``TransferError`` when no client can be made.
    package init(
        into registry: Registry, url: String, applicationID: String, masterKey: String,
        silence: Duration = defaultSilence, caFile: String? = nil, pageSize: Int = 500,
        progress: @escaping @Sendable (_ className: String, _ read: Int) -> Void = { _, _ in }
    ) throws(TransferError) {
        let client: HTTPClient
        do throws(CurlHTTP.TransportError) {
            client = try HTTPClient(HTTPClient.Configuration(caFile: caFile, userAgent: "bugle-server"))
        } catch {
            throw TransferError(error.description)
        }
        let connection = LeanCloudConnection(
            url: url, appId: applicationID, masterKey: Secret(masterKey), timeout: silence, retries: Self.retries)
        self.init(
            into: registry, from: connection, http: client, silence: silence, pageSize: pageSize, progress: progress)
    }
}
