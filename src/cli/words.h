// Small texts that several commands say.
#pragma once

#include <cstddef>
#include <string>

namespace windlass::cli {

// `1 pod`, `2 pods`
std::string pods_text(size_t count);

// `1 pod goes`, `2 pods go`
std::string goes_text(size_t count);

// The text of a path in a shell, should it need quotes.
std::string shell_word(const std::string& path);

}  // namespace windlass::cli
