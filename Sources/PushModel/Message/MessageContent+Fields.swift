internal import JSONValue

extension MessageContent {
    /// The fields that stand in a message itself.
    static let common = FieldTable(Message.fields, blank: MessageContent(), rows)
    /// Those that stand in its `ios`.
    static let ios = FieldTable(
        MapDescription(
            "Campaign.message.ios", "What differs on iOS", "iOS 上的不同之处",
            elsewhere: androidFields.merging(ownFields) { $1 },
            rows.map(\.spec)), blank: MessageContent(), rows)
    /// Those that stand in its `android`, which are all.
    static let android = FieldTable(
        MapDescription(
            "Campaign.message.android", "What differs on Android", "Android 上的不同之处", elsewhere: ownFields,
            (rows + androidRows).map(\.spec)), blank: MessageContent(), rows + androidRows)

    /// In the order of the hash, by which a pending push is compared: another order would be another hash.
    static let rows: [FieldRow<MessageContent>] = [
        FieldRow("title", .localizable, "The first line", "标题", { $0.title }, { $0.title = $1 }),
        FieldRow("subtitle", .localizable, "The second line", "副标题", { $0.subtitle }, { $0.subtitle = $1 }),
        FieldRow("body", .localizable, "The text", "正文", { $0.body }, { $0.body = $1 }),
        FieldRow(
            "badge", .badge, "The number on the app's icon; 0 removes it, increment adds one to the device's own",
            "应用图标上的角标数字；0 清除角标，increment 在设备当前数字上加一", { $0.badge }, { $0.badge = $1 }),
        FieldRow(
            "sound", .sound, "A sound of the app, or default", "应用自带的提示音，或 default", { $0.sound }, { $0.sound = $1 }),
        FieldRow(
            "category", .text, "The category of actions", "通知操作按钮的类别（category）", { $0.category },
            { $0.category = $1 }),
        FieldRow("threadId", .text, "What groups notifications", "通知分组的依据", { $0.threadId }, { $0.threadId = $1 }),
        FieldRow(
            "targetContentId", .text, "The window brought forward", "要带到前台的窗口", { $0.targetContentId },
            { $0.targetContentId = $1 }),
        FieldRow("launchImage", .text, "The launch image", "启动图", { $0.launchImage }, { $0.launchImage = $1 }),
        FieldRow(
            "filterCriteria", .text, "The criterion of a Focus filter", "专注模式过滤条件", { $0.filterCriteria },
            { $0.filterCriteria = $1 }),
        FieldRow(
            "interruptionLevel", .choice(InterruptionLevel.self), "How it interrupts", "打扰级别",
            { $0.interruptionLevel }, { $0.interruptionLevel = $1 }),
        FieldRow(
            "relevanceScore", .unit, "What the summary sorts by", "通知摘要中的排序依据", { $0.relevanceScore },
            { $0.relevanceScore = $1 }),
        FieldRow(
            "mutableContent", .flag, "Whether the app's service extension may change it",
            "是否允许应用的 Notification Service Extension 修改内容", { $0.mutableContent }, { $0.mutableContent = $1 }),
        FieldRow(
            "contentAvailable", .flag, "Whether the app is woken in the background", "是否在后台唤醒应用（静默推送）",
            { $0.contentAvailable }, { $0.contentAvailable = $1 }),
        FieldRow(
            "collapseId", .text(1...64), "Notifications of one id replace each other; at most 64 bytes",
            "相同 id 的通知互相替换；最长 64 字节", { $0.collapseId }, { $0.collapseId = $1 }),
        FieldRow(
            "priority", .integer(.oneOfIntegers([10, 5, 1])), default: "5 for background, else 10",
            "10: at once; 5: as power allows; 1: never wakes the device", "10：立即送达；5：视电量情况；1：从不唤醒设备",
            { $0.priority }, { $0.priority = $1 }),
        FieldRow(
            "pushType", .choice(PushType.self),
            default:
                "liveactivity with liveActivity, background when only contentAvailable and data are given, else alert",
            "Apple's push type; it adds its suffix to the topic", "Apple 的推送类型；会在 Topic 后加上对应的后缀",
            { $0.pushType }, { $0.pushType = $1 }),
        FieldRow(
            "liveActivity", .liveActivity,
            "What happens to a Live Activity; title, body and sound are its alert",
            "对实时活动做什么；title、body、sound 是随之出现的提醒", { $0.liveActivity }, { $0.liveActivity = $1 }),
        FieldRow(
            "data", .members(keys: .customKey), "Custom keys beside aps", "与 aps 并列的自定义字段", { $0.data },
            { $0.data = $1 }, merge: { $0.merging($1) { $1 } }),
        FieldRow(
            "deliveryKey", .name(.customKey),
            "The custom key that bears the delivery id, so that the app can report opens",
            "携带投递 id 的自定义字段名，供应用上报打开情况", { $0.deliveryKey }, { $0.deliveryKey = $1 }),
    ]

    private static let androidRows: [FieldRow<MessageContent>] = [
        FieldRow(
            "silent", .flag, default: "false", "Passed to the app without a notification", "透传给应用，不显示通知",
            { $0.silent }, { $0.silent = $1 }),
        FieldRow("action", .text, "The intent's action", "Intent 的 action", { $0.action }, { $0.action = $1 }),
        FieldRow(
            "channel", .text, "The notification channel", "通知渠道（Notification Channel）", { $0.channel },
            { $0.channel = $1 }),
    ]

    /// What people who look for them elsewhere are told.
    static let androidFields = Dictionary(
        uniqueKeysWithValues: androidRows.map { ($0.spec.name, "; it belongs in 'android'") })
    private static let ownFields = Dictionary(
        uniqueKeysWithValues: ["ios", "android", "vendors"].map { ($0, "; it belongs in 'message' itself") })
}
