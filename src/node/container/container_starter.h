// Asks the supervisor for the runs of a pod's containers: finds the image, resolves command and
// environment, makes the request. Says at once what came of that. Owned by a pod worker, on its
// executor.
#pragma once

#include <cstddef>

#include "env/clock.h"
#include "env/containers.h"
#include "env/executor.h"
#include "node/container/container_run.h"
#include "node/container/environment.h"
#include "node/images/image_pull.h"
#include "node/pod/pod_actions.h"
#include "node/pod/pod_files.h"
#include "node/pod/pod_spec_view.h"
#include "node/volumes/pod_setup.h"

namespace windlass::node {

class ContainerStarter {
 public:
  struct Host {
    env::Executor& executor;
    env::Clock& clock;
    env::Containers& containers;
    const env::ContainerSupport& support;
    const HostFacts& facts;
    const std::vector<std::string>& private_directories;
    bool host_root_writable;
    uint64_t max_pids;
  };

  // All references outlive it.
  ContainerStarter(Host host, ImagePulls& images, const PodSpecView& spec, PodFiles& files,
                   const PodSetup& setup);

  // What the image of a container that runs gives it.
  struct Settings {
    ContainerSpecView container;
    ImageDefaults image;
  };
  Result<Settings> settings_of(const ContainerSpecView& container, bool on_host_root) const;
  // That of its image, or SIGTERM.
  int stop_signal_of(const ContainerSpecView& container, bool on_host_root) const;

  // The next run of the container with this number. The callbacks run later, and only after
  // ContainerAsked.
  ContainerStartAnswer start(size_t number, const ContainerSpecView& container,
                             const ContainerRun& run, env::Containers::OnStarted on_started,
                             env::Containers::OnExit on_exit);

 private:
  Result<Settings> settings_for(const ContainerSpecView& container,
                                const std::optional<images::ImageRecord>& image) const;
  Result<env::ContainerRequest> request(const ContainerSpecView& container, int attempt,
                                        const ContainerCommand& command, const std::string& root);

  Host host_;
  ImagePulls& images_;
  const PodSpecView& spec_;
  PodFiles& files_;
  const PodSetup& setup_;
};

}  // namespace windlass::node
