/// Text from a file in single quotes, for a message: hidden characters are escaped, and it is cut after 100 characters.
package func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let shown = HiddenCharacters.replaced(in: scalars.prefix(100)) { scalar in
        "\\u" + scalar.value.hexadecimal(digits: 4, uppercase: true)
    }
    return "'" + shown + (scalars.dropFirst(100).isEmpty ? "'" : "…'")
}
