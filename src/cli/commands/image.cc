#include "cli/commands/image.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"
#include "node/images/image_store.h"
#include "posix/process/program.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxProgramBytes = size_t{256} * 1024 * 1024;
constexpr unsigned kDirectoryMode = 0755;
constexpr unsigned kProgramMode = 0755;
constexpr unsigned kFileMode = 0644;

Result<void> make_open_directory(env::Files& files, const std::string& path) {
  TRY_VOID(files.make_directory(path));
  return files.set_mode(path, kDirectoryMode);
}

// Skips the contents of /dev, however the archive spells it: a container has its own devices, and
// only root could make them.
Result<void> unpack(env::Files& files, const std::string& archive, const std::string& root) {
  TRY_VOID(make_open_directory(files, root));
  return posix::run_program({"tar", "--extract", "--file", archive, "--directory", root,
                             "--numeric-owner", "--anchored", "--exclude=dev/*",
                             "--exclude=./dev/*", "--exclude=/dev/*"});
}

// `docker save`, skopeo and buildah write these files at the top of an archive.
bool is_image_archive(env::Files& files, const std::string& unpacked) {
  return files.type(unpacked + "/oci-layout") ||
         (files.type(unpacked + "/manifest.json") && !files.type(unpacked + "/bin"));
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A root with one program in it, and with links for all applets of busybox.
Result<void> make_static_root(env::Files& files, const std::string& program,
                              const std::string& root) {
  TRY(const std::string content, files.read(program, kMaxProgramBytes));
  for (const char* directory : {"", "/bin", "/etc", "/root", "/tmp", "/var"}) {
    TRY_VOID(make_open_directory(files, root + directory));
  }
  TRY_VOID(files.write(root + "/etc/passwd",
                       "root:x:0:0:root:/root:/bin/sh\n"
                       "nobody:x:65534:65534:nobody:/:/bin/false\n",
                       kFileMode));
  TRY_VOID(files.write(root + "/etc/group", "root:x:0:\nnogroup:x:65534:\n", kFileMode));
  const std::string name = base_name(program);
  const std::string copy = root + "/bin/" + name;
  TRY_VOID(files.write(copy, content, kProgramMode));
  return name == "busybox" ? posix::run_program({copy, "--install", root + "/bin"})
                           : Result<void>();
}

Result<std::string> make_root(const ImageOptions& options, env::Files& files,
                              const std::string& root) {
  if (!options.from_static.empty()) {
    TRY_VOID(make_static_root(files, options.from_static, root));
    return root;
  }
  TRY(const env::Files::Type type, files.type(options.source));
  if (type == env::Files::Type::directory) {
    return options.source;
  }
  TRY_VOID(unpack(files, options.source, root));
  if (is_image_archive(files, root)) {
    return fail(plain_error(fmt::format(
        "{} is an image archive (`docker save` or an OCI layout): it holds layers, not a root file "
        "system. Export a root file system with: docker export $(docker create {}) > root.tar",
        options.source, options.name)));
  }
  return root;
}

Result<std::string> add_image_root(const ImageOptions& options, env::Files& files,
                                   const api::ImageName& name) {
  node::ImageStore store(files, options.directory);
  TRY(const std::string place, store.begin(name));
  const Result<std::string> root = make_root(options, files, place);
  if (!root) {
    TRY_VOID(store.abandon(name));
    return fail(root.error());
  }
  TRY_VOID(store.finish(name, *root));
  return fmt::format("image {} added: {}\n", name.text(), *root);
}

std::string table_of(const std::vector<node::StoredImage>& images) {
  const std::string_view title = "NAME";
  size_t width = title.size();
  for (const node::StoredImage& image : images) {
    width = std::max(width, image.name.size());
  }
  std::string text = images.empty() ? "" : fmt::format("{:<{}}   ROOT\n", title, width);
  for (const node::StoredImage& image : images) {
    text += fmt::format("{:<{}}   {}\n", image.name, width, image.root);
  }
  return text;
}

Result<std::string> carry_out(const ImageOptions& options, env::Files& files) {
  node::ImageStore store(files, options.directory);
  if (options.action == ImageOptions::Action::list) {
    return table_of(store.list());
  }
  TRY(const api::ImageName name, api::parse_image_name(options.name));
  if (options.action == ImageOptions::Action::add) {
    return add_image_root(options, files, name);
  }
  TRY_VOID(store.remove(name));
  return fmt::format("image {} removed\n", name.text());
}

Result<void> check_image_options(const ImageOptions& options) {
  if (options.action != ImageOptions::Action::list && options.name.empty()) {
    return fail(plain_error("must specify NAME"));
  }
  if (options.action == ImageOptions::Action::add &&
      options.source.empty() == options.from_static.empty()) {
    return fail(plain_error("must specify one of DIR, TAR and --from-static FILE"));
  }
  return {};
}

ExitCode manage_real_images(ImageOptions options, Output& output) {
  options.directory = image_dir_or_default(options.directory);
  for (std::string* path : {&options.source, &options.from_static}) {
    *path = path->empty() ? "" : absolute_path(*path);
  }
  posix::PosixFiles files;
  return manage_images(options, files, output);
}

}  // namespace

void declare_flags(Flags& flags, ImageOptions& options) {
  declare_image_dir(flags, options.directory);
  flags.check([&options] { return check_image_options(options); });
  switch (options.action) {
    case ImageOptions::Action::list:
      return;
    case ImageOptions::Action::remove:
      flags.argument("NAME", options.name, "Name of the image, as it was added");
      return;
    case ImageOptions::Action::add:
      break;
  }
  flags.argument("NAME", options.name,
                 "Name of the image, as in pods; without a tag it matches all tags");
  flags.argument("DIR|TAR", options.source,
                 "Root file system: a directory, used in place, or a tar archive to unpack");
  flags.text("--from-static FILE", options.from_static,
             "Statically linked program to make a root file system of, such as busybox");
  flags.examples({"windlass image add busybox --from-static /bin/busybox",
                  "docker export $(docker create python:3) > python.tar",
                  "windlass image add python python.tar", "debootstrap bookworm /srv/bookworm",
                  "windlass image add debian:12 /srv/bookworm"});
}

Command image_command() {
  using Action = ImageOptions::Action;
  return {
      .name = "image",
      .summary = "Manage the root file systems of images",
      .subcommands = {make_command<ImageOptions>("add", "Add a root file system for an image",
                                                 manage_real_images, {.action = Action::add}),
                      make_command<ImageOptions>("list", "List the images", manage_real_images,
                                                 {.action = Action::list}),
                      make_command<ImageOptions>("remove", "Remove an image and its unpacked files",
                                                 manage_real_images, {.action = Action::remove})}};
}

ExitCode manage_images(const ImageOptions& options, env::Files& files, Output& output) {
  const Result<std::string> done = carry_out(options, files);
  if (!done) {
    output.err("error: " + done.error().message + "\n");
    return ExitCode::failed;
  }
  output.out(*done);
  return ExitCode::ok;
}

}  // namespace windlass::cli
