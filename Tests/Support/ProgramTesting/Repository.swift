package import FoundationEssentials

/// The folder of this repository.
package let repository = URL(filePath: #filePath).appending(path: "../../../..").standardized
