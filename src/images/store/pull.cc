#include "images/store/pull.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "images/catalog/image_manifest.h"
#include "images/store/load.h"
#include "posix/error.h"

namespace windlass::images {
namespace {

constexpr size_t kMaxSaid = size_t{64} * 1024;
constexpr unsigned kPrivateMode = 0600;
// Between two looks at a lock that another pull holds.
constexpr int kLockPauseMillis = 50;

std::string tagged_name(const api::ImageName& name) {
  return std::string(name.repository) + ":" + (name.tag.empty() ? "latest" : std::string(name.tag));
}

// Where another pull may take hours, this one can be cancelled meanwhile.
Result<posix::FileDescriptor> lock_pull(const std::string& directory, const PullRequest& request,
                                        const std::string& name) {
  posix::PosixFiles files;
  TRY_VOID(files.make_directory(directory + "/pulls"));
  const std::string path = directory + "/pulls/" + sha256_digest(name);
  posix::FileDescriptor held(
      ::openat(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivateMode));
  if (!held.valid()) {
    return fail(posix::system_error("open", path, errno));
  }
  while (::flock(held.get(), LOCK_EX | (request.is_cancelled ? LOCK_NB : 0)) != 0) {
    if (errno != EINTR && errno != EWOULDBLOCK) {
      return fail(posix::system_error("lock", path, errno));
    }
    if (request.is_cancelled) {
      if (request.is_cancelled()) {
        return fail(plain_error("the pull was cancelled"));
      }
      ::poll(nullptr, 0, kLockPauseMillis);
    }
  }
  return held;
}

class Pulling {
 public:
  Pulling(ImageStore& store, const PullRequest& request, const Skopeo& skopeo,
          const api::ImageName& name)
      : store_(store),
        request_(request),
        skopeo_(skopeo),
        name_(name),
        auth_file_(request.auth_file) {}

  Result<PulledImage> run() {
    TRY(const NewImagePlace place, store_.begin());
    TRY(const std::string digest, log_in(place));
    const std::string by_digest = name_by_digest(name_, digest);
    std::vector<std::string> names = {by_digest};
    if (name_.digest.empty()) {
      names.push_back(tagged_name(name_));
    }
    const auto there = store_.catalog().find_exactly(by_digest);
    if (there) {
      TRY_VOID(store_.add_name(names.back(), there->image.id, digest));
    } else {
      TRY_VOID(download(place, by_digest, names, digest));
    }
    auto found = store_.catalog().find_exactly(names.back());
    if (!found) {
      return fail(plain_error("the image was removed while it was pulled"));
    }
    return PulledImage{*std::move(found), !there.has_value()};
  }

 private:
  std::vector<std::string> access(const std::string& tls_flag) const {
    std::vector<std::string> flags;
    if (!auth_file_.empty()) {
      flags.insert(flags.end(), {"--authfile", auth_file_});
    }
    if (is_loopback_registry(name_.repository)) {
      flags.push_back(tls_flag);
    }
    return flags;
  }

  Result<std::string> call(std::vector<std::string> arguments, const NewImagePlace& place,
                           bool progress) const {
    TRY(const SkopeoResult result, skopeo_({std::move(arguments), place.path(), progress}));
    return result.ok ? Result<std::string>(result.out) : fail(plain_error(pull_error(result.err)));
  }

  // The digest of the image, asked for with each of the logins until one is good.
  Result<std::string> log_in(const NewImagePlace& place) {
    if (request_.logins.empty()) {
      return find_digest(place);
    }
    auth_file_ = place.path() + "/login.json";
    posix::PosixFiles files;
    Result<std::string> digest = fail(plain_error("no login"));
    for (const std::string& login : request_.logins) {
      TRY_VOID(files.write(auth_file_, login, kPrivateMode));
      digest = find_digest(place);
      if (digest) {
        break;
      }
    }
    return digest;
  }

  // Of the manifest, or of the index of all platforms.
  Result<std::string> find_digest(const NewImagePlace& place) const {
    const std::string reference =
        name_.digest.empty() ? tagged_name(name_) : name_by_digest(name_, name_.digest);
    std::vector<std::string> arguments = {"--command-timeout", "2m", "inspect", "--raw"};
    for (std::string& flag : access("--tls-verify=false")) {
      arguments.push_back(std::move(flag));
    }
    arguments.push_back("docker://" + reference);
    TRY(const std::string raw, call(std::move(arguments), place, false));
    const std::string digest = sha256_digest(raw);
    if (!name_.digest.empty() && name_.digest != digest) {
      return fail(plain_error(
          fmt::format("the registry answered with a manifest whose digest is {}", digest)));
    }
    TRY(const ImageManifest manifest, read_image_manifest(raw));
    if (manifest.is_index) {
      TRY_VOID(for_platform(manifest, request_.architecture));
    }
    return digest;
  }

  Result<void> download(const NewImagePlace& place, const std::string& by_digest,
                        const std::vector<std::string>& names, const std::string& digest) const {
    const std::string target = place.path() + "/copied";
    std::vector<std::string> arguments = {
        "--command-timeout",   "6h",  "--override-os", "linux", "--override-arch",
        request_.architecture, "copy"};
    if (!request_.progress) {
      arguments.emplace_back("--quiet");
    }
    if (!auth_file_.empty()) {
      arguments.insert(arguments.end(), {"--src-authfile", auth_file_});
    }
    if (is_loopback_registry(name_.repository)) {
      arguments.emplace_back("--src-tls-verify=false");
    }
    arguments.push_back("docker://" + by_digest);
    arguments.push_back("dir:" + target);
    TRY_VOID(call(std::move(arguments), place, request_.progress));
    TRY_VOID(load_copied(store_, place, target, names, digest));
    return {};
  }

