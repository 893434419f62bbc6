# Builds bugle from source on macOS. A release fills in the capitals: .ci/release.
class Bugle < Formula
  desc "Deploy push notifications from a git repository"
  homepage "HOMEPAGE"
  url "ADDRESS/bugle-VERSION-source.tar.gz"
  sha256 "SHA256"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "curl"
  depends_on "libnghttp2"
  depends_on "libpq"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "openssl@3"

  def install
    # Neither is on the default path of pkg-config.
    ["curl", "libpq", "openssl@3"].each { |name| ENV.prepend_path "PKG_CONFIG_PATH", Formula[name].opt_lib/"pkgconfig" }
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "bugle"
    bin.install ".build/release/bugle"
    generate_completions_from_executable(bin/"bugle", "--generate-completion-script")
  end

  test do
    system bin/"bugle", "init", "push"
    system bin/"bugle", "validate", "-C", "push"
  end
end
