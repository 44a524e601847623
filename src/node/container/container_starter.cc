#include "node/container/container_starter.h"

#include <csignal>
#include <utility>

#include "node/container/container_request.h"
#include "node/container/known_runs.h"

namespace windlass::node {

ContainerStarter::ContainerStarter(Host host, ImagePulls& images, const PodSpecView& spec,
                                   PodFiles& files, const PodSetup& setup)
    : host_(host), images_(images), spec_(spec), files_(files), setup_(setup) {}

ContainerStartAnswer ContainerStarter::start(size_t number, const ContainerSpecView& container,
                                             const ContainerRun& run,
                                             env::Containers::OnStarted on_started,
                                             env::Containers::OnExit on_exit) {
  ImageAnswer image = images_.look(number, container, spec_.pull_secrets, host_.clock.monotonic());
  if (image.wait) {
    return ImageMissing{*std::move(image.wait), image.look_again, std::move(image.warnings)};
  }
  Result<Settings> settings = settings_for(container, image.image);
  if (!settings) {
    return ContainerNotCreated{env::not_created(settings.error().message)};
  }
  const Result<ContainerCommand> command =
      resolve_container(spec_, container, host_.facts, setup_.objects(), settings->image);
  if (!command && is_start_refused(command.error())) {
    // The kernel would not start it with these arguments: the run fails without being asked for.
    host_.executor.post(
        [on_started = std::move(on_started), why = command.error()] { on_started(fail(why)); });
    return ContainerAsked{std::move(image.id)};
  }
  if (!command && env::is_not_created(command.error())) {
    return ContainerNotCreated{command.error()};
  }
  if (!command) {
    return ContainerInvalid{command.error()};
  }
  const Result<env::ContainerRequest> made =
      request(settings->container, run.next_attempt(), *command, image.root);
  if (!made && env::is_not_created(made.error())) {
    return ContainerNotCreated{made.error()};
  }
  if (!made) {
    return ContainerInvalid{made.error()};
  }
  host_.containers.start(*made, std::move(on_started), std::move(on_exit));
  return ContainerAsked{std::move(image.id)};
}

Result<ContainerStarter::Settings> ContainerStarter::settings_for(
    const ContainerSpecView& container, const std::optional<images::ImageRecord>& image) const {
  Settings settings{container, {}};
  if (image) {
    settings.image = image_defaults(*image);
    TRY(settings.container, with_image(container, *images_.catalog(), *image, settings.image));
  }
  return settings;
}

Result<ContainerStarter::Settings> ContainerStarter::settings_of(const ContainerSpecView& container,
                                                                 bool on_host_root) const {
  return settings_for(container, on_host_root ? std::nullopt : images_.known(container));
}

int ContainerStarter::stop_signal_of(const ContainerSpecView& container, bool on_host_root) const {
  const auto image = on_host_root ? std::nullopt : images_.known(container);
  const int wanted = image ? image_defaults(*image).stop_signal : 0;
  return wanted == 0 ? SIGTERM : wanted;
}

Result<env::ContainerRequest> ContainerStarter::request(const ContainerSpecView& container,
                                                        int attempt,
                                                        const ContainerCommand& command,
                                                        const std::string& root) {
  ContainerPlace place{run_id(spec_.uid, container.name, attempt),
                       files_.work_dir(),
                       files_.log_path(container.name, attempt),
                       setup_.volumes(),
                       root,
                       files_.layer_directory(container.name),
                       {},
                       setup_.network_files(),
                       host_.private_directories,
                       host_.host_root_writable,
                       host_.max_pids};
  if (wants_message_file(container, command, !root.empty(), host_.support)) {
    if (const auto made = files_.make_message_file(container.name, attempt); !made) {
      return fail(env::not_created(made.error().message));
    }
    place.message_file = files_.message_path(container.name, attempt);
  }
  if (attempt == 0 && root.empty() && host_.support.mounts) {
    files_.reuse_work();
  }
  return make_request(spec_, container, command, place, host_.support);
}

}  // namespace windlass::node
