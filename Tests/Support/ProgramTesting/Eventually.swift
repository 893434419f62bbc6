/// What a test waited for did not become so.
package struct NeverSo: Error {}

/// Returns when something is so.
///
/// It is asked after 5 milliseconds, then ever more rarely down to every 50, so that whoever makes it so has the processor.
///
/// - Throws: what `isSo` throws, and ``NeverSo`` after ten minutes, in which any machine gets there.
package func eventually(_ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    var pause = Duration.milliseconds(5)
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw NeverSo() }
        try await Task.sleep(for: pause)
        pause = min(pause * 1.25, .milliseconds(50))
    }
}
