#include "cli/image_flags.h"

#include <CLI/CLI.hpp>

namespace windlass::cli {
namespace {

CLI::App* add_action(CLI::App& image, ImageOptions& options, ImageOptions::Action action,
                     const char* name, const char* description) {
  CLI::App* command = image.add_subcommand(name, description);
  command->add_option("--image-dir", options.directory,
                      "Where images are kept ($XDG_STATE_HOME/windlass/images, or "
                      "~/.local/state/windlass/images)");
  command->callback([&options, action] { options.action = action; });
  return command;
}

}  // namespace

ImageCommands add_image(CLI::App& app, ImageOptions& options) {
  ImageCommands commands;
  commands.image =
      app.add_subcommand("image", "Keep the root file systems that containers of an image run on");
  commands.add = add_action(*commands.image, options, ImageOptions::Action::add, "add",
                            "Give an image a root file system");
  commands.add->add_option("NAME", options.name,
                           "As containers name it: with a tag it is that tag, without it is all");
  commands.add->add_option("DIR|TAR", options.source,
                           "A directory, used where it is, or a tar archive, which is unpacked");
  commands.add->add_option("--from-static", options.from_static,
                           "Make the root of one program that needs no libraries, such as busybox");
  commands.add->footer(
      "Examples:\n"
      "  windlass image add busybox --from-static /bin/busybox   (Debian: busybox-static)\n"
      "  docker export $(docker create python:3) > python.tar && windlass image add python "
      "python.tar\n"
      "  debootstrap bookworm /srv/bookworm && windlass image add debian:12 /srv/bookworm");
  commands.list =
      add_action(*commands.image, options, ImageOptions::Action::list, "list", "Print the images");
  commands.remove = add_action(*commands.image, options, ImageOptions::Action::remove, "remove",
                               "Forget an image, and remove what was unpacked for it");
  commands.remove->add_option("NAME", options.name, "As it was added");
  return commands;
}

Result<void> check_image_flags(const ImageOptions& options) {
  if (options.action != ImageOptions::Action::list && options.name.empty()) {
    return fail(plain_error("must specify NAME"));
  }
  if (options.action == ImageOptions::Action::add &&
      options.source.empty() == options.from_static.empty()) {
    return fail(plain_error("must specify one of DIR, TAR and --from-static FILE"));
  }
  return {};
}

void add_node_image_flags(CLI::App& command, NodeImages& images) {
  command.add_option("--image-dir", images.directory,
                     "Where `windlass image` keeps images ($XDG_STATE_HOME/windlass/images, or "
                     "~/.local/state/windlass/images)");
  command.add_flag("--require-images", images.required,
                   "Images that were not added cannot be pulled; without it their containers run "
                   "on this machine's own root");
}

}  // namespace windlass::cli
