/// A share of devices or answers, in ten-thousandths: `10%` is 1,000.
package struct Share: Hashable, Comparable, Sendable {
    /// From 0 to ``whole``.
    package let parts: Int

    /// All of them: 10,000 parts.
    package static let whole = Share(parts: 10_000)

    package init(parts: Int) { self.parts = parts }

    /// Parses `1%`, `0.5%`, `2.25%`; nil for anything else, or more than 100%.
    package init?(_ text: String) {
        guard text.last == "%" else { return nil }
        let numbers = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = numbers.allSatisfy { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber, (1...2).contains(numbers.count), let percent = Int(numbers[0]) else { return nil }
        let fraction = numbers.count == 2 ? String(numbers[1]) : ""
        guard fraction.utf8.count <= 2, let hundredths = Int((fraction + "00").prefix(2)) else { return nil }
        let parts = percent * 100 + hundredths
        guard parts <= Self.whole.parts else { return nil }
        self.parts = parts
    }

    /// The share as in files: `1%`, `0.5%`.
    package var text: String {
        let (percent, hundredths) = parts.quotientAndRemainder(dividingBy: 100)
        if hundredths == 0 { return "\(percent)%" }
        return hundredths % 10 == 0
            ? "\(percent).\(hundredths / 10)%" : "\(percent).\(hundredths < 10 ? "0" : "")\(hundredths)%"
    }

    /// The share as a number from 0 to 1.
    package var fraction: Double { Double(parts) / 10_000 }

    /// The expected number among so many, rounded.
    package func of(_ count: Int) -> Int { Int((Double(count) * fraction).rounded()) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.parts < rhs.parts }
}
