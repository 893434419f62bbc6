internal import Push
internal import PushReport

extension Phrase {
    /// The words of the console's pages by the names that templates use; a placeholder in one is the page's.
    static let ofConsole: [String: Phrase] = [
        // Around every page.
        "consoleTitle": Phrase("bugle console", "bugle 控制台"),
        "pages": Phrase("Pages", "页面"),
        "overview": .overview,
        "pushes": .pushes,
        "installations": .installations,
        "logOut": Phrase("Log out", "退出登录"),
        "serverClock": Phrase("Server clock", "服务器时间"),
        "live": Phrase("Live", "实时更新"),
        "updatesEnded": Phrase("Updates have ended: reload the page", "更新已停止：请刷新页面"),
        "allSimulated": Phrase("All devices are simulated: nothing leaves this server.", "所有设备都是模拟的：没有任何推送离开本服务器。"),
        "connecting": Phrase("Connecting …", "正在连接…"),
        // The login.
        "logIn": .logIn,
        "whoMayLogIn": Phrase(
            "The console is for people who have the master key of this app, or its key for looking only.",
            "控制台仅供持有本应用 Master Key 或只读密钥的人使用。"),
        "keyField": Phrase("Key", "密钥"),
        "readOnly": .readOnly,
        // Pages with only a message.
        "goToOverview": Phrase("Go to the overview", "返回概览"),
        // The overview.
        "lockScreens": Phrase("Lock screens", "锁定屏幕"),
        "phonesNote": Phrase("A few simulated devices and their lock screens.", "若干台模拟设备此刻的样子。"),
        "allPushes": Phrase("All pushes", "全部推送"),
        "scheduledPushes": Phrase("Scheduled", "定时推送"),
        "scheduledNote": Phrase("They go out by the server’s clock.", "按服务器时间发出。"),
        "countFailed": Phrase("They cannot be counted at the moment.", "目前无法统计。"),
        "newestPush": Phrase("Newest push", "最近的推送"),
        "newestFigures": Phrase(
            "{{state.successes}} of {{state.devices}} devices, {{state.invalidTokens}} dead tokens",
            "{{state.devices}} 台设备，成功 {{state.successes}} 台，失效 token {{state.invalidTokens}} 个"),
        "noneYet": Phrase("None yet", "还没有"),
        "sendOne": Phrase("send one with <code>POST /1.1/push</code>", "用 <code>POST /1.1/push</code> 发送一条"),
        "news": Phrase(
            """
            Newest push: <bdi dir="auto">{{headline}}</bdi>, {{state.word}}{{^empty(state.simulation)}}, \
            {{state.simulation}}{{/empty(state.simulation)}}, {{state.successes}} of {{state.devices}} devices.
            """,
            """
            最近的推送：<bdi dir="auto">{{headline}}</bdi>，{{state.word}}{{^empty(state.simulation)}}，\
            {{state.simulation}}{{/empty(state.simulation)}}，{{state.devices}} 台设备中成功 {{state.successes}} 台。
            """),
        "byDay": Phrase("By day, the last {{days}} days", "最近 {{days}} 天（按日）"),
        "shortCharts": Phrase("14 days", "14 天"),
        "longCharts": Phrase("30 days", "30 天"),
        "asTable": Phrase("As a table", "以表格显示"),
        "day": Phrase("Day", "日期"),
        "number": Phrase("Number", "数量"),
        "whatDevicesReported": Phrase("Received and opened", "收到与打开"),
        "countedNote": Phrase(
            "As devices reported, of those that Apple accepted; counted at most once a minute.",
            "由设备上报，占 Apple 已接受设备的比例；最多每分钟统计一次。"),
        "countedCaption": Phrase("The newest deliveries that count events", "最近几次统计事件的投递"),
        "accepted": Phrase("Accepted", "已接受"),
        "receivedShare": Phrase("Received", "收到"),
        "openedShare": Phrase("Opened", "打开"),
        "dismissedShare": Phrase("Dismissed", "移除"),
        // Lock screens.
        "onTheIcon": Phrase("on the app’s icon", "应用图标角标"),
        "noBadge": Phrase("no badge", "无角标"),
        "noPhones": Phrase(
            """
            No device has registered yet. Devices appear here when an app registers, or when the server is started \
            with <code>--seed-devices</code>.
            """,
            "还没有设备注册。应用注册之后，或以 <code>--seed-devices</code> 启动服务器，设备就会出现在这里。"),
        // Lists of pushes.
        "noPush": Phrase("No push was sent yet.", "还没有发送过推送。"),
        "pushesCaption": Phrase("Pushes, the newest first", "推送，最新的在前"),
        "messageHead": Phrase("Message", "消息"),
        "forWhom": Phrase("For", "受众"),
        "status": Phrase("Status", "状态"),
        "successes": Phrase("Successes", "成功"),
        "deadTokens": .deadTokens,
        "taken": Phrase("Taken", "受理时间"),
        "morePushes": Phrase("More pushes", "更多推送"),
        "newest": Phrase("Newest", "最新"),
        "older": Phrase("Older", "更早"),
        "placeInList": Phrase(
            """
            {{^empty(page)}}Page {{page}}{{^empty(pages)}} of {{pages}}{{/empty(pages)}} · {{/empty(page)}}\
            {{first}} to {{last}} of {{#isAtLeast}}at least {{/isAtLeast}}{{total}}
            """,
            """
            {{^empty(page)}}第 {{page}} 页{{^empty(pages)}}，共 {{pages}} 页{{/empty(pages)}} · {{/empty(page)}}\
            第 {{first}} 至 {{last}} 条，{{#isAtLeast}}至少{{/isAtLeast}}{{^isAtLeast}}共{{/isAtLeast}} {{total}} 条
            """),
        "scheduledCaption": Phrase("Scheduled pushes, the next first", "定时推送，最先发出的在前"),
        "goesOut": Phrase("Goes out", "发送时间"),
        "action": Phrase("Action", "操作"),
        "cancelNamed": Phrase("Cancel: {{headline}}", "取消：{{headline}}"),
        "cancel": Phrase("Cancel…", "取消…"),
        "doNotSend": Phrase("Yes, do not send it", "确认，不再发送"),
        "moreWait": Phrase("More scheduled pushes follow.", "后面还有更多定时推送。"),
        "fromDay": Phrase("From", "从"),
        "toDay": Phrase("To", "到"),
        "asFile": Phrase("Save as CSV", "导出 CSV"),
        "newestOnly": Phrase("the newest of them", "仅最新的一部分"),
        "withoutCounts": Phrase(
            "{{withoutRecord}} without counts, which are kept for seven days", "其中 {{withoutRecord}} 次没有计数：计数保留七天"),
        // The time zone.
        "timesIn": Phrase("Times in", "时区"),
        "change": Phrase("Change", "更改"),
        // A push.
        "stopPush": Phrase("Stop it", "叫停"),
        "whyStop": Phrase("Why it is stopped", "叫停的原因"),
        "proceedPush": Phrase("Go on with the rest", "继续发送其余设备"),
        "abandonPush": Phrase("Give up the rest…", "放弃其余设备…"),
        "doNotSendRest": Phrase("Yes, do not send the rest", "确认，其余设备不再发送"),
        "matched": Phrase("matched and valid", "符合条件且有效"),
        "noWay": Phrase("none yet", "还没有"),
        "reportedInvalid": Phrase("reported invalid", "已报告失效"),
        "inDoubt": Phrase("In doubt", "存疑"),
        "answerLost": Phrase("Apple's answer was lost", "没有收到 Apple 的应答"),
        "leftOut": Phrase("Left out", "未包括"),
        "noWayToThem": .noWayToThem,
        "successesOfDevices": Phrase("Successes of devices", "成功的设备"),
        "someOf": Phrase("{{successes}} of {{devices}}", "{{devices}} 台中的 {{successes}} 台"),
        "noRecord": Phrase(
            "There is no record: records are kept for seven days, and cancelling a scheduled push removes its record.",
            "没有记录：记录保留七天；定时推送取消后，记录也随之删除。"),
        "howItLooks": Phrase("How it looks", "设备上的样子"),
        "facts": Phrase("Facts", "信息"),
        "scheduledFor": Phrase("Scheduled for", "定时于"),
        "worthNothing": Phrase("Expires", "有效期至"),
        "certificate": Phrase("Certificate", "推送证书"),
        "conditionJSON": Phrase("The condition as JSON", "JSON 形式的查询条件"),
        "someReached": Phrase("Some of the devices that it reached", "收到推送的部分设备"),
        "deviceHead": Phrase("Device", "设备"),
        "token": Phrase("Token", "Token"),
        "lastSeen": Phrase("Last seen", "最近活跃"),
        "contentJSON": Phrase("The content as JSON", "JSON 形式的内容"),
        "record": Phrase("Record", "记录"),
        "recordNote": Phrase("As clients read it, when the page was made.", "页面生成时客户端读到的内容。"),
        "recordJSON": Phrase("The record as JSON", "JSON 形式的记录"),
        "reasonsCaption": Phrase("Why devices did not get it, or perhaps not", "设备没有收到、或结果不明的原因"),
        "revisionColumn": Phrase("Revision", "版本"),
        "workspaceColumn": Phrase("Workspace", "工作区"),
        "appliedBy": Phrase("Applied by", "执行者"),
        "commitColumn": Phrase("Commit", "提交"),
        "runColumn": Phrase("Run", "运行"),
        // The list of devices.
        "filter": Phrase("Filter", "筛选"),
        "state": Phrase("State", "状态"),
        "channelField": Phrase("Channel", "频道"),
        "profileField": Phrase("Device profile", "deviceProfile"),
        "conditionField": Phrase("Condition, as JSON", "查询条件（JSON）"),
        "conditionHelp": Phrase(
            """
            A <code>where</code> as in a query, for example <code>{"scores": true}</code> or \
            <code>{"deviceToken": "…"}</code>.
            """,
            "与查询中的 <code>where</code> 相同，例如 <code>{\"scores\": true}</code> 或 <code>{\"deviceToken\": \"…\"}</code>。"),
        "fieldField": Phrase("Field = value", "字段 = 值"),
        "showAll": Phrase("Show all", "显示全部"),
        "noneFits": Phrase(
            "No device fits{{#stoppedEarly}} so far{{/stoppedEarly}}.",
            "{{#stoppedEarly}}目前为止{{/stoppedEarly}}没有符合条件的设备。"),
        "noneRegistered": Phrase("No device has registered yet.", "还没有设备注册。"),
        "devicesCaption": Phrase("Devices, the last registered first", "设备，最后注册的在前"),
        "channels": Phrase("Channels", "频道"),
        "profile": Phrase("Profile", "deviceProfile"),
        "moreChannels": Phrase("and {{moreChannels}} more", "还有 {{moreChannels}} 个"),
        "none": Phrase("none", "无"),
        "byDefault": Phrase("default", "默认"),
        "stoppedSearch": Phrase(
            "The search stopped after {{examined}} devices, to spare the server.", "为减轻服务器负担，查找在检查 {{examined}} 台设备后停止。"
        ),
        "moreDevices": Phrase("More devices", "更多设备"),
        "firstPage": Phrase("First page", "第一页"),
        "searchOn": Phrase("Search on", "继续查找"),
        "nextPage": Phrase("Next page", "下一页"),
        // The search for a device.
        "find": Phrase("Find", "查找"),
        "findDevice": Phrase("Find a device", "查找设备"),
        "findHint": Phrase("Token, id, user or field = value", "Token、id、用户或“字段 = 值”"),
        "searchInside": Phrase("Search inside all tokens and ids", "在全部 token 与 id 中查找"),
        "reportedDead": Phrase(
            "This token was reported dead, and no device has registered with it since:", "这个 token 已报告失效，此后没有设备再用它注册："),
        // A device.
        "registration": Phrase("Registration", "注册信息"),
        "registeredAt": Phrase("Registered", "注册时间"),
        "fields": Phrase("Fields", "字段"),
        "lockScreenHeading": Phrase("Lock screen", "锁定屏幕"),
        "inbox": Phrase("Inbox", "收件箱"),
        "nothingReceived": Phrase("It has received nothing yet.", "还没有收到任何推送。"),
        "inboxCaption": Phrase("What the device received, the newest first", "设备收到的推送，最新的在前"),
        "received": Phrase("Received", "收到时间"),
        "silent": Phrase("silent", "静默"),
        "notDelivered": Phrase("Not delivered", "未送达"),
        "notDeliveredCaption": Phrase(
            "What the device did not get from Apple, or perhaps not, the newest first", "Apple 未接受、或结果不明的推送，最新的在前"),
        "outcomeHead": Phrase("Outcome", "结果"),
        "reasonColumn": Phrase("Reason", "原因"),
        "pushedAt": Phrase("Pushed", "推送时间"),
        "tokenIsDead": Phrase("Its token was reported dead:", "它的 token 已报告失效："),
        // The test of a device.
        "sendTestHeading": Phrase("Send a test", "发送测试推送"),
        "testTitle": Phrase("Title (optional)", "标题（可选）"),
        "testText": Phrase("Text", "正文"),
        "production": Phrase("Production", "生产环境"),
        "development": Phrase("Development", "开发环境"),
        "sendTest": Phrase("Send to this device…", "发送到这台设备…"),
        "sendItNow": Phrase("Yes, send it now", "确认，立即发送"),
        "sendsForReal": Phrase(
            "It goes out at once, to this device only, and cannot be taken back.", "立即发出，只发给这台设备，且无法撤回。"),
        // Said by reports, too.
        "audience": .audience,
        "campaignColumn": .campaignColumn,
        "devicesColumn": .devicesColumn,
        "pageLanguage": .pageLanguage,
        "platform": .platform,
        "request": .request,
        "skipToContent": .skipToContent,
    ]
}

