#include "plane/kubeconfig_text.h"

#include <fmt/format.h>

#include "api/codec/base64.h"

namespace windlass::plane {
namespace {

constexpr std::string_view kTokenLabel = "\n    token: ";
constexpr std::string_view kServerLabel = "\n    server: ";

std::string base64(std::string_view bytes) {
  std::string text;
  api::append_base64(bytes, text);
  return text;
}

std::string proof(const KubeconfigEntry& entry) {
  if (!entry.token.empty()) {
    return fmt::format("{}{}", kTokenLabel, entry.token);
  }
  return fmt::format("\n    client-certificate-data: {}\n    client-key-data: {}",
                     base64(entry.certificate_pem), base64(entry.key_pem));
}

// The rest of the line after the label.
std::optional<std::string> value_after(std::string_view text, std::string_view label) {
  const size_t begin = text.find(label);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(begin + label.size());
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  return std::string(text.substr(0, end));
}

}  // namespace

std::string kubeconfig_text(const KubeconfigEntry& entry) {
  return fmt::format(
      "# Written by windlass. Keep it secret: it grants access to the cluster.\n"
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: windlass\n"
      "  cluster:{4}{0}\n"
      "    certificate-authority-data: {1}\n"
      "users:\n"
      "- name: windlass-{2}\n"
      "  user:{3}\n"
      "contexts:\n"
      "- name: windlass\n"
      "  context:\n"
      "    cluster: windlass\n"
      "    user: windlass-{2}\n"
      "current-context: windlass\n",
      entry.server, base64(entry.authority_pem), entry.user, proof(entry), kServerLabel);
}

std::optional<std::string> token_of_kubeconfig(std::string_view text) {
  return value_after(text, kTokenLabel);
}

std::optional<std::string> server_of_kubeconfig(std::string_view text) {
  return value_after(text, kServerLabel);
}

}  // namespace windlass::plane
