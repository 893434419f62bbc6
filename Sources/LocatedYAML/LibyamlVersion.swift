internal import CYAML

/// Which libyaml runs.
package enum LibyamlVersion {
    /// Its version, such as `0.2.5`.
    package static var text: String {
        // A constant of the library.
        unsafe String(cString: yaml_get_version_string())
    }
}
