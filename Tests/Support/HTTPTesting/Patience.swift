/// Tries with a time limit of half a second, and with one twice as long until the outcome is fit to be judged.
///
/// For tests of time limits: what they are not about has to be in time as well, which takes a busy machine longer.
///
/// - Parameters:
///   - isFit: whether nothing but what the test is about was late.
///   - body: a whole try, from its beginning.
/// - Returns: the outcome; after a limit of two minutes whatever it is.
/// - Throws: what `body` throws.
package func withPatience<Outcome>(
    until isFit: (Outcome) -> Bool, _ body: (_ limit: Duration) async throws -> Outcome
) async throws -> Outcome {
    var limit = Duration.milliseconds(500)
    while true {
        let outcome = try await body(limit)
        guard !isFit(outcome), limit < .seconds(120) else { return outcome }
        limit *= 2
    }
}
