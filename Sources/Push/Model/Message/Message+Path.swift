package import Base

extension Message {
    /// The path of the first text with a place for a device's value; nil when the same is said to everybody.
    package var personalPath: [FieldPathElement]? {
        let contents: [([FieldPathElement], MessageContent?)] =
            [(["message"], common), (["message", "ios"], ios), (["message", "android"], android)]
            + languages.map { (["message", "languages", .key($0.name)], $0.content) }
        for case (let path, let content?) in contents {
            let field = content.personalTexts.first { !$0.text.personalValues.isEmpty }?.field
            if let field { return path + [.key(field.rawValue)] }
        }
        return nil
    }

    /// The contents that Apple devices get, as far as files write them, with the paths of their fields.
    package var appleContents: [(content: MessageContent, path: (ContentField) -> [FieldPathElement])] {
        [(content(for: .ios), { self.path($0, for: .ios) })]
            + languages.map { language in
                (language.content, { ["message", "languages", .key(language.name), .key($0.rawValue)] })
            }
    }

    /// The path of a field as a platform sees it: under the platform when that sets it, else in the message.
    package func path(_ field: ContentField, for platform: Platform) -> [FieldPathElement] {
        let override =
            switch platform {
            case .ios: ios
            case .android: android
            }
        let name = FieldPathElement.key(field.rawValue)
        return override?.value(of: field) != nil ? ["message", .key(platform.rawValue), name] : ["message", name]
    }
}
