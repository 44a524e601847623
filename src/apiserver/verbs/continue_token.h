// The continue token of a list: which snapshot, and behind which key (api.md M66, M67). Clients see
// an opaque text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/version.h"

namespace windlass::apiserver {

struct ContinueToken {
  store::Revision revision = 0;  // 0: whatever is newest, a list that is not consistent
  std::string after;             // relative to the listed collection: NAME, or NS/NAME
  // How many objects of the snapshot follow, where that was counted: each page would have to count
  // them anew, which makes a list of n objects in pages cost n times n.
  std::optional<int64_t> left = {};
};

std::string encode_continue(const ContinueToken& token);
Result<ContinueToken> decode_continue(std::string_view text);

}  // namespace windlass::apiserver
