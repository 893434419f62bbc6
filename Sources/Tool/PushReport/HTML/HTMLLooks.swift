internal import PushModel
internal import PushPreview

/// The view for the template of pictures: the most common views first, the others folded.
enum HTMLLooks {
    /// Returns the view of a notification's looks: pictures if `isDrawn`, words in their place otherwise.
    static func view(of looks: [NotificationLook], _ items: HTMLItems, isDrawn: Bool) -> HTMLTemplates.View {
        guard isDrawn else {
            return [
                "isDrawn": false, "more": false,
                "told": looks.map {
                    ["caption": $0.caption, "lines": $0.lines(in: items.language)] as HTMLTemplates.View
                },
            ]
        }
        let drawings = looks.map { NotificationDrawing($0, app: items.app, language: items.language) }
        let more = drawings.flatMap { drawing in drawing.views.dropFirst().map { figure($0, of: drawing) } }
        return [
            "isDrawn": true, "told": false,
            "first": drawings.compactMap { drawing in drawing.views.first.map { figure($0, of: drawing) } },
            "more": more.isEmpty ? false : ["figures": more] as Any,
        ]
    }

    private static func figure(
        _ view: NotificationDrawing.View, of drawing: NotificationDrawing
    ) -> HTMLTemplates.View {
        ["picture": drawing.figure(view), "caption": drawing.name(of: view)]
    }
}
