#include "node/images/image_defaults.h"

#include <algorithm>
#include <charconv>

namespace windlass::node {

std::optional<uint32_t> ImageDefaults::user_number() const {
  if (user.empty()) {
    return 0;
  }
  uint32_t number = 0;
  const auto parsed = std::from_chars(user.data(), user.data() + user.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == user.data() + user.size() ? std::optional(number)
                                                                             : std::nullopt;
}

ImageDefaults image_defaults(const images::ImageRecord& image) {
  ImageDefaults defaults;
  defaults.has_config = image.has_config;
  defaults.entrypoint = image.config.entrypoint;
  defaults.command = image.config.command;
  for (const std::string& variable : image.config.environment) {
    if (variable.find('=') != std::string::npos && !variable.starts_with('=')) {
      defaults.environment.push_back(variable);
    }
  }
  defaults.user = image.config.user.substr(0, image.config.user.find(':'));
  defaults.stop_signal = images::signal_number(image.config.stop_signal);
  return defaults;
}

Result<ContainerSpecView> with_image(const ContainerSpecView& container,
                                     const images::ImageCatalog& catalog,
                                     const images::ImageRecord& image, ImageDefaults& defaults) {
  ContainerSpecView view = container;
  IdentityPlan& identity = view.identity;
  const std::string text = identity.user ? std::to_string(*identity.user) : image.config.user;
  TRY(const images::ImageUser user, catalog.user(image, text));
  // Root is what a container is without a word.
  if (identity.user || user.uid != 0 || user.gid != 0) {
    identity.user = user.uid;
    identity.group = identity.group ? identity.group : std::optional(user.gid);
    for (const uint32_t group : user.groups) {
      if (std::find(identity.more_groups.begin(), identity.more_groups.end(), group) ==
          identity.more_groups.end()) {
        identity.more_groups.push_back(group);
      }
    }
  }
  if (view.working_dir.empty()) {
    view.working_dir = image.config.working_directory;
  }
  const auto is_home = [](const std::string& variable) { return variable.starts_with("HOME="); };
  if (std::none_of(defaults.environment.begin(), defaults.environment.end(), is_home)) {
    defaults.environment.push_back("HOME=" + user.home);
  }
  return view;
}

}  // namespace windlass::node
