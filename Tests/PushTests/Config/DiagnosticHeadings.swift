/// The Chinese of the headings that docs/reference/README.md takes from the groups of the codes.
enum DiagnosticHeadings {
    static let chinese = [
        "YAML": "YAML", "Files": "文件", "Shape": "结构", "Messages": "消息", "Certificates": "推送证书", "Capabilities": "远端能力",
        "Policy": "上限与规则", "Plan": "计划",
    ]
}
