#include "plane/version.h"

namespace windlass::plane {

std::string version_number() {
  return "v" WINDLASS_VERSION;
}

}  // namespace windlass::plane
