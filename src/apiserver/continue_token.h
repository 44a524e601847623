// The continue token of a list: which snapshot, and behind which key (api.md M66, M67). Clients see
// an opaque text. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/version.h"

namespace windlass::apiserver {

struct ContinueToken {
  store::Revision revision = 0;  // 0: whatever is newest, a list that is not consistent
  std::string after;             // relative to the listed collection: NAME, or NS/NAME
};

std::string encode_continue(const ContinueToken& token);
Result<ContinueToken> decode_continue(std::string_view text);

}  // namespace windlass::apiserver
