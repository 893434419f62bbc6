package import Push

/// Ensures that a scan terminates, whatever the service answers.
package struct ScanWatch {
    /// The most empty pages in a row, as may occur without matches; a million objects have a thousand pages.
    private static let mostEmpty = 1000

    private let className: String
    private var passed: Set<ClassScan.Position> = []
    private var empty = 0

    /// Starts to watch the scan of a class.
    package init(_ className: String) {
        self.className = className
    }

    /// Records a page.
    ///
    /// - Throws: `RemoteError` when the next page was read before, or when empty pages do not end.
    package mutating func pass(_ page: ClassScan.Page, at position: ClassScan.Position) throws(RemoteError) {
        guard let next = page.next else {
            self = ScanWatch(className)
            return
        }
        passed.insert(position)
        guard !passed.contains(next) else { throw fault("the service keeps repeating its cursor") }
        empty = page.objects.isEmpty ? empty + 1 : 0
        guard empty < Self.mostEmpty else { throw fault("the service keeps returning empty pages") }
    }

    private func fault(_ text: String) -> RemoteError { RemoteError(.unexpectedAnswer, "\(className): \(text)") }
}
