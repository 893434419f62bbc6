extension TransportError {
    /// What went wrong; new codes may come, so match the ones that matter.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case couldNotResolve, couldNotConnect, tls, timedOut, connectionLost, refusedURL, refusedHeader
            case responseTooLarge, rewindRefused, tooLate, cancelled, protocolError, noHTTP2, internalFailure
        }

        private let kind: Kind

        /// The name of the host, or of the proxy, has no address.
        package static let couldNotResolve = Self(kind: .couldNotResolve)
        /// Nobody answers there.
        package static let couldNotConnect = Self(kind: .couldNotConnect)
        /// The server's certificate is not trusted, or there was no agreement on a cipher.
        package static let tls = Self(kind: .tls)
        /// The request's time was over.
        package static let timedOut = Self(kind: .timedOut)
        /// The connection ended before the whole answer was there.
        package static let connectionLost = Self(kind: .connectionLost)
        /// The address is not one that requests may go to.
        package static let refusedURL = Self(kind: .refusedURL)
        /// A header cannot be sent as it is.
        package static let refusedHeader = Self(kind: .refusedHeader)
        /// The answer, decompressed, is over 16 MiB.
        package static let responseTooLarge = Self(kind: .responseTooLarge)
        /// The connection ended before the answer and the request is one that goes out once, so it was not repeated.
        package static let rewindRefused = Self(kind: .rewindRefused)
        /// The moment after which it was not to be written had passed.
        package static let tooLate = Self(kind: .tooLate)
        /// The task was cancelled, or the client closed.
        package static let cancelled = Self(kind: .cancelled)
        /// The server's answer is not HTTP.
        package static let protocolError = Self(kind: .protocolError)
        /// The server does not speak HTTP/2, or libcurl was built without it, where nothing else will do.
        package static let noHTTP2 = Self(kind: .noHTTP2)
        /// libcurl could not do its work on this machine.
        package static let internalFailure = Self(kind: .internalFailure)

        package var description: String {
            switch kind {
            case .couldNotResolve: "the host name could not be resolved"
            case .couldNotConnect: "no connection"
            case .tls: "no secure connection"
            case .timedOut: "the time was over"
            case .connectionLost: "the connection ended before the whole answer"
            case .refusedURL: "the address is refused"
            case .refusedHeader: "a header is refused"
            case .responseTooLarge: "the answer is over 16 MiB"
            case .rewindRefused: "the connection ended before the answer and the request was not repeated"
            case .tooLate: "it was too late to send it"
            case .cancelled: "cancelled"
            case .protocolError: "the answer is not valid HTTP"
            case .noHTTP2: "no HTTP/2"
            case .internalFailure: "libcurl failed"
            }
        }

        /// What to do next.
        var advice: String {
            switch kind {
            case .couldNotResolve: "check the host name and this machine's DNS"
            case .couldNotConnect: "check the address, the port and the network"
            case .tls: "check the server's certificate, or name the CA that signed it"
            case .timedOut: "try again later or allow more time"
            case .connectionLost, .rewindRefused: "check the network between here and the server"
            case .refusedURL: "use https (http only to this machine), percent-encoded, without user or password"
            case .refusedHeader: "remove what a header cannot hold"
            case .responseTooLarge: "ask for less at a time"
            case .tooLate, .cancelled: "run it again"
            case .protocolError: "check that the address is that of the service"
            case .noHTTP2: "check the address, what takes connections apart on the way, and the installed libcurl"
            case .internalFailure: "check memory, open files and the installed libcurl"
            }
        }
    }
}
