internal import JSONValue
internal import PushModel

/// An audience that a remote is asked to count, found again by its hash.
struct CountedAudience {
    let digest: Digest
    let condition: JSONValue

    /// An audience as a remote's encoder says it.
    init(_ condition: JSONValue) {
        digest = Digest(of: condition)
        self.condition = condition
    }

    /// The audience of a request; nil: it names its devices, or nobody can count it.
    init?(of request: PushRequest, _ encoder: any RequestEncoding) {
        guard let condition = encoder.audience(of: request) else { return nil }
        self.init(condition)
    }

    /// The audience of the devices that get both; nil: none can.
    ///
    /// It is the same question whichever comes first.
    func shared(with other: CountedAudience, _ encoder: any RequestEncoding) -> CountedAudience? {
        if digest == other.digest { return self }
        let (low, high) = digest < other.digest ? (self, other) : (other, self)
        return encoder.sharedAudience(low.condition, high.condition).map { CountedAudience($0) }
    }
}
