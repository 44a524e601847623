#include "node/images/image_pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "node/container/known_runs.h"
#include "node/images/registry_logins.h"

namespace windlass::node {
namespace {

constexpr Duration kFirstDelay = seconds(10);
constexpr Duration kMaxDelay = seconds(300);
// How long the error itself is shown before the back-off is.
constexpr Duration kErrorShown = seconds(1);
// A pull answers by itself; this only bounds how long a timer waits.
constexpr Duration kPullTime = hours(24);

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

// As a kubelet would show it; the message is ours.
ImageAnswer being_pulled(const std::string& image, MonotonicTime now) {
  ImageAnswer answer;
  answer.wait = Waiting{"ContainerCreating", fmt::format("Pulling image \"{}\"", image)};
  answer.look_again = now + kPullTime;
  return answer;
}

}  // namespace

ImagePulls::ImagePulls(std::optional<images::ImageCatalog> images, bool required,
                       ImagePullHost host)
    : images_(std::move(images)), required_(required), host_(std::move(host)) {}

ImageAnswer ImagePulls::look(size_t container_number, const ContainerSpecView& container,
                             const std::vector<std::string>& secrets, MonotonicTime now) {
  if (pulling_.contains(container_number)) {
    return being_pulled(container.image, now);
  }
  const auto before = failed_.find(container_number);
  if (before != failed_.end() && now < before->second.next) {
    return failed(container_number, container.image, now);
  }
  if (api::is_host_image(container.image)) {
    return host_root();
  }
  const Result<api::ImageName> name = api::parse_image_name(container.image);
  if (!name && required_) {
    return waiting("InvalidImageName",
                   fmt::format("Failed to apply default image tag \"{0}\": couldn't parse image "
                               "name \"{0}\": {1}",
                               container.image, name.error().message),
                   now + kMaxDelay);
  }
  auto image = find(container.image);
  if (has_to_pull(container_number, container, secrets, image)) {
    pulling_[container_number] = {container.image, {secrets.rbegin(), secrets.rend()}, {}, {}, now};
    host_.on_event(container_number, false, "Pulling",
                   fmt::format("Pulling image \"{}\"", container.image));
    read_next_secret(container_number);
    return being_pulled(container.image, now);
  }
  if (image) {
    pulled_.erase(container_number);
    failed_.erase(container_number);
    ImageAnswer answer{image->image.root, image->status_id()};
    answer.image = std::move(image->image);
    return answer;
  }
  return required_ && !api::is_pause_image(container.image)
             ? missing(container_number, container, now)
             : host_root();
}

std::optional<images::NamedImage> ImagePulls::find(const std::string& image) const {
  const Result<api::ImageName> name = api::parse_image_name(image);
  return name && images_ ? images_->find(*name) : std::nullopt;
}

std::optional<images::ImageRecord> ImagePulls::known(const ContainerSpecView& container) const {
  auto image = find(container.image);
  return image ? std::optional(std::move(image->image)) : std::nullopt;
}

// One that was loaded is what its owner wants it to be: no registry is asked about it. A digest
// stands for the same image for ever.
bool ImagePulls::has_to_pull(size_t container_number, const ContainerSpecView& container,
                             const std::vector<std::string>& secrets,
                             const std::optional<images::NamedImage>& found) {
  if (host_.puller == nullptr || container.pull_policy == PullPolicy::never) {
    return false;
  }
  if (!found) {
    return required_ && !api::is_pause_image(container.image);
  }
  const bool by_digest = container.image.find('@') != std::string::npos;
  const bool was_loaded = found->digest.empty();
  return container.pull_policy == PullPolicy::always && !by_digest && !was_loaded &&
         !pulled_.contains(container_number) &&
         (!secrets.empty() || !host_.puller->recent({container.image, {}}));
}

void ImagePulls::read_next_secret(size_t container_number) {
  Pulling& pulling = pulling_.at(container_number);
  if (pulling.unread.empty()) {
    return begin(container_number);
  }
  const std::string name = std::move(pulling.unread.back());
  pulling.unread.pop_back();
  host_.read_secret(
      name, self_.bind([container_number, name](ImagePulls& self, const Result<ObjectData>& data) {
        Pulling& reading = self.pulling_.at(container_number);
        if (data) {
          reading.secrets.push_back(*data);
        } else {
          reading.missing.push_back(name);
        }
        self.read_next_secret(container_number);
      }));
}

void ImagePulls::begin(size_t container_number) {
  const Pulling& pulling = pulling_.at(container_number);
  if (!pulling.missing.empty()) {
    host_.on_event(container_number, true, "FailedToRetrieveImagePullSecret",
                   fmt::format("Unable to retrieve some image pull secrets ({}); attempting to "
                               "pull the image may not succeed.",
                               fmt::join(pulling.missing, ", ")));
  }
  const Result<api::ImageName> name = api::parse_image_name(pulling.image);
  host_.puller->pull(
      {pulling.image, registry_logins(*name, pulling.secrets)},
      self_.bind(
          [container_number](ImagePulls& self, const Result<images::ImagePuller::Pulled>& pulled) {
            self.on_pulled(container_number, pulled);
          }));
}

void ImagePulls::on_pulled(size_t container_number,
                           const Result<images::ImagePuller::Pulled>& pulled) {
  const Pulling pulling = std::move(pulling_.extract(container_number).mapped());
  const MonotonicTime now = host_.clock->monotonic();
  if (!pulled) {
    note_failure(container_number, pulled.error().message, now);
  } else if (!find(pulling.image)) {
    note_failure(container_number, "the image was removed while it was pulled", now);
  } else {
    pulled_.insert(container_number);
    const auto rounded = [](Duration time) {
      return format_duration(std::chrono::floor<std::chrono::milliseconds>(time));
    };
    host_.on_event(
        container_number, false, "Pulled",
        fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting). Image size: {} "
                    "bytes.",
                    pulling.image, rounded(pulled->took), rounded(now - pulling.since),
                    pulled->bytes));
  }
  host_.on_answer(container_number);
}

