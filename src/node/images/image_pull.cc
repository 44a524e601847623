#include "node/images/image_pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "node/container/known_runs.h"

namespace windlass::node {
namespace {

constexpr Duration kFirstDelay = seconds(10);
constexpr Duration kMaxDelay = seconds(300);
// How long the error itself is shown before the back-off is.
constexpr Duration kErrorShown = seconds(1);

ImageAnswer waiting(std::string reason, std::string message, MonotonicTime look_again) {
  ImageAnswer answer;
  answer.warnings = {message, "Error: " + reason};
  answer.wait = Waiting{std::move(reason), std::move(message)};
  answer.look_again = look_again;
  return answer;
}

ImageAnswer host_root() {
  ImageAnswer answer;
  answer.id = kHostImageId;
  return answer;
}

}  // namespace

ImagePulls::ImagePulls(std::optional<images::ImageCatalog> images, bool required)
    : images_(std::move(images)), required_(required) {}

ImageAnswer ImagePulls::look(size_t container_number, const ContainerSpecView& container,
                             MonotonicTime now) {
  const auto before = failed_.find(container_number);
  if (before != failed_.end() && now < before->second.next) {
    ImageAnswer answer = waiting("ImagePullBackOff",
                                 fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}",
                                             container.image, before->second.error),
                                 before->second.next);
    answer.warnings = {"Error: ImagePullBackOff"};
    return answer;
  }
  const Result<api::ImageName> name = api::parse_image_name(container.image);
  if (!name && required_) {
    return waiting("InvalidImageName",
                   fmt::format("Failed to apply default image tag \"{0}\": couldn't parse image "
                               "name \"{0}\": {1}",
                               container.image, name.error().message),
                   now + kMaxDelay);
  }
  auto image = name && images_ ? images_->find(*name) : std::nullopt;
  if (image) {
    failed_.erase(container_number);
    ImageAnswer answer{image->image.root, image->status_id()};
    answer.image = std::move(image->image);
    return answer;
  }
  return required_ && !api::is_pause_image(container.image)
             ? missing(container_number, container, now)
             : host_root();
}

std::optional<images::ImageRecord> ImagePulls::known(const ContainerSpecView& container) const {
  const Result<api::ImageName> name = api::parse_image_name(container.image);
  auto image = name && images_ ? images_->find(*name) : std::nullopt;
  return image ? std::optional(std::move(image->image)) : std::nullopt;
}

ImageAnswer ImagePulls::missing(size_t container_number, const ContainerSpecView& container,
                                MonotonicTime now) {
  if (container.never_pull) {
    return waiting("ErrImageNeverPull",
                   fmt::format("Container image \"{}\" is not present with pull policy of Never",
                               container.image),
                   now + kFirstDelay);
  }
  Attempt& attempt = failed_[container_number];
  attempt.delay =
      attempt.delay == Duration::zero() ? kFirstDelay : std::min(attempt.delay * 2, kMaxDelay);
  attempt.next = now + attempt.delay;
  attempt.error = fmt::format(
      "image \"{0}\" is not on this node: get it with `windlass image pull {0}`", container.image);
  ImageAnswer answer = waiting("ErrImagePull", attempt.error, now + kErrorShown);
  answer.warnings.front() =
      fmt::format("Failed to pull image \"{}\": {}", container.image, attempt.error);
  return answer;
}

}  // namespace windlass::node
