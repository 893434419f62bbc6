/// The reason a push cannot be expressed as a campaign.
package struct Inexpressible: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in words that follow "it".
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
