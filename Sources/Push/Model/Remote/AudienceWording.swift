/// How many devices of an audience get which words; never a value of one of them.
package struct AudienceWording: Hashable, Sendable {
    /// The languages of the message, with the devices that get each.
    package var languages: [String: Int]
    /// Devices that get the message itself: they report no language, or one that it does not have.
    package var fallback: Int
    /// The fields in its texts, with the devices that have a value of their own; the others get the default.
    package var values: [String: Int]
    /// The bytes of the largest payload.
    package var largest: Int

    package init(languages: [String: Int] = [:], fallback: Int = 0, values: [String: Int] = [:], largest: Int = 0) {
        self.languages = languages
        self.fallback = fallback
        self.values = values
        self.largest = largest
    }
}
