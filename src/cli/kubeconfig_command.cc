#include "cli/kubeconfig_command.h"

#include <fmt/format.h>

#include "api/names.h"
#include "apiserver/auth/user.h"
#include "cli/kubeconfig.h"
#include "net/certificates.h"
#include "remote/access.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxAuthorityBytes = size_t{256} * 1024;
// What X.509 has room for in a common name.
constexpr size_t kMaxUserBytes = 64;
// They stand for themselves in YAML and in a shell.
constexpr std::string_view kUserCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+:";

struct Subject {
  std::string user;
  std::string group;
};

Result<Subject> subject_of(const KubeconfigOptions& options) {
  const bool is_node = options.role == "node";
  Subject subject{options.user, {}};
  if (is_node) {
    if (!api::is_dns1123_subdomain(options.user)) {
      return fail(plain_error("--role node needs --user with the name of the node"));
    }
    subject = {std::string(apiserver::kNodeUserPrefix) + options.user,
               std::string(apiserver::kNodesGroup)};
  } else if (options.role == "admin" || options.role == "viewer") {
    subject.user = options.user.empty() ? options.role : options.user;
    subject.group = options.role == "admin" ? apiserver::kAdminGroup : apiserver::kViewerGroup;
    // Kubernetes keeps these names to itself.
    if (subject.user.starts_with("system:")) {
      return fail(plain_error("the name of a user may not begin with system:"));
    }
  } else {
    return fail(plain_error(
        fmt::format("invalid --role \"{}\": must be admin, viewer or node", options.role)));
  }
  if (subject.user.find_first_not_of(kUserCharacters) != std::string::npos) {
    return fail(plain_error("the name of a user has letters, digits and . _ - @ + : only"));
  }
  if (subject.user.size() > kMaxUserBytes) {
    return fail(plain_error(
        fmt::format("{} is too long a name: at most {} characters", subject.user, kMaxUserBytes)));
  }
  return subject;
}

Result<std::string> read(env::Files& files, const std::string& directory, const char* name) {
  auto text = files.read(directory + '/' + name, kMaxAuthorityBytes);
  if (!text) {
    return fail(plain_error(
        fmt::format("{}\nIs {} the data directory of a `windlass up` that has been started once?",
                    text.error().message, directory)));
  }
  return text;
}

// One that no client would take is refused.
Result<void> check_server(const KubeconfigOptions& options, env::Files& files) {
  TRY(const remote::ServerUrl url, remote::parse_server_url(options.server));
  if (!url.tls) {
    return fail(plain_error("--server must be a URL with https://"));
  }
  TRY(const std::string certificate, read(files, options.data_dir, "server.crt"));
  if (!net::is_certified_for(certificate, url.host)) {
    return fail(plain_error(
        fmt::format("the server's certificate is not good for {}: start `windlass up` with "
                    "--server-name {} first",
                    url.host, url.host)));
  }
  return {};
}

Result<std::string> make_kubeconfig(const KubeconfigOptions& options, const Subject& subject,
                                    env::Files& files, Time now) {
  net::CertifiedKey authority;
  TRY(authority.certificate_pem, read(files, options.data_dir, "ca.crt"));
  TRY(authority.key_pem, read(files, options.data_dir, "ca.key"));
  std::string server = options.server;
  if (!server.empty()) {
    TRY_VOID(check_server(options, files));
  } else {
    TRY(const std::string own, read(files, options.data_dir, "kubeconfig"));
    server = server_of_kubeconfig(own).value_or("");
    if (server.empty()) {
      return fail(plain_error(options.data_dir + "/kubeconfig names no server; use --server"));
    }
  }
  TRY(const net::CertifiedKey client,
      net::issue_client(authority, subject.user, {subject.group}, now));
  return kubeconfig_text({.server = server,
                          .authority_pem = authority.certificate_pem,
                          .user = subject.user,
                          .certificate_pem = client.certificate_pem,
                          .key_pem = client.key_pem});
}

}  // namespace

ExitCode print_kubeconfig(const KubeconfigOptions& options, env::Files& files, Time now,
                          Output& output) {
  const auto subject = subject_of(options);
  if (!subject) {
    output.err(fmt::format("error: {}\n", subject.error().message));
    return ExitCode::usage;
  }
  const auto text = make_kubeconfig(options, *subject, files, now);
  if (!text) {
    output.err(fmt::format("error: {}\n", text.error().message));
    return ExitCode::failed;
  }
  output.out(*text);
  return ExitCode::ok;
}

}  // namespace windlass::cli
