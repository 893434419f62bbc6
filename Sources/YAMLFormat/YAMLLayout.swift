/// The canonical layout of YAML source text: indentation, spaces, blank lines, final newline.
///
/// Nothing is reordered, quoted anew or written anew: comments and values stay as they are.
package struct YAMLLayout: Sendable {
    /// The file's name, for diagnostics.
    package let file: String

    /// Lays out files of this name.
    package init(file: String) { self.file = file }
}