// MARK: - Console

extension Phrase {
    // MARK: Around every page

    static let overview = Phrase("Overview", "概览")
    static let pushes = Phrase("Pushes", "推送")
    static let installations = Phrase("Installations", "设备")

    // MARK: The login

    static let logIn = Phrase("Log in", "登录")
    static let wrongKey = Phrase("That is not a key for this console.", "这不是本控制台的密钥。")
    static let readOnly = Phrase("looking only", "只读")
    static let onlyLooking = Phrase("You may look only", "当前登录只能查看")
    static let needsMasterKey = Phrase(
        "Sending and cancelling need a login with the master key.", "发送与取消需要以 Master Key 登录。")

    // MARK: Pages with only a message

    static let noSuchPage = Phrase("There is no such page", "没有这个页面")
    static let noSuchForm = Phrase("There is no such form", "没有这个表单")
    static let leadsNowhere = Phrase("The address leads nowhere.", "这个地址没有对应的内容。")
    static let noSuchPush = Phrase("There is no such push", "没有这次推送")
    static let noSuchDevice = Phrase("There is no such device", "没有这台设备")
    static let outOfDate = Phrase("The form is out of date", "表单已过期")
    static let anotherSession = Phrase(
        "It was made in another session. Go back, reload the page, and try again.", "它来自另一次登录。请返回并刷新页面后重试。")
    static let wasCancelledNow = Phrase("The scheduled push was cancelled.", "定时推送已取消。")
    static let waitsNoMore = Phrase(
        "That push is no longer scheduled: it was sent or cancelled.", "这条推送已不在等待：它已发出或被取消。")
    static let pushIsStopped = Phrase(
        "The push is stopped: the batches that are open are the last.", "推送已叫停：已打开的批次发完后不再发送。")
    static let pushGoesOn = Phrase("The push goes on.", "推送继续发送。")
    static let pushIsAbandoned = Phrase("The rest of the push is given up.", "其余设备不再发送。")
    static let stopNeedsReason = Phrase("Say why the push is stopped.", "请写明叫停的原因。")
    static let notDecidable = Phrase(
        "That push is not being sent, or its last batches are still open: look again in a minute.",
        "这条推送不在发送中，或最后几批尚未结束：请一分钟后再看。")
    static let didNotWork = Phrase("That did not work", "操作没有成功")
    static let wentWrong = Phrase("Something went wrong inside the server. Its log says more.", "服务器内部出错，详情见日志。")

