// Pulls an image from a registry into the store. skopeo speaks to the registry: it reads
// registries.conf, policy.json and the credentials that people have already, and it verifies
// digests. It runs as a process of its own, and writes into a directory of the store.
//
// Blocks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "images/store/image_store.h"
#include "posix/process/program.h"

namespace windlass::images {

struct PullRequest {
  std::string name = {};          // as a pod has it
  std::string auth_file = {};     // "" for skopeo's own
  std::string architecture = {};  // of this machine, as Go names it
  bool progress = false;          // skopeo may draw on our terminal
  // Instead of the file: texts of such files. The first that the registry takes is used.
  std::vector<std::string> logins = {};
  // Asked while the pull waits for another one of the same image.
  std::function<bool()> is_cancelled = {};
};

struct PulledImage {
  NamedImage image;
  bool downloaded = false;  // otherwise it was there, and still is what the name stands for
};

struct SkopeoResult {
  bool ok = false;
  std::string out = {};
  std::string err = {};
};

struct SkopeoCall {
  std::vector<std::string> arguments = {};
  std::string scratch = {};  // a directory for its output
  bool progress = false;
};

// Runs skopeo, or stands in for it.
using Skopeo = std::function<Result<SkopeoResult>(const SkopeoCall&)>;
// As posix::run_program().
using RunProgram = std::function<Result<void>(const std::vector<std::string>& command)>;
Skopeo skopeo_through(RunProgram run);

// Pulls of one image, also those of other processes, wait for each other; the later ones find it.
Result<PulledImage> pull_image(ImageStore& store, const PullRequest& request,
                               const Skopeo& skopeo = skopeo_through(&posix::run_program));

// What skopeo's errors mean, in a sentence, and its own words after that.
std::string pull_error(std::string_view skopeo_says);

// A registry on this machine needs no TLS, as with Docker.
bool is_loopback_registry(std::string_view repository);

}  // namespace windlass::images
