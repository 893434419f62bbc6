internal import CLibrary

/// A check that twice the input takes twice the time.
package enum Growth {
    /// The factor by which twice the input may take longer.
    package static let most = 2.5

    /// Measures how much longer twice the input takes.
    ///
    /// One doubling alone tells little: an allocator or a cache that is full makes a step. What grows with the square
    /// of its input passes no three of them.
    ///
    /// Other work on the machine makes a time longer, never shorter: the shortest of at least two counts is taken, and
    /// of many before a shape is said to be slow. It also takes the caches, which costs a large result more than a
    /// small one: the small input is read eight times, and all eight results are kept as long.
    ///
    /// - Parameters:
    ///   - size: n; 8n is measured beside it.
    ///   - make: makes an input of about so many bytes.
    ///   - read: what is measured, on this thread, and returns all that it made of its input.
    /// - Returns: the mean of three doublings; nil when that is little enough.
    package static func excess<Input, Result>(
        from size: Int = 2000, _ make: (Int) -> Input, _ read: (Input) -> Result
    ) -> Double? {
        let (small, large) = (make(size), make(8 * size))
        var (shortest, longest) = (Double.infinity, Double.infinity)
        var growth = Double.infinity
        for count in 1...200 {
            shortest = min(shortest, time { (0..<8).map { _ in read(small) } } / 8)
            longest = min(longest, time { read(large) })
            growth = cbrt(longest / shortest)
            if count > 1, growth <= most { return nil }
        }
        return growth
    }

    private static func time<Result>(_ body: () -> Result) -> Double {
        let start = ProcessorTime.ofThread
        _ = body()
        return max(1e-6, ProcessorTime.ofThread - start)
    }
}
