/// The address of a page, of characters that cannot end a link in Markdown or HTML.
package struct PageLink: Hashable, Sendable {
    /// The address.
    package let text: String

    /// Creates a link; nil for anything but a plain address of the web.
    package init?(_ text: String) {
        let isWeb = text.hasPrefix("https://") || text.hasPrefix("http://")
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7f && !"<>()[]\\\"'`|@".utf8.contains(byte)
        }
        guard isWeb, isPlain, text.utf8.count <= 2000 else { return nil }
        self.text = text
    }
}
