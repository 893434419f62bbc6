internal import Dispatch

extension Array where Element: Sendable {
    /// Maps over all cores; the order of the results is that of the elements.
    ///
    /// Short arrays are mapped where they stand: spreading them costs more than it saves.
    package func mapConcurrently<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        guard count >= 256 else { return map(transform) }
        let chunk = 128
        let chunks = (count + chunk - 1) / chunk
        var parts = [[Result]](repeating: [], count: chunks)
        parts.withUnsafeMutableBufferPointer { buffer in
            // Each iteration writes its own element of the buffer and no other.
            nonisolated(unsafe) let slots = buffer
            DispatchQueue.concurrentPerform(iterations: chunks) { index in
                let range = index * chunk..<Swift.min(count, (index + 1) * chunk)
                slots[index] = self[range].map(transform)
            }
        }
        return Array<Result>(parts.joined())
    }
}