    // MARK: The overview

    static let reachableGroup = Phrase("Reachable", "可送达")
    static let androidGroup = Phrase("Android", "Android")
    static let staleGroup = Phrase("Stale", "久未出现")
    static let otherGroup = Phrase("Others", "其他")
    static let registrationsChart = Phrase("Registrations", "新注册")
    static let deliveriesChart = Phrase("Deliveries", "送达")
    static let refusalsChart = Phrase("Refusals", "被拒绝")
    static let deadTokensChart = Phrase("Tokens reported dead", "报告失效的 token")

    // MARK: Lock screens

    static let noNotifications = Phrase("No notifications", "没有通知")
    static let someDevice = Phrase("Device", "设备")

    // MARK: Lists of pushes

    static let deadTokens = Phrase("Dead tokens", "失效 token")
    static let expired = Phrase("expired", "已过期")
    static let silentPush = Phrase("Silent push", "静默推送")
    static let ownChannel = Phrase("Own channel", "自有通道")
    static let huawei = Phrase("Huawei", "华为")
    static let xiaomi = Phrase("Xiaomi", "小米")
    static let meizu = Phrase("Meizu", "魅族")
    static let honor = Phrase("Honor", "荣耀")
    static let noSuchDay = Phrase("A day is written as 2026-11-21.", "日期应写作 2026-11-21。")

