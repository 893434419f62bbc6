internal import ArgumentParser
internal import BugleCommands

@main
enum Main {
    static func main() async {
        await Bugle.main()
    }
}
