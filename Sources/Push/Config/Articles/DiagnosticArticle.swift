package import Base

/// What the reference says about a diagnostic: what its code means, why it is said, an example, and the mend.
package struct DiagnosticArticle: Sendable {
    /// What the code means.
    package let meaning: Phrase
    /// Why it is said.
    package let why: Phrase
    /// What to do about it.
    package let mend: Phrase
    /// A file or situation that gives the diagnostic; what is no YAML stands behind `#`.
    package let example: String

    /// Every text is followed by the Chinese one.
    init(
        _ meaning: String, _ meaningInChinese: String, why: String, _ whyInChinese: String, example: String,
        mend: String, _ mendInChinese: String
    ) {
        self.meaning = Phrase(meaning, meaningInChinese)
        self.why = Phrase(why, whyInChinese)
        self.example = example
        self.mend = Phrase(mend, mendInChinese)
    }

    /// The article of a code; every code has one.
    package init?(_ code: DiagnosticCode) {
        let found =
            Self.files[code] ?? Self.shape[code] ?? Self.remotes[code] ?? Self.plan[code] ?? Self.audiences[code]
        guard let article = found else { return nil }
        self = article
    }

    /// The code, and the article below it, as `bugle explain` prints it.
    package static func page(of code: DiagnosticCode, in language: Language) -> String? {
        guard let article = DiagnosticArticle(code) else { return nil }
        let (why, example, mend) =
            switch language {
            case .english: ("Why", "Example", "Mend")
            case .chinese: ("原因", "示例", "处理")
            }
        let lines = article.example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        return """
            \(code.rawValue): \(language.say(article.meaning))

            \(why)
              \(language.say(article.why))

            \(example)
            \(lines)

            \(mend)
              \(language.say(article.mend))

            """
    }
}

// MARK: - Files

