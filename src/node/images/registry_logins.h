// Which of the credentials in imagePullSecrets are for the registry of an image. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/pod/image_name.h"
#include "node/pod/pod_objects.h"

namespace windlass::node {

// The texts of auth files with one login each, in the order in which a kubelet tries them: that for
// the longest path first. `secrets` are of the types kubernetes.io/dockerconfigjson and dockercfg;
// what is malformed in them is left out.
std::vector<std::string> registry_logins(const api::ImageName& image,
                                         const std::vector<ObjectData>& secrets);

// Whether credentials under this key of `auths` are for the image: a host whose parts may be globs,
// the same port, and the beginning of a path.
bool is_login_for(std::string_view key, const api::ImageName& image);

}  // namespace windlass::node
