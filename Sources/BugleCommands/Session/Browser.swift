internal import Subprocess

/// The browser of whoever runs the program.
enum Browser {
    #if os(macOS)
        private static let opener = "open"
    #else
        private static let opener = "xdg-open"
    #endif

    /// Opens a page; returns false when there is no browser.
    static func open(_ page: String) async -> Bool {
        let result = try? await Subprocess.run(
            .name(opener), arguments: [page], output: .discarded, error: .discarded)
        return result?.terminationStatus.isSuccess ?? false
    }
}
