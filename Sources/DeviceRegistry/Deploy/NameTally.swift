/// Counts devices by a name that they bear, in bounded memory however many names there are.
///
/// Of very many names the rarest are forgotten while they are counted, so that a name which reappears has a few devices
/// less than it should; names that matter never get so rare.
struct NameTally {
    /// The devices of each name.
    private(set) var counts: [String: Int] = [:]

    /// Names that have more bytes are not told.
    static let longestName = 64
    /// Names that are remembered while counting.
    private static let mostNames = 16_384

    /// Counts devices.
    mutating func add(_ name: String, _ devices: Int = 1) {
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