extension DiagnosticArticle {
    /// The articles of codes about the text of files.
    static let files: [DiagnosticCode: DiagnosticArticle] = [
        .yamlSyntax: DiagnosticArticle(
            "The text is not well-formed YAML.", "不是合法的 YAML。",
            why: "A file that cannot be read whole is not read in part: half a workspace would plan something else.",
            "不能完整读取的文件不会只读一部分：半个工作区会得出另一份计划。",
            example: "message: {title: Hello: fans}",
            mend:
                "Correct the line under the caret; quote a text that holds ': ' or begins with '{', '[', '*', '&', '!', '%', '@' or '`'.",
            "改正所指的那一行；含有“: ”，或以 { [ * & ! % @ ` 开头的文本要加引号。"),
        .encoding: DiagnosticArticle(
            "The file is not UTF-8, or holds a character that YAML does not allow.", "文件不是 UTF-8，或含有 YAML 不允许的字符。",
            why: "Bytes that are not UTF-8 would reach devices as something that nobody reviewed.",
            "不是 UTF-8 的字节，到了设备上会变成没人审阅过的内容。",
            example: "a file saved as GBK or Latin-1",
            mend: "Save the file as UTF-8, and remove the character that is named.", "将文件另存为 UTF-8，并删除所指的字符。"),
        .lineBreak: DiagnosticArticle(
            "A line break that only YAML 1.1 knows (U+0085, U+2028, U+2029).",
            "只有 YAML 1.1 才认的换行符（U+0085、U+2028、U+2029）。",
            why: "YAML 1.1 and 1.2 read such a break differently, so that editors show other lines than programs read.",
            "YAML 1.1 与 1.2 对它的理解不同，编辑器显示的行与程序读到的行会不一致。",
            example: "a line that ends with U+2028, pasted from a web page",
            mend: "Replace the character by a line feed.", "把该字符换成普通换行。"),
        .duplicateKey: DiagnosticArticle(
            "The same key twice in one mapping.", "同一映射中键重复。",
            why: "Readers disagree on which of the two counts.", "两者以哪个为准，各种程序并不一致。",
            example: "title: Goal\ntitle: Score",
            mend: "Remove one of the two.", "删除其中一个。"),
        .limitExceeded: DiagnosticArticle(
            "More than 100,000 expanded nodes, depth 64 or 1 MiB.", "展开后超过 100,000 个节点、64 层或 1 MiB。",
            why: "A few lines with aliases can expand to more than fits in memory.", "几行带别名的文本就能展开到内存放不下。",
            example: "a: &a [x, x]\nb: &b [*a, *a]   # and so on",
            mend: "Split the file, or write less by aliases.", "拆分文件，或少用别名。"),
        .unknownTag: DiagnosticArticle(
            "A tag other than the core ones, or a core one that does not fit its value.", "核心标签以外的标签，或与值不符的核心标签。",
            why: "A tag would change the type of a value behind its text.", "标签会在文本背后改变值的类型。",
            example: "body: !!binary R2lhbnRz",
            mend: "Remove the tag; quote the value if it must be text.", "删除标签；必须是文本时给值加引号。"),
        .notANumber: DiagnosticArticle(
            "A float that is `.inf` or `.nan`.", "`.inf` 或 `.nan`。",
            why: "JSON, which remotes are sent, has no such number.", "发往远端的 JSON 中没有这样的数。",
            example: "data: {score: .inf}",
            mend: "Write a number, or quote it as text.", "写成数字，或加引号作为文本。"),
        .unknownAlias: DiagnosticArticle(
            "An alias without its anchor, or one inside its own anchor.", "别名没有对应的锚点，或位于自己的锚点之内。",
            why: "What it stands for is nowhere, or has no end.", "它所指的内容不存在，或没有尽头。",
            example: "audience: *fans   # no '&fans' above",
            mend: "Write the anchor '&NAME' above its first alias, in the same document.", "在同一文档中、首个别名之前写上锚点 &NAME。"),
        .invalidMerge: DiagnosticArticle(
            "`<<` with a value that is not a mapping.", "`<<` 的值不是映射。",
            why: "Only the keys of a mapping can be merged into another.", "只有映射的键可以并入另一个映射。",
            example: "<<: fans",
            mend: "Give '<<' an alias of a mapping, such as '<<: *defaults'.", "让 << 指向映射的别名，如 <<: *defaults。"),
        .layout: DiagnosticArticle(
            "A file whose layout is not the canonical one, or cannot become it without changing what the file says.",
            "文件排版不规范，或无法在不改变内容的前提下规范化。",
            why: "One layout keeps a review to what was changed.", "统一的排版让审阅只看到真正的改动。",
            example: "kind:   Campaign",
            mend: "Run 'bugle fmt'; without it the file works as well.", "运行 bugle fmt；不运行也不影响使用。"),
        .unreadable: DiagnosticArticle(
            "A file or folder cannot be read.", "文件或目录无法读取。",
            why: "A plan without a file of the workspace would be another plan.", "少读一个文件，计划就不是同一份计划。",
            example: "a file that only root may read",
            mend: "Check that the path exists and that you may read it.", "检查路径是否存在，以及是否有读取权限。"),
        .linkOutside: DiagnosticArticle(
            "A link that leads out of the workspace.", "符号链接指向工作区之外。",
            why: "What is planned must be what the repository holds.", "计划的内容必须就是仓库中的内容。",
            example: "campaigns -> ../../elsewhere",
            mend: "Copy the file into the workspace, or leave it out with 'exclude'.", "把文件复制到工作区内，或用 exclude 排除。"),
        .fileOutside: DiagnosticArticle(
            "A `{file:}` path that leads out of the workspace.", "`{file:}` 的路径指向工作区之外。",
            why: "A pull request must not be able to have any file of the machine read.", "不能让合并请求读取机器上的任意文件。",
            example: "key: {file: ../../.ssh/id_rsa}",
            mend: "Move the file into the workspace, or name it with '{file: {env: NAME}}'.",
            "把文件移入工作区，或写 {file: {env: NAME}}。"),
    ]
}
