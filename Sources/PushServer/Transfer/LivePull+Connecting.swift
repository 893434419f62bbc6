internal import HTTP
package import DeviceRegistry
internal import Base
internal import LeanCloud

extension LivePull {
    /// The number of retries of a request, with pauses of up to 30 s, or to the end of a minute whose quota is used up.
    private static let retries = 10

    /// Prepares a copy from an address; sends no request yet.
    ///
    /// - Parameters:
    ///   - registry: the registry that receives the objects.
    ///   - url: the app's base URL; `http` only for this machine.
    ///   - applicationID: the App ID.
    ///   - masterKey: the key that signs the requests; it is never sent or printed.
    ///   - silence: the timeout for a server that gives no useful response.
    ///   - caFile: a PEM file of CAs to trust in addition to the system's.
    ///   - pageSize: the objects per request, 1 to 1,000.
    ///   - progress: called with the class and the number of objects read, after each page.
    /// - Throws: ``TransferError`` if no client can be created.
    package init(
        into registry: Registry, url: String, applicationID: String, masterKey: String,
        silence: Duration = defaultSilence, caFile: String? = nil, pageSize: Int = 500,
        progress: @escaping @Sendable (_ className: String, _ read: Int) -> Void = { _, _ in }
    ) throws(TransferError) {
        let client: HTTPClient
        do throws(HTTP.TransportError) {
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
