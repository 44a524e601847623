// Makes UUIDs as objects carry them in metadata.uid: `f81d4fae-7dec-41d0-a765-00a0c91e6bf6`.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace windlass::api {

// Version 4, in lower case; six of the 128 random bits are overwritten with version and variant.
std::string uuid_from_random(std::span<const std::byte, 16> random);

}  // namespace windlass::api
