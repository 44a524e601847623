#include "cli/kubeconfig.h"

#include <fmt/format.h>

#include "api/codec/base64.h"

namespace windlass::cli {
namespace {

constexpr std::string_view kTokenLabel = "\n    token: ";

std::string base64(std::string_view bytes) {
  std::string text;
  api::append_base64(bytes, text);
  return text;
}

}  // namespace

std::string kubeconfig_text(const KubeconfigEntry& entry) {
  return fmt::format(
      "# Written by windlass at every start. Whoever can read it can use the cluster.\n"
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: windlass\n"
      "  cluster:\n"
      "    server: {0}\n"
      "    certificate-authority-data: {1}\n"
      "users:\n"
      "- name: windlass-{2}\n"
      "  user:{3}{4}\n"
      "contexts:\n"
      "- name: windlass\n"
      "  context:\n"
      "    cluster: windlass\n"
      "    user: windlass-{2}\n"
      "current-context: windlass\n",
      entry.server, base64(entry.authority_pem), entry.user, kTokenLabel, entry.token);
}

std::optional<std::string> token_of_kubeconfig(std::string_view text) {
  const size_t label = text.find(kTokenLabel);
  if (label == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(label + kTokenLabel.size());
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  return std::string(text.substr(0, end));
}

}  // namespace windlass::cli