    // MARK: The time zone

    static let noSuchZone = Phrase(
        "There is no such time zone. Write one such as Europe/Berlin or Asia/Shanghai.",
        "没有这个时区。请写作 Europe/Berlin、Asia/Shanghai 等。")

    // MARK: A push

    static let noWayToThem = Phrase("this server cannot reach them", "本服务器没有通往它们的通道")
    static let isSimulated = Phrase("simulated", "模拟")
    static let answerWasLost = Phrase("Apple’s answer was lost", "没有收到 Apple 的应答")
    static let timeWasOver = Phrase("not sent in time", "未能按时发送")
    static let leftNotApple = Phrase("not an Apple device, or without a token", "不是 Apple 设备，或没有 token")
    static let leftInvalid = Phrase("registration not valid", "注册信息无效")
    static let leftStale = Phrase("not seen for 90 days", "90 天没有出现")
    static let leftProfile = Phrase("no credential for its device profile", "其 deviceProfile 没有凭据")
    static let leftTopic = Phrase("no credential for its topic", "其 topic 没有凭据")
    static let leftTooLarge = Phrase("too large with values of its own", "代入字段值后过大")
    static let leftHeldOut = Phrase("held out for comparison", "属于对照组")
    static let leftCapped = Phrase("as often reached as a rule allows", "已达到频次上限")

