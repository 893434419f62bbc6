/// Counts devices by name, in bounded memory however many names there are.
///
/// With very many names the rarest are dropped while counting, so that a name that reappears gets a few devices too
/// few; frequent names are never affected.
package struct NameTally {
    /// The number of devices by name.
    package private(set) var counts: [String: Int] = [:]

    /// The maximum length of a reported name in bytes.
    package static let longestName = 64
    /// The maximum number of names kept while counting.
    private static let mostNames = 16_384

    package init() {}

    /// Adds devices to a name's count.
    package mutating func add(_ name: String, _ devices: Int = 1) {
        counts[name, default: 0] += devices
        if counts.count > Self.mostNames { forgetRarest() }
    }

    private mutating func forgetRarest() {
        var rare = 1
        while counts.count > Self.mostNames / 2 {
            counts = counts.filter { $0.value > rare }
            rare *= 2
        }
    }
}
