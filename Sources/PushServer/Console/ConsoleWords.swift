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
