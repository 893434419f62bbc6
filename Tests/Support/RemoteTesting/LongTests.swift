import Foundation

/// True where the long tests run as well, with more seeds of what is made at random: `make test-long`.
package let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"