ImageAnswer ImagePulls::missing(size_t container_number, const ContainerSpecView& container,
                                MonotonicTime now) {
  if (container.pull_policy == PullPolicy::never) {
    return waiting("ErrImageNeverPull",
                   fmt::format("Container image \"{}\" is not present with pull policy of Never",
                               container.image),
                   now + kFirstDelay);
  }
  note_failure(
      container_number,
      fmt::format("image \"{0}\" is not on this node: get it with `windlass image pull {0}`",
                  container.image),
      now);
  return failed(container_number, container.image, now);
}

void ImagePulls::note_failure(size_t container_number, const std::string& error,
                              MonotonicTime now) {
  Attempt& attempt = failed_[container_number];
  attempt.delay =
      attempt.delay == Duration::zero() ? kFirstDelay : std::min(attempt.delay * 2, kMaxDelay);
  attempt.next = now + attempt.delay;
  attempt.error = error;
  attempt.shown = false;
}

// The error itself for a moment, and then the back-off.
ImageAnswer ImagePulls::failed(size_t container_number, const std::string& image,
                               MonotonicTime now) {
  Attempt& attempt = failed_.at(container_number);
  if (!std::exchange(attempt.shown, true)) {
    ImageAnswer answer = waiting("ErrImagePull", attempt.error, now + kErrorShown);
    answer.warnings.front() = fmt::format("Failed to pull image \"{}\": {}", image, attempt.error);
    return answer;
  }
  if (host_.on_event) {
    host_.on_event(container_number, false, "BackOff",
                   fmt::format("Back-off pulling image \"{}\"", image));
  }
  ImageAnswer answer =
      waiting("ImagePullBackOff",
              fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}", image, attempt.error),
              attempt.next);
  answer.warnings = {"Error: ImagePullBackOff"};
  return answer;
}

}  // namespace windlass::node
