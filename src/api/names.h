// The name formats of Kubernetes. Each check returns what is wrong with the text, in the words of
// Kubernetes and in its order, or nothing. A good name costs one pass and no allocation; there are
// no regular expressions behind these. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"
#include "env/random.h"

namespace windlass::api {

using NameProblems = std::vector<std::string>;

// my-name: at most 63 characters, no dots.
NameProblems check_dns1123_label(std::string_view text);
// example.com: at most 253 characters.
NameProblems check_dns1123_subdomain(std::string_view text);
// What any name of an object must be, whatever its kind says: one step of a URL's path.
NameProblems check_path_segment(std::string_view text);
// my-name, not beginning with a digit.
NameProblems check_dns1035_label(std::string_view text);
// Label keys, condition types, finalizers: [example.com/]MyName.
NameProblems check_qualified_name(std::string_view text);
// The same, blind to the case of letters (api.md M36).
NameProblems check_annotation_key(std::string_view text);
NameProblems check_label_value(std::string_view text);
// Printable ASCII without '=' (api.md P34).
NameProblems check_env_var_name(std::string_view text);
NameProblems check_c_identifier(std::string_view text);
NameProblems check_config_map_key(std::string_view text);
NameProblems check_port_name(std::string_view text);
NameProblems check_http_header_name(std::string_view text);
NameProblems check_percent(std::string_view text);

inline bool is_dns1123_label(std::string_view text) {
  return check_dns1123_label(text).empty();
}
inline bool is_dns1123_subdomain(std::string_view text) {
  return check_dns1123_subdomain(text).empty();
}
inline bool is_qualified_name(std::string_view text) {
  return check_qualified_name(text).empty();
}

// One Invalid error for each problem.
void add_problems(FieldErrors& errors, const FieldPath& path, std::string_view value,
                  const NameProblems& problems);

// acme.io/foo (api.md J64).
void validate_domain_prefixed_path(FieldErrors& errors, const FieldPath& path,
                                   std::string_view value);

// Names that the server makes from metadata.generateName (api.md J53).

// With the five random characters the name still is a DNS label of at most 63 bytes.
inline constexpr size_t kMaxGeneratedBaseBytes = 58;
// A generated name that is taken is made anew so often, then the create fails with AlreadyExists.
inline constexpr int kMaxGenerateNameAttempts = 8;

// The base, cut if need be, and five random characters that spell no words.
std::string generate_name(std::string_view base, env::Random& random);

}  // namespace windlass::api
