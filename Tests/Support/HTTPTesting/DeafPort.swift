internal import CLibrary

/// A port of this machine where nobody listens, and nobody else can.
///
/// A port that a server has left is soon another's: that of the test beside, say.
package enum DeafPort {
    /// There is no port.
    package struct Failure: Error {}

    /// Runs `body` with one: it is taken and not listened on, so that connections to it are refused.
    package static func with<Value>(_ body: (_ port: Int) async throws -> Value) async throws -> Value {
        let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(holder) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isTaken = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(holder, $0, size) == 0 && getsockname(holder, $0, &size) == 0
            }
        }
        guard isTaken else { throw Failure() }
        return try await body(Int(UInt16(bigEndian: address.sin_port)))
    }
}
