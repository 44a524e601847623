// The file that points kubectl, and every other client, at a cluster. Text in, text out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace windlass::plane {

struct KubeconfigEntry {
  std::string server;         // https://127.0.0.1:6443
  std::string authority_pem;  // whose server certificates the client trusts
  std::string user;           // admin
  std::string token = {};     // or a certificate with its key
  std::string certificate_pem = {};
  std::string key_pem = {};
};

std::string kubeconfig_text(const KubeconfigEntry& entry);

// From the output of kubeconfig_text(); nothing for other texts.
std::optional<std::string> token_of_kubeconfig(std::string_view text);
std::optional<std::string> server_of_kubeconfig(std::string_view text);

}  // namespace windlass::plane