    // MARK: The list of devices

    static let seenRecently = Phrase("in the last 90 days", "90 天内出现过")
    static let noField = Phrase(
        "Write a field and its value, such as level = 7 or city = Berlin.", "请写字段及其值，例如 level = 7 或 city = Berlin。")
    static let noJSON = Phrase(
        "This cannot be read as JSON. Look for a missing quote, comma or brace.", "无法按 JSON 读取：请检查是否缺少引号、逗号或括号。")
    static let noCondition = Phrase(
        "A condition is a JSON object such as {\"scores\": true}, or a list of them.",
        "查询条件应为 JSON 对象，例如 {\"scores\": true}，或由它们组成的数组。")
    static let anyChoice = Phrase("Any", "不限")
    static let validChoice = Phrase("Valid", "有效")
    static let invalidChoice = Phrase("Not valid", "无效")
    static let valid = Phrase("valid", "有效")
    static let notValid = Phrase("not valid", "无效")
    static let notSaid = Phrase("not said", "未说明")

    // MARK: A device

    static let refusedByApple = Phrase("refused", "被拒绝")
    static let isRetried = Phrase("is retried", "等待重试")
    static let isInDoubt = Phrase("in doubt", "存疑")

    // MARK: The test of a device

    static let noWayToDevice = Phrase(
        "This server cannot reach it: it pushes to Apple’s devices only.", "本服务器无法到达它：只向 Apple 设备推送。")
    static let isNotServed = Phrase("It gets no push: its registration is not valid.", "它收不到推送：注册信息无效。")
    static let testNeedsText = Phrase("A test needs a text.", "测试推送需要正文。")
    static let testWasTaken = Phrase("The test was taken. This page shows what becomes of it.", "测试推送已受理，本页显示其结果。")
    static let testWasSentBefore = Phrase("This test was sent before, and was not sent again.", "这条测试推送此前已发送，没有再次发送。")

    // MARK: Times and sentences

    static func inMinutes(_ count: Int) -> Phrase { Phrase("in \(count) min", "\(count) 分钟后") }
    static func inHours(_ count: Int) -> Phrase { Phrase("in \(count) h", "\(count) 小时后") }
    static func inDays(_ count: Int) -> Phrase { Phrase("in \(count) d", "\(count) 天后") }
    static let inAMoment = Phrase("in a moment", "即将")
    /// The number of notifications beyond those drawn on a screen.
    static func moreNotes(_ count: Int) -> Phrase { Phrase("and \(count.grouped) more", "还有 \(count.grouped) 条") }
    static func minutesAgo(_ count: Int) -> Phrase { Phrase("\(count) min ago", "\(count) 分钟前") }
    static func hoursAgo(_ count: Int) -> Phrase { Phrase("\(count) h ago", "\(count) 小时前") }
    static func daysAgo(_ count: Int) -> Phrase { Phrase("\(count) d ago", "\(count) 天前") }
    static func listedDevices(_ count: Int, platform: String) -> Phrase {
        Phrase("\(count) \(platform) \(count == 1 ? "device" : "devices") by id", "按 id 指定的 \(count) 台 \(platform) 设备")
    }
    static func noneHasID(_ id: String) -> Phrase { Phrase("None has the id \(id).", "没有 id 为 \(id) 的记录。") }
    static func tooManyKeys(seconds: Int) -> Phrase {
        Phrase(
            "Too many wrong keys came from your address. Try again in \(seconds) s.",
            "来自你的地址的错误密钥过多，请在 \(seconds) 秒后重试。")
    }
    static func deliveryOf(_ id: String, workspace: String) -> Phrase {
        Phrase(
            "Delivery \(id)" + (workspace.isEmpty ? "" : " of \(workspace)"),
            (workspace.isEmpty ? "" : "\(workspace) 的") + "投递 \(id)")
    }
}
