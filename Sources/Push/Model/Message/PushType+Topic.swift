extension PushType {
    /// The push type that a topic's suffix belongs to; nil when the topic ends in none.
    package init?(ofTopic topic: String) {
        guard let type = Self.allCases.first(where: { !$0.topicSuffix.isEmpty && topic.hasSuffix($0.topicSuffix) })
        else { return nil }
        self = type
    }

    /// True when a profile with this topic may push this type: the topic ends in no suffix, or in this type's.
    package func fits(topic: String) -> Bool {
        PushType(ofTopic: topic).map { $0 == self } ?? true
    }

    /// The app's bundle id: the topic of a profile without this type's suffix.
    package func bundleID(of topic: String) -> String {
        topicSuffix.isEmpty || !topic.hasSuffix(topicSuffix) ? topic : String(topic.dropLast(topicSuffix.count))
    }

    /// `apns-topic`: the topic of a profile, with this type's suffix unless it is already there.
    package func apnsTopic(of topic: String) -> String { bundleID(of: topic) + topicSuffix }
}
