internal import CYAML

/// The libyaml in use.
package enum LibyamlVersion {
    /// The version, such as `0.2.5`.
    package static var text: String {
        // A constant of the library.
        unsafe String(cString: yaml_get_version_string())
    }
}
