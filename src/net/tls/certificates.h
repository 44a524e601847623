// Certificates that this program makes for itself: one authority, and what it signs for the server
// and for clients. ECDSA P-256 throughout. Keys come from OpenSSL's own generator, the one source
// of randomness that does not come in through env. Pure otherwise; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::net {

inline constexpr Duration kAuthorityLifetime = hours(24 * 365 * 10);
inline constexpr Duration kCertificateLifetime = hours(24 * 365);
// What has less than this left is made anew, so that nothing runs out under a server that runs.
inline constexpr Duration kRenewBefore = hours(24 * 30);

struct CertifiedKey {
  std::string certificate_pem;
  std::string key_pem;
};

Result<CertifiedKey> make_authority(std::string_view common_name, Time now);

// `names` are DNS names and IP addresses.
Result<CertifiedKey> issue_server(const CertifiedKey& authority,
                                  const std::vector<std::string>& names, Time now);
// common_name is the user, organizations are the groups.
Result<CertifiedKey> issue_client(const CertifiedKey& authority, const std::string& common_name,
                                  const std::vector<std::string>& organizations, Time now);

// Whether what is there can go on being used: well formed, the key fits, signed by the authority,
// valid now and for kRenewBefore to come, and, for a server, good for all `names`.
bool is_usable_authority(const CertifiedKey& authority, Time now);
bool is_usable(const CertifiedKey& certified, const CertifiedKey& authority,
               const std::vector<std::string>& names, Time now);

// Whether clients that reach the server by this name or address take its certificate.
bool is_certified_for(const std::string& certificate_pem, const std::string& name);

}  // namespace windlass::net
