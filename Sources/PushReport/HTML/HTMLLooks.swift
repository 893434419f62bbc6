internal import PushModel
internal import PushPreview

/// What fills the template of pictures: the views that most people see first, the others folded.
enum HTMLLooks {
    /// - Parameters:
    ///   - app: the app's name.
    ///   - isDrawn: whether there are pictures, or words in their place.
    static func view(of looks: [NotificationLook], app: String, isDrawn: Bool) -> HTMLTemplates.View {
        guard isDrawn else {
            return [
                "isDrawn": false, "more": false,
                "told": looks.map { ["caption": $0.platform.displayName, "lines": $0.lines] as HTMLTemplates.View },
            ]
        }
        let drawings = looks.map { NotificationDrawing($0, app: app) }
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
        ["picture": drawing.figure(view), "caption": view.name]
    }
}
