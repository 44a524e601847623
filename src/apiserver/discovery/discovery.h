// The documents that tell clients what is served (api.md M120-M122): made once from served.h, given
// out as text. Constant after construction; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace windlass::apiserver {

class Discovery {
 public:
  // `address` is where clients reach this server, unless they came over a socket and so know
  // better.
  Discovery(std::string address, bool with_ledger);

  std::string core_versions(std::string_view reached) const;  // /api
  const std::string& groups() const { return groups_; }       // /apis
  // nullptr when there is no such group.
  const std::string* group(std::string_view name) const;  // /apis/GROUP
  // nullptr when there is no such version.
  const std::string* resources(std::string_view group, std::string_view version) const;

  // The aggregated form of /api and /apis, in v2 or v2beta1.
  const std::string& aggregated(bool core, bool beta) const { return aggregated_[core][beta]; }
  const std::string& aggregated_etag(bool core, bool beta) const { return etags_[core][beta]; }

 private:
  std::string address_;
  std::string groups_;
  std::map<std::string, std::string, std::less<>> group_;
  std::map<std::string, std::string, std::less<>> resources_;  // by `group/version`
  std::string aggregated_[2][2];
  std::string etags_[2][2];
};

// Everything that is served in one document, as newer clients ask for it (api.md M122). Pure.

// The core group alone, or all the others; apidiscovery.k8s.io/v2, or v2beta1.
std::string aggregated_discovery(bool core, bool beta, bool with_ledger);

}  // namespace windlass::apiserver
