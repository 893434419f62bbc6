/// The texts of an app's keys, as a `strings` file has them.
package struct LocalizedStrings: Hashable, Sendable {
    /// The texts by their keys.
    package var texts: [String: String]

    /// Takes them.
    package init(texts: [String: String]) { self.texts = texts }
}
