/// What a test waited for did not become so.
package struct NeverSo: Error {}

/// Returns when something is so.
///
/// It is asked every few milliseconds, so that whoever makes it so has the processor meanwhile.
///
/// - Throws: what `isSo` throws, and ``NeverSo`` after ten minutes, in which any machine gets there.
package func eventually(_ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw NeverSo() }
        try await Task.sleep(for: .milliseconds(5))
    }
}
