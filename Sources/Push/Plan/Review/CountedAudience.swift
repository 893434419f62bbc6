internal import Base

/// An audience that a remote counts, identified by its hash.
struct CountedAudience {
    let digest: Digest
    let condition: JSONValue

    /// Creates an audience from an encoder's condition.
    init(_ condition: JSONValue) {
        digest = Digest(of: condition)
        self.condition = condition
    }

    /// Creates the audience of a request; nil for a list of devices, or when nobody can count it.
    init?(of request: PushRequest, _ encoder: any RequestEncoding) {
        guard let condition = encoder.audience(of: request) else { return nil }
        self.init(condition)
    }

    /// Returns the audience of the devices in both; nil when there can be none.
    ///
    /// The result does not depend on the order.
    func shared(with other: CountedAudience, _ encoder: any RequestEncoding) -> CountedAudience? {
        if digest == other.digest { return self }
        let (low, high) = digest < other.digest ? (self, other) : (other, self)
        return encoder.sharedAudience(low.condition, high.condition).map { CountedAudience($0) }
    }
}
