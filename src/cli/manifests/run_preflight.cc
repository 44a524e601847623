#include "cli/manifests/run_preflight.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod/image_name.h"
#include "images/catalog/catalog.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Container;
using api::core::v1::PodSpec;

// For who cannot pull.
constexpr const char* kOtherWays =
    "Without a registry: `windlass image load`, or the files of this machine with `image: host` or "
    "--host-root";

// The words of a command line that are files in /tmp, also inside of `sh -c '...'`.
std::vector<std::string> paths_in_tmp(std::string_view text) {
  constexpr std::string_view kTmp = "/tmp/";
  constexpr std::string_view kEnds = " \t\n\"'`;|&<>()$";
  std::vector<std::string> paths;
  for (size_t at = text.find(kTmp); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    const bool begins_word = at == 0 || kEnds.find(text[at - 1]) != std::string_view::npos;
    if (begins_word && end > at + kTmp.size()) {
      paths.emplace_back(text.substr(at, end - at));
    }
    at = text.find(kTmp, end);
  }
  return paths;
}

class Preflight {
 public:
  Preflight(const plane::NodeImages& images, bool can_pull, env::Files& files, Output& output)
      : files_(files),
        images_(images),
        catalog_(files, images.directory),
        can_pull_(can_pull),
        output_(output) {}

  void look_at(const std::string& title, const PodSpec& pod) {
    for (const auto* containers : {&pod.init_containers(), &pod.containers()}) {
      for (const Container& container : *containers) {
        look_at(title, container);
        look_for_scripts(title, container);
      }
    }
  }

  bool good() const { return good_; }

 private:
  void look_at(const std::string& title, const Container& container) {
    const std::string& image = container.image();
    if (api::is_pause_image(image)) {
      return;
    }
    const bool on_host = api::is_host_image(image);
    const auto known = on_host ? std::nullopt : find(image);
    if (!known && !on_host && !images_.host_root.for_missing_images) {
      return look_for_image(title, container);
    }
    const bool has_command =
        known && !(known->image.config.entrypoint.empty() && known->image.config.command.empty());
    if (container.command().empty() && container.args().empty() && !has_command) {
      good_ = false;
      output_.err(fmt::format(
          "error: {}: container \"{}\" has no command, and image \"{}\" {}: set `command`{}\n",
          title, container.name(), image,
          known     ? "has no entrypoint"
          : on_host ? "is the root of this machine"
                    : "is not on this machine",
          known || on_host ? std::string()
                           : ", or get the image with: windlass image pull " + image));
    } else if (!known && !on_host && said_.insert(image).second) {
      output_.err(fmt::format(
          "note: image \"{}\" is not on this machine: its containers use the root file system of "
          "this machine (--host-root)\n",
          image));
    }
  }

  // It is not on this machine.
  void look_for_image(const std::string& title, const Container& container) {
    const std::string& image = container.image();
    std::string why;
    if (const auto name = api::parse_image_name(image); !name) {
      why = name.error().message;
    } else if (container.image_pull_policy() == "Never") {
      why = "it is not on this machine, and imagePullPolicy is Never";
    } else if (!can_pull_) {
      why =
          "it is not on this machine, and skopeo, which pulls images, is not installed (apt "
          "install skopeo)";
    }
    if (!why.empty()) {
      good_ = false;
      output_.err(fmt::format("error: {}: container \"{}\" cannot have the image \"{}\": {}. {}\n",
                              title, container.name(), image, why, kOtherWays));
    } else if (said_.insert(image).second) {
      output_.err(fmt::format(
          "note: image \"{}\" is not on this machine: it is pulled from its registry. {}\n", image,
          kOtherWays));
    }
  }

  // Only where the file exists: other words that look like paths may mean anything.
  void look_for_scripts(const std::string& title, const Container& container) {
    const auto has_mount = [&container](const std::string& path) {
      return std::any_of(
          container.volume_mounts().begin(), container.volume_mounts().end(),
          [&path](const auto& mount) { return path.starts_with(mount.mount_path()); });
    };
    for (const auto* words : {&container.command(), &container.args()}) {
      for (const std::string& word : *words) {
        for (const std::string& path : paths_in_tmp(word)) {
          if (!has_mount(path) && files_.type(path)) {
            output_.err(fmt::format(
                "note: {}: container \"{}\" cannot see {} of this machine: a container has its own "
                "/tmp. Move the file, or mount it with a hostPath volume\n",
                title, container.name(), path));
          }
        }
      }
    }
  }

  std::optional<images::NamedImage> find(const std::string& image) const {
    const auto name = api::parse_image_name(image);
    return name ? catalog_.find(*name) : std::nullopt;
  }

  env::Files& files_;
  const plane::NodeImages& images_;
  const images::ImageCatalog catalog_;
  const bool can_pull_;
  Output& output_;
  std::set<std::string> said_;  // images
  bool good_ = true;
};

}  // namespace

bool preflight(const RunPlan& plan, const plane::NodeImages& images, bool can_pull,
               env::Files& files, Output& output) {
  Preflight check(images, can_pull, files, output);
  for (const ObjectToCreate& object : plan.objects) {
    if (object.ref.kind == &api::kinds::job()) {
      check.look_at(object.title,
                    api::object_as<api::batch::v1::Job>(object.object)->spec().template_().spec());
    } else if (object.ref.kind == &api::kinds::pod()) {
      check.look_at(object.title, api::object_as<api::core::v1::Pod>(object.object)->spec());
    }
  }
  return check.good();
}

}  // namespace windlass::cli