  ImageStore& store_;
  const PullRequest& request_;
  const Skopeo& skopeo_;
  const api::ImageName& name_;
  std::string auth_file_;
};

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  const size_t line = text.rfind('\n');
  text = line == std::string_view::npos ? text : text.substr(line + 1);
  constexpr std::string_view kMessage = "msg=\"";
  const size_t message = text.find(kMessage);
  if (message != std::string_view::npos && text.ends_with('"')) {
    text = text.substr(message + kMessage.size());
    text.remove_suffix(1);
  }
  std::string line_text;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\\"")) {
      ++i;
    }
    line_text += text[i];
  }
  return line_text;
}

}  // namespace

bool is_loopback_registry(std::string_view repository) {
  const std::string_view registry = repository.substr(0, repository.find('/'));
  const std::string_view host = registry.substr(0, registry.find(':'));
  return repository.find('/') != std::string_view::npos &&
         (host == "localhost" || (host.starts_with("127.") &&
                                  host.find_first_not_of("0123456789.") == std::string_view::npos));
}

std::string pull_error(std::string_view skopeo_says) {
  static constexpr std::pair<std::string_view, std::string_view> kCauses[] = {
      {"manifest unknown", "the registry has no such tag or digest"},
      {"name unknown", "the registry has no such repository"},
      {"unauthorized", "the registry wants other credentials, or there is no such repository"},
      {"authentication required", "the registry wants credentials"},
      {"access to the resource is denied", "there is no such repository, or it wants credentials"},
      {"toomanyrequests", "the registry answers too many requests: wait, or log in"},
      {"no such host", "the name of the registry cannot be resolved: is there a network?"},
      {"server misbehaving", "the name of the registry cannot be resolved: is there a network?"},
      {"connection refused", "no registry answers at this address"},
      {"network is unreachable", "there is no network"},
      {"no route to host", "there is no network"},
      {"i/o timeout", "the registry does not answer"},
      {"deadline exceeded", "the registry takes too long"},
      {"server gave HTTP response to HTTPS client", "the registry has no TLS"},
      {"x509:", "the certificate of the registry is not trusted"},
      {"Digest did not match", "the registry sent a layer with another digest"},
      {"unexpected EOF", "the registry ended the connection in the middle"},
      {"no space left on device", "no space left on the disk of the images"},
      {"policy.json", "skopeo needs /etc/containers/policy.json"},
      {"denied", "the registry denies access"},
      {"too many requests", "the registry answers too many requests: wait, or log in"},
      {"status code 4", "the registry rejects the request"},
      {"status code 5", "the registry has a failure of its own"},
      {" 50", "the registry has a failure of its own"}};
  const std::string said = last_line(skopeo_says);
  for (const auto& [sign, cause] : kCauses) {
    if (skopeo_says.find(sign) != std::string_view::npos) {
      return fmt::format("{} ({})", cause, said);
    }
  }
  return said.empty() ? "skopeo failed" : said;
}

// A shell puts its output into files: it may be long, and its bars go to the terminal. skopeo ends
// with the thread that waits for it, also when that is killed.
Skopeo skopeo_through(RunProgram run) {
  return [run = std::move(run)](const SkopeoCall& call) -> Result<SkopeoResult> {
    posix::PosixFiles files;
    const std::string out = call.scratch + "/skopeo.out";
    const std::string err = call.scratch + "/skopeo.err";
    std::vector<std::string> command = {
        "sh",
        "-c",
        std::string(R"(out=$1 err=$2; shift 2; exec </dev/null 2>"$err"
if ! command -v skopeo >/dev/null; then echo 'skopeo: not found' >&2; exit 127; fi
if command -v setpriv >/dev/null; then set -- setpriv --pdeathsig KILL skopeo "$@"
else set -- skopeo "$@"; fi
)") + (call.progress ? R"(exec "$@")" : R"(exec "$@" >"$out")"),
        "sh",
        out,
        err};
    command.insert(command.end(), call.arguments.begin(), call.arguments.end());
    SkopeoResult result;
    result.ok = run(command).has_value();
    result.out = files.read(out, kMaxManifestBytes).value_or(std::string());
    result.err = files.read_from(err, 0, kMaxSaid).value_or(std::string());
    if (result.err.find("skopeo: not found") != std::string::npos) {
      return fail(
          plain_error("images are pulled with skopeo, which is not installed: apt install skopeo"));
    }
    return result;
  };
}

Result<PulledImage> pull_image(ImageStore& store, const PullRequest& request,
                               const Skopeo& skopeo) {
  TRY(const api::ImageName name, api::parse_image_name(request.name));
  TRY_VOID(store.begin());  // the folder
  TRY(const posix::FileDescriptor held,
      lock_pull(store.catalog().directory(), request, tagged_name(name)));
  return Pulling(store, request, skopeo, name).run();
}

}  // namespace windlass::images
