extension Phrase {
    /// The words of the page by the names that its templates use.
    static let ofPage: [String: Phrase] = [
        "pageLanguage": .pageLanguage,
        "skipToContent": .skipToContent,
        "contents": Phrase("Contents", "目录"),
        "to": Phrase("to", "到"),
        "becomes": Phrase("becomes", "变为"),
        "moreViews": .moreViews,
        "legendSent": Phrase("sent", "发送"),
        "legendWorth": Phrase("deliverable", "有效期内"),
        "legendQuiet": Phrase("quiet hours", "免打扰时段"),
        "legendNow": Phrase("time of the plan", "计划时间"),
        "legendClose": Phrase("too close to another", "与另一次间隔过近"),
        "toThePush": Phrase("To the push", "查看这次推送"),
    ]
}
