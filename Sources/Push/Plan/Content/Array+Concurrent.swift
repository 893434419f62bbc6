internal import Dispatch

extension Array where Element: Sendable {
    /// Makes `count` elements on all cores; they stand in the order of their indices.
    ///
    /// A few are made where they are needed: spreading them costs more than it saves. Each core makes `chunk` elements
    /// at a time, one after the other; use 1 where each is much work.
    package init(concurrently count: Int, inChunksOf chunk: Int = 128, _ element: @Sendable (Int) -> Element) {
        guard count >= 2 * chunk else {
            self = (0..<count).map(element)
            return
        }
        let chunks = (count + chunk - 1) / chunk
        var parts = [[Element]](repeating: [], count: chunks)
        parts.withUnsafeMutableBufferPointer { buffer in
            // Each iteration writes its own element of the buffer and no other.
            nonisolated(unsafe) let slots = buffer
            DispatchQueue.concurrentPerform(iterations: chunks) { index in
                slots[index] = (index * chunk..<Swift.min(count, (index + 1) * chunk)).map(element)
            }
        }
        self = Array(parts.joined())
    }

    /// Maps over all cores; the order of the results is that of the elements.
    package func mapConcurrently<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        [Result](concurrently: count) { transform(self[$0]) }
    }
}
