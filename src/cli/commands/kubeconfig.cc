#include "cli/commands/kubeconfig.h"

#include <fmt/format.h>

#include "api/names.h"
#include "apiserver/auth/user.h"
#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"
#include "net/tls/certificates.h"
#include "plane/kubeconfig_text.h"
#include "remote/cluster_access.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxAuthorityBytes = size_t{256} * 1024;
// The limit of X.509 for a common name.
constexpr size_t kMaxUserBytes = 64;
// Neither YAML nor a shell gives them a meaning.
constexpr std::string_view kUserCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+:";

struct CertificateSubject {
  std::string user;
  std::string group;
};

Result<CertificateSubject> subject_of(const KubeconfigOptions& options) {
  const bool is_node = options.role == "node";
  CertificateSubject subject{options.user, {}};
  if (is_node) {
    if (!api::is_dns1123_subdomain(options.user)) {
      return fail(plain_error("--role node needs the name of the node: --user NAME"));
    }
    subject = {std::string(apiserver::kNodeUserPrefix) + options.user,
               std::string(apiserver::kNodesGroup)};
  } else if (options.role == "admin" || options.role == "viewer") {
    subject.user = options.user.empty() ? options.role : options.user;
    subject.group = options.role == "admin" ? apiserver::kAdminGroup : apiserver::kViewerGroup;
    // Kubernetes reserves these names.
    if (subject.user.starts_with("system:")) {
      return fail(plain_error(fmt::format(
          "invalid --user \"{}\": names that begin with system: are reserved", subject.user)));
    }
  } else {
    return fail(plain_error(
        fmt::format("invalid --role \"{}\": must be admin, viewer or node", options.role)));
  }
  if (subject.user.find_first_not_of(kUserCharacters) != std::string::npos) {
    return fail(plain_error(fmt::format(
        "invalid --user \"{}\": must consist of letters, digits and . _ - @ + :", subject.user)));
  }
  if (subject.user.size() > kMaxUserBytes) {
    return fail(plain_error(fmt::format("invalid --user \"{}\": longer than {} characters",
                                        subject.user, kMaxUserBytes)));
  }
  return subject;
}

Result<std::string> read(env::Files& files, const std::string& directory, const char* name) {
  auto text = files.read(directory + '/' + name, kMaxAuthorityBytes);
  if (!text) {
    return fail(plain_error(
        fmt::format("{}\nUse --data-dir to name the data directory of a `windlass up` that was "
                    "started at least once",
                    text.error().message)));
  }
  return text;
}

// Rejects a server whose certificate clients would not accept.
Result<void> check_server(const KubeconfigOptions& options, env::Files& files) {
  TRY(const remote::ServerUrl url, remote::parse_server_url(options.server));
  if (!url.tls) {
    return fail(plain_error(
        fmt::format("invalid --server \"{}\": must begin with https://", options.server)));
  }
  TRY(const std::string certificate, read(files, options.data_dir, "server.crt"));
  if (!net::is_certified_for(certificate, url.host)) {
    return fail(plain_error(
        fmt::format("the server's certificate is not valid for {}. Restart the server with: "
                    "windlass up --server-name {}",
                    url.host, url.host)));
  }
  return {};
}

Result<std::string> make_kubeconfig(const KubeconfigOptions& options,
                                    const CertificateSubject& subject, env::Files& files,
                                    Time now) {
  net::CertifiedKey authority;
  TRY(authority.certificate_pem, read(files, options.data_dir, "ca.crt"));
  TRY(authority.key_pem, read(files, options.data_dir, "ca.key"));
  std::string server = options.server;
  if (!server.empty()) {
    TRY_VOID(check_server(options, files));
  } else {
    TRY(const std::string own, read(files, options.data_dir, "kubeconfig"));
    server = plane::server_of_kubeconfig(own).value_or("");
    if (server.empty()) {
      return fail(plain_error(options.data_dir +
                              "/kubeconfig does not name a server. Name it with --server URL"));
    }
  }
  TRY(const net::CertifiedKey client,
      net::issue_client(authority, subject.user, {subject.group}, now));
  return plane::kubeconfig_text({.server = server,
                                 .authority_pem = authority.certificate_pem,
                                 .user = subject.user,
                                 .certificate_pem = client.certificate_pem,
                                 .key_pem = client.key_pem});
}

}  // namespace

void declare_flags(Flags& flags, KubeconfigOptions& options) {
  flags.text("--role ROLE", options.role,
             "Rights of the user: admin (everything), viewer (read all but Secrets) or node (those "
             "of a node's agent)");
  flags.text("--user NAME", options.user,
             "Name of the user, or of the node (default: the name of the role)");
  flags.text("--server URL", options.server,
             "URL by which the user reaches the server (default: the one in the data directory). "
             "The certificate must have its name: windlass up --server-name");
  declare_data_dir(flags, options.data_dir, "Data directory of the `windlass up`");
  flags.paragraph(
      "The kubeconfig has a new client certificate that is valid for a year. A single certificate "
      "cannot be revoked; to revoke all, delete ca.crt and ca.key in the data directory and "
      "restart `windlass up`.");
  flags.paragraph(
      "The nodes of `windlass up` itself need no kubeconfig; the role node is for `windlass "
      "node`.");
  flags.exit_codes({{0, "Printed"}, {1, "Cannot make the kubeconfig"}, {2, "Wrong usage"}});
  flags.examples({"windlass kubeconfig --user alice > alice.kubeconfig",
                  "windlass kubeconfig --role node --user worker-1 > worker-1.kubeconfig"});
}

Command kubeconfig_command() {
  return make_command<KubeconfigOptions>(
      "kubeconfig", "Print a kubeconfig for another user of `windlass up`",
      [](KubeconfigOptions options, Output& output) {
        options.data_dir = data_dir_or_default(options.data_dir);
        posix::PosixFiles files;
        return print_kubeconfig(options, files, posix::PosixClock().now(), output);
      });
}

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
