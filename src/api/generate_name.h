// Names that the server makes from metadata.generateName (api.md J53).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "env/random.h"

namespace windlass::api {

// With the five random characters the name still is a DNS label of at most 63 bytes.
inline constexpr size_t kMaxGeneratedBaseBytes = 58;
// A generated name that is taken is made anew so often, then the create fails with AlreadyExists.
inline constexpr int kMaxGenerateNameAttempts = 8;

// The base, cut if need be, and five random characters that spell no words.
std::string generate_name(std::string_view base, env::Random& random);

}  // namespace windlass::api
