package import Base
package import DeviceRegistry
package import Push

/// A database of one kind that the claims about stores are tested on; empty at first.
package protocol StoreFixture: Sendable {
    /// Connects to the database; every call gives another connection, as another process would have.
    func connect() async throws -> Journal

    /// Registers devices as an app does, at a time: a known `installationId`, else a known token, is updated.
    func register(_ documents: [JSONValue], at time: Instant) async throws

    /// The fields of the device that has a token; nil when there is none.
    func device(_ token: String) async throws -> JSONValue?

    /// The `objectId` of the device that has a token; nil when there is none.
    func objectID(_ token: String) async throws -> String?

    /// When the device that has a token was last seen; nil when there is none.
    func lastSeen(_ token: String) async throws -> Instant?

    /// Moves the database's clock forward, as the store sees it.
    func advance(seconds: Double) async throws
}

/// A broken claim about stores.
package struct StoreMismatch: Error, CustomStringConvertible {
    /// The expectation, and its place.
    package let description: String
}

/// Ends a claim that does not hold.
func expect(_ holds: Bool, _ what: @autoclosure () -> String = "", line: Int = #line, file: String = #fileID) throws {
    if !holds { throw StoreMismatch(description: "\(file):\(line): not as expected \(what())") }
}

/// Ends a claim whose two values differ.
func expect<Value: Equatable>(
    _ value: Value, is other: Value, line: Int = #line, file: String = #fileID
) throws {
    if value != other { throw StoreMismatch(description: "\(file):\(line): \(value) is not \(other)") }
}

/// A value that must be there.
func require<Value>(_ value: Value?, line: Int = #line, file: String = #fileID) throws -> Value {
    guard let value else { throw StoreMismatch(description: "\(file):\(line): there is nothing") }
    return value
}

/// Ends a claim when something is done that must be refused.
func refused(
    _ error: RegistryError? = nil, line: Int = #line, file: String = #fileID, _ body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch let refusal as RegistryError {
        if let error, refusal != error {
            throw StoreMismatch(description: "\(file):\(line): refused with \(refusal)")
        }
        return
    }
    throw StoreMismatch(description: "\(file):\(line): not refused")
}
