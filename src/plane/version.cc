#include "plane/version.h"

namespace windlass::plane {

std::string version_number() {
  return "v" WINDLASS_VERSION;
}

std::string version_commit() {
  return WINDLASS_COMMIT;
}

std::string version_build() {
  return WINDLASS_BUILD;
}

}  // namespace windlass::plane
