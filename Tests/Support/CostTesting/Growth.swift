/// Whether twice the input takes twice the time.
package enum Growth {
    /// How much longer it may take.
    package static let most = 2.5

    /// By how much the time grows from n bytes to 2n and from 2n to 4n; nil when that is little enough.
    ///
    /// Other work on the machine makes a time longer, never shorter: the shortest of at least two counts is taken, and
    /// of many before a shape is said to be slow.
    ///
    /// - Parameters:
    ///   - size: n.
    ///   - make: makes an input of about so many bytes.
    ///   - read: what is measured, on this thread.
    package static func excess<Input>(
        from size: Int = 2000, _ make: (Int) -> Input, _ read: (Input) -> Void
    ) -> [Double]? {
        let inputs = [1, 2, 4].map { make($0 * size) }
        var best = [Double](repeating: .infinity, count: inputs.count)
        var ratios: [Double] = []
        for count in 1...200 {
            for (index, input) in inputs.enumerated() { best[index] = min(best[index], time { read(input) }) }
            ratios = [best[1] / best[0], best[2] / best[1]]
            if count > 1, ratios.allSatisfy({ $0 <= most }) { return nil }
        }
        return ratios
    }

    private static func time(_ body: () -> Void) -> Double {
        let start = ProcessorTime.ofThread
        body()
        return max(1e-6, ProcessorTime.ofThread - start)
    }
}
