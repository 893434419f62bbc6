internal import Dispatch

extension Array where Element: Sendable {
    /// Creates `count` elements on all cores, in the order of their indices.
    ///
    /// A few elements are created on the calling thread: distributing them costs more than it saves.
    ///
    /// - Parameter chunk: so many are made one after the other; 1 where each is much work.
    package init(concurrently count: Int, inChunksOf chunk: Int = 128, _ element: @Sendable (Int) -> Element) {
        guard count >= 2 * chunk else {
            self = (0..<count).map(element)
            return
        }
        let chunks = (count + chunk - 1) / chunk
        var parts = [[Element]](repeating: [], count: chunks)
        parts.withUnsafeMutableBufferPointer { buffer in
            // Each iteration writes only its own element of the buffer.
            nonisolated(unsafe) let slots = buffer
            DispatchQueue.concurrentPerform(iterations: chunks) { index in
                slots[index] = (index * chunk..<Swift.min(count, (index + 1) * chunk)).map(element)
            }
        }
        self = Array(parts.joined())
    }

    /// Maps on all cores; the results are in the order of the elements.
    package func mapConcurrently<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        [Result](concurrently: count) { transform(self[$0]) }
    }
}
