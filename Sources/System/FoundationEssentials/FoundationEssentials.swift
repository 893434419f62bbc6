// macOS has Foundation, and no module of this name: Package.swift makes this one there, and only there.
@_exported public import Foundation
