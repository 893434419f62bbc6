/// Headers that many requests of a pump share.
package final class PumpHeaders {
    /// libcurl's form of them.
    let list: HeaderList

    /// Takes headers as names and values.
    ///
    /// - Throws: `TransportError` with `refusedHeader` when one cannot be sent as it is.
    package init(_ headers: [(String, String)]) throws(TransportError) {
        if let fault = Self.fault(in: headers) {
            throw TransportError(.refusedHeader, sent: .nothing, request: "POST", detail: fault)
        }
        do throws(LibcurlFailure) {
            // Without a value: headers that libcurl would add and nobody needs.
            list = try HeaderList(headers.map { HeaderList.line($0) } + ["Content-Type:", "Accept:"])
        } catch {
            throw TransportError(.internalFailure, sent: .nothing, request: "POST", detail: error.detail)
        }
    }

    /// What keeps a header from being sent, or nothing.
    package static func fault(in headers: [(String, String)]) -> String? { HeaderList.fault(in: headers) }
}

@available(*, unavailable, message: "the headers belong to the thread of their pump")
extension PumpHeaders: Sendable {}
