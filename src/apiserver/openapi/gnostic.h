// OpenAPI v2 as the protobuf message openapi.v2.Document, which kubectl before 1.27 asks for
// (api.md M125). The message is public and stable, and we write few of its fields: by hand, as
// bytes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/openapi/definitions.h"

namespace windlass::apiserver {

std::string gnostic_document(std::string_view title, std::string_view version,
                             const std::vector<const ServedVersion*>& served,
                             const std::vector<Definition>& definitions);

}  // namespace windlass::apiserver
