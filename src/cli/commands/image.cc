#include "cli/commands/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/quantity.h"
#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"
#include "images/store/image_store.h"
#include "images/store/image_use.h"
#include "images/store/load.h"
#include "images/store/pull.h"
#include "plane/machine.h"

namespace windlass::cli {
namespace {

constexpr size_t kShortId = 12;

std::string joined_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::string> load_all(const ImageOptions& options, images::ImageStore& store) {
  std::string name;
  if (!options.name.empty()) {
    TRY(const api::ImageName parsed, api::parse_image_name(options.name));
    if (!parsed.digest.empty()) {
      return fail(plain_error("an image is loaded under a name and a tag, not under a digest"));
    }
    name = parsed.text();
  }
  std::vector<images::LoadedImage> loaded;
  if (!options.from_static.empty()) {
    TRY(images::LoadedImage one, images::load_static_program(store, options.from_static, name));
    loaded.push_back(std::move(one));
  } else {
    TRY(loaded, images::load_images(store, {options.source, name, plane::this_architecture(), ""}));
  }
  std::string text;
  for (const images::LoadedImage& each : loaded) {
    text += each.image.in_place
                ? fmt::format("image {} loaded: {}\n", joined_names(each.names), each.image.root)
                : fmt::format("image {} loaded: {}\n", joined_names(each.names),
                              size_text(each.image.bytes));
  }
  return text;
}

std::string table_of(const std::vector<images::NamedImage>& all) {
  const std::string_view title = "NAME";
  size_t width = title.size();
  for (const images::NamedImage& each : all) {
    width = std::max(width, each.name.size());
  }
  std::string text;
  for (const images::NamedImage& each : all) {
    if (each.name.find('@') == std::string::npos) {
      text += fmt::format("{:<{}}   {}   {}\n", each.name, width, each.image.id.substr(0, kShortId),
                          each.image.in_place ? each.image.root : size_text(each.image.bytes));
    }
  }
  return text.empty() ? "" : fmt::format("{:<{}}   ID             SIZE\n", title, width) + text;
}

Result<std::string> description_of(const images::ImageStore& store, const std::string& text) {
  TRY(const api::ImageName name, api::parse_image_name(text));
  const auto found = store.catalog().find(name);
  if (!found) {
    return fail(plain_error(fmt::format("there is no image \"{}\"", text)));
  }
  std::vector<std::string> names;
  for (const images::NamedImage& each : store.catalog().list()) {
    if (each.image.id == found->image.id) {
      names.push_back(each.name);
    }
  }
  std::string out;
  JsonWriter writer(out);
  writer.open_object();
  writer.member("id", found->image.image_id());
  writer.strings("names", names);
  writer.member("digest", found->digest);
  writer.member("root", found->image.root);
  writer.key("bytes").number(static_cast<int64_t>(found->image.bytes));
  writer.key("config");
  images::write_stored_config(found->image.config, writer);
  writer.close_object();
  return out + "\n";
}

Result<std::string> pull(const ImageOptions& options, images::ImageStore& store, bool progress) {
  TRY(const images::PulledImage pulled,
      images::pull_image(store,
                         {options.name, options.auth_file, plane::this_architecture(), progress}));
  return fmt::format("image {} {}: {}, {}\n", pulled.image.name,
                     pulled.downloaded ? "pulled" : "is up to date",
                     size_text(pulled.image.image.bytes), pulled.image.digest);
}

Result<std::string> carry_out(const ImageOptions& options, bool progress) {
  images::ImageStore store(options.directory, &images::directories_in_use);
  switch (options.action) {
    case ImageOptions::Action::list:
      return table_of(store.catalog().list());
    case ImageOptions::Action::inspect:
      return description_of(store, options.name);
    case ImageOptions::Action::prune: {
      TRY(const images::Pruned pruned, store.prune(options.all, options.limit));
      std::string text;
      for (const std::string& name : pruned.names) {
        text += fmt::format("image {} removed\n", name);
      }
      return text + fmt::format("{} freed\n", size_text(pruned.bytes));
    }
    case ImageOptions::Action::remove: {
      TRY(const api::ImageName name, api::parse_image_name(options.name));
      TRY(const images::Pruned pruned, store.remove(name));
      return fmt::format("image {} removed\n", pruned.names.front());
    }
    case ImageOptions::Action::pull:
      return pull(options, store, progress);
    case ImageOptions::Action::load:
    case ImageOptions::Action::add:
      break;
  }
  return load_all(options, store);
}

Result<void> check_image_options(const ImageOptions& options) {
  using Action = ImageOptions::Action;
  const bool loads = options.action == Action::load || options.action == Action::add;
  const bool needs_name = options.action == Action::add || options.action == Action::remove ||
                          options.action == Action::inspect || options.action == Action::pull ||
                          !options.from_static.empty();
  if (needs_name && options.name.empty()) {
    return fail(plain_error("must specify NAME"));
  }
  if (loads && options.source.empty() == options.from_static.empty()) {
    return fail(plain_error("must specify one of FILE, DIR and --from-static FILE"));
  }
  return {};
}

ExitCode manage_real_images(ImageOptions options, Output& output) {
  options.directory = image_dir_or_default(options.directory);
  for (std::string* path : {&options.source, &options.from_static, &options.auth_file}) {
    *path = path->empty() ? "" : absolute_path(*path);
  }
  return manage_images(options, output);
}

void declare_load_flags(Flags& flags, ImageOptions& options) {
  const char* name = "Name of the image, as in pods; without a tag it matches all tags";
  if (options.action == ImageOptions::Action::add) {
    flags.argument("NAME", options.name, name);
  }
  flags.argument("FILE|DIR", options.source,
                 "Archive of `docker save`, OCI archive or layout, or a root file system: an "
                 "archive, or a directory, which is used in place");
  if (options.action == ImageOptions::Action::load) {
    flags.text("--name NAME", options.name, std::string(name) + " (default: the names in FILE)");
  }
  flags.text("--from-static FILE", options.from_static,
             "Statically linked program to make a root file system of, such as busybox");
  flags.examples({"docker save python:3.12 -o python.tar", "windlass image load python.tar",
                  "windlass image load --name busybox --from-static /bin/busybox",
                  "debootstrap bookworm /srv/bookworm",
                  "windlass image load --name debian:12 /srv/bookworm"});
}

}  // namespace

std::string size_text(uint64_t bytes) {
  constexpr double kStep = 1000;
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

void declare_flags(Flags& flags, ImageOptions& options) {
  using Action = ImageOptions::Action;
  declare_image_dir(flags, options.directory);
  flags.check([&options] { return check_image_options(options); });
  switch (options.action) {
    case Action::list:
      return;
    case Action::inspect:
    case Action::remove:
      flags.argument("NAME", options.name, "Name of the image");
      return;
    case Action::pull:
      flags.argument("NAME", options.name, "Image, as in pods");
      flags.text("--authfile FILE", options.auth_file,
                 "Credentials for registries (default: those of skopeo, podman and docker)");
      flags.paragraph(
          "Pulls with skopeo (apt install skopeo), which reads registries.conf, policy.json and "
          "the "
          "files that `skopeo login`, `podman login` and `docker login` write. A registry on "
          "localhost needs no TLS.");
      flags.examples(
          {"windlass image pull python:3.12", "windlass image pull localhost:5000/tools/build:1"});
      return;
    case Action::prune:
      flags.toggle("--all", options.all, "Remove all images that no container runs on");
      flags.parsed("--keep SIZE",
                   "Remove the oldest images until the others take at most this much, such as 10Gi",
                   [&options](const std::string& text) -> Result<void> {
                     const Result<Quantity> size = Quantity::parse(text);
                     if (!size || size->sign() < 0) {
                       return fail(plain_error(fmt::format(
                           "invalid --keep \"{}\": must be a size such as 10Gi", text)));
                     }
                     options.limit = static_cast<uint64_t>(size->value());
                     return {};
                   });
      return;
    case Action::load:
    case Action::add:
      break;
  }
  declare_load_flags(flags, options);
}

Command image_command() {
  using Action = ImageOptions::Action;
  const auto make = [](const char* name, const char* summary, Action action) {
    return make_command<ImageOptions>(name, summary, manage_real_images, {.action = action});
  };
  return {.name = "image",
          .summary = "Manage the images of this machine",
          .subcommands = {
              make("load", "Load an image or a root file system from a file or directory",
                   Action::load),
              make("add", "Load one under a name: image add NAME FILE", Action::add),
              make("pull", "Pull an image from a registry", Action::pull),
              make("list", "List the images", Action::list),
              make("inspect", "Print what is known of an image, as JSON", Action::inspect),
              make("remove", "Remove an image, unless containers run on it", Action::remove),
              make("prune", "Remove images that are not used", Action::prune)}};
}

ExitCode manage_images(const ImageOptions& options, Output& output) {
  const Result<std::string> done = carry_out(options, output.interactive());
  if (!done) {
    output.err("error: " + done.error().message + "\n");
    return ExitCode::failed;
  }
  output.out(*done);
  return ExitCode::ok;
}

}  // namespace windlass::cli
