internal import APNsSimulator

@main
struct Main {
    static func main() {}
}
