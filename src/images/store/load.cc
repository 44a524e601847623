#include "images/store/load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "images/catalog/image_manifest.h"
#include "images/store/tree_merge.h"
#include "images/store/tree_writer.h"
#include "posix/error.h"
#include "posix/process/program.h"

namespace windlass::images {
namespace {

constexpr size_t kMaxConfigBytes = size_t{8} * 1024 * 1024;
constexpr size_t kMaxProgram = size_t{256} * 1024 * 1024;
constexpr size_t kMaxImagesInArchive = 1000;
constexpr size_t kMaxIndexDepth = 4;
constexpr unsigned kOpenDirectory = 0755;
constexpr unsigned kProgramMode = 0755;
constexpr unsigned kTextMode = 0644;
constexpr std::string_view kSha256Prefix = "sha256:";

// A directory that an image comes from. Names in it are the image's: they are looked up as if the
// directory were the root.
class ImageFolder {
 public:
  explicit ImageFolder(std::string path)
      : path_(std::move(path)),
        top_(::openat(AT_FDCWD, path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  bool has(const std::string& name) const { return open_in_tree(top_.get(), name, O_PATH).valid(); }
  std::string read(const std::string& name, size_t limit) const {
    return read_in_root(path_, name, limit);
  }
  Result<posix::FileDescriptor> open(const std::string& name) const {
    posix::FileDescriptor file = open_in_tree(top_.get(), name, O_RDONLY | O_NONBLOCK);
    struct stat info = {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return fail(plain_error(fmt::format("the image has no file {}", name)));
    }
    return file;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  posix::FileDescriptor top_;
};

enum class SourceKind { docker, layout, copied, files };

SourceKind kind_of(const ImageFolder& folder) {
  if (folder.has("version") && folder.has("manifest.json") &&
      folder.read("version", kMaxConfigBytes).starts_with("Directory Transport")) {
    return SourceKind::copied;
  }
  if (folder.has("manifest.json") && !folder.has("bin")) {
    return SourceKind::docker;
  }
  return folder.has("oci-layout") && folder.has("index.json") ? SourceKind::layout
                                                              : SourceKind::files;
}

std::string hex_of(const std::string& digest) {
  return digest.substr(kSha256Prefix.size());
}

Result<std::string> read_blob(const ImageFolder& folder, const std::string& path,
                              const std::string& digest) {
  const std::string text = folder.read(path, kMaxConfigBytes);
  if (text.empty() || sha256_digest(text) != digest) {
    return fail(plain_error(
        fmt::format("the image has no file with the digest {}, or a damaged one", digest)));
  }
  return text;
}

// Where the blob of a digest is.
using BlobPath = std::string (*)(const std::string& digest);

std::string layout_path(const std::string& digest) {
  return "blobs/sha256/" + hex_of(digest);
}

Result<NewImage> image_of(const ImageFolder& folder, const ImageManifest& manifest,
                          BlobPath blob_path) {
  NewImage image;
  TRY(const std::string text,
      read_blob(folder, blob_path(manifest.config.digest), manifest.config.digest));
  TRY(image.config, read_image_config(text));
  image.id = hex_of(manifest.config.digest);
  for (const BlobReference& layer : manifest.layers) {
    TRY(posix::FileDescriptor archive, folder.open(blob_path(layer.digest)));
    image.layers.push_back({std::move(archive), {}, {}});
  }
  return image;
}

// The name that an archive gives an image; "" where it is none.
std::string usable_name(const std::string& text) {
  const auto name = api::parse_image_name(text);
  return name && !name->tag.empty() ? name->text() : "";
}

// manifest.json of `docker save`: Config, RepoTags and Layers are paths and names.
Result<std::vector<NewImage>> docker_images(const ImageFolder& folder) {
  auto tree = api::parse_json_value(folder.read("manifest.json", kMaxManifestBytes));
  if (!tree || !tree->value.is_array() || tree->value.items.empty() ||
      tree->value.items.size() > kMaxImagesInArchive) {
    return fail(plain_error("manifest.json is not a list of images"));
  }
  std::vector<NewImage> images;
  for (const api::JsonValue& each : tree->value.items) {
    NewImage image;
    const std::string text = folder.read(json_text(each, "Config"), kMaxConfigBytes);
    TRY(image.config, read_image_config(text));
    image.id = hex_of(sha256_digest(text));
    for (const std::string& layer : json_texts(each, "Layers")) {
      TRY(posix::FileDescriptor archive, folder.open(layer));
      image.layers.push_back({std::move(archive), {}, {}});
    }
    for (const std::string& tag : json_texts(each, "RepoTags")) {
      if (std::string name = usable_name(tag); !name.empty()) {
        image.names.push_back(std::move(name));
      }
    }
    images.push_back(std::move(image));
  }
  return images;
}

class LayoutReader {
 public:
  LayoutReader(const ImageFolder& folder, const std::string& architecture)
      : folder_(folder), architecture_(architecture) {}

  Result<std::vector<NewImage>> read() {
    TRY(const ImageManifest index,
        read_image_manifest(folder_.read("index.json", kMaxManifestBytes)));
    if (index.manifests.empty() || index.manifests.size() > kMaxImagesInArchive) {
      return fail(plain_error("index.json names no images"));
    }
    for (const BlobReference& each : index.manifests) {
      TRY_VOID(add(each, each.name, each.digest, 0));
    }
    return std::move(images_);
  }

 private:
  // Of an index inside, the one entry for this machine.
  Result<void> add(const BlobReference& reference, const std::string& name,
                   const std::string& digest, size_t depth) {
    TRY(const std::string text,
        read_blob(folder_, layout_path(reference.digest), reference.digest));
    TRY(const ImageManifest manifest, read_image_manifest(text));
    if (manifest.is_index) {
      TRY(const auto fitting, for_platform(manifest, architecture_));
      if (depth == kMaxIndexDepth) {
        return fail(plain_error("the image has too many indexes in each other"));
      }
      return add(fitting.front(), name, digest, depth + 1);
    }
    TRY(NewImage image, image_of(folder_, manifest, &layout_path));
    image.digest = digest;
    if (std::string usable = usable_name(name); !usable.empty()) {
      image.names.push_back(std::move(usable));
    }
    images_.push_back(std::move(image));
    return {};
  }

  const ImageFolder& folder_;
  const std::string architecture_;
  std::vector<NewImage> images_;
};

Result<std::vector<LoadedImage>> add_all(ImageStore& store, const NewImagePlace& place,
                                         std::vector<NewImage> images, const std::string& name) {
  if (!name.empty() && images.size() > 1) {
    return fail(plain_error("there are several images in it: load it without a name"));
  }
  std::vector<LoadedImage> loaded;
  for (NewImage& image : images) {
    if (!name.empty()) {
      image.names = {name};
    }
    if (image.names.empty()) {
      return fail(plain_error("the image has no name: give it one with --name NAME"));
    }
    std::vector<std::string> names = image.names;
    TRY(ImageRecord record, store.add(place, std::move(image)));
    loaded.push_back({std::move(record), std::move(names)});
  }
  return loaded;
}

Result<std::vector<NewImage>> images_in(const ImageFolder& folder, const LoadRequest& request,
                                        SourceKind kind) {
  if (kind == SourceKind::docker) {
    return docker_images(folder);
  }
  if (kind == SourceKind::layout) {
    return LayoutReader(folder, request.architecture).read();
  }
  std::vector<NewImage> images;
  TRY(const ImageManifest manifest,
      read_image_manifest(folder.read("manifest.json", kMaxManifestBytes)));
  TRY(NewImage image, image_of(folder, manifest, &hex_of));
  images.push_back(std::move(image));
  return images;
}

NewImage files_only() {
  NewImage image;
  image.has_config = false;
  return image;
}

Result<std::vector<LoadedImage>> load_directory(ImageStore& store, const NewImagePlace& place,
                                                const LoadRequest& request) {
  const ImageFolder folder(request.source);
  const SourceKind kind = kind_of(folder);
  std::vector<NewImage> images;
  if (kind == SourceKind::files) {
    images.push_back(files_only());
    images.back().in_place = request.source;
  } else {
    TRY(images, images_in(folder, request, kind));
  }
  return add_all(store, place, std::move(images), request.name);
}

Result<std::vector<LoadedImage>> load_archive(ImageStore& store, const NewImagePlace& place,
                                              const LoadRequest& request) {
  const std::string unpacked = place.path() + "/unpacked";
  posix::PosixFiles files;
  TRY_VOID(files.make_directory(unpacked));
  TRY_VOID(files.set_mode(unpacked, kOpenDirectory));
  const posix::FileDescriptor archive(
      ::openat(AT_FDCWD, request.source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!archive.valid()) {
    return fail(posix::system_error("open", request.source, errno));
  }
  TRY(UnpackedLayer layer, unpack_layer(archive.get(), unpacked, store.keep_free()));
  const ImageFolder folder(unpacked);
  const SourceKind kind = kind_of(folder);
  std::vector<NewImage> images;
  if (kind == SourceKind::files) {
    images.push_back(files_only());
    images.back().layers.push_back({{}, std::move(layer), unpacked});
  } else {
    TRY(images, images_in(folder, request, kind));
  }
  return add_all(store, place, std::move(images), request.name);
}

}  // namespace

Result<std::vector<LoadedImage>> load_images(ImageStore& store, const LoadRequest& request) {
  posix::PosixFiles files;
  TRY(const env::Files::Type type, files.type(request.source));
  TRY(const NewImagePlace place, store.begin());
  return type == env::Files::Type::directory ? load_directory(store, place, request)
                                             : load_archive(store, place, request);
}

Result<LoadedImage> load_static_program(ImageStore& store, const std::string& program,
                                        const std::string& name) {
  posix::PosixFiles files;
  TRY(const std::string content, files.read(program, kMaxProgram));
  TRY(const NewImagePlace place, store.begin());
  const std::string root = place.path() + "/static";
  for (const char* directory : {"", "/bin", "/etc", "/root", "/tmp", "/var"}) {
    TRY_VOID(files.make_directory(root + directory));
    TRY_VOID(files.set_mode(root + directory, kOpenDirectory));
  }
  TRY_VOID(files.write(root + "/etc/passwd",
                       "root:x:0:0:root:/root:/bin/sh\n"
                       "nobody:x:65534:65534:nobody:/:/bin/false\n",
                       kTextMode));
  TRY_VOID(files.write(root + "/etc/group", "root:x:0:\nnogroup:x:65534:\n", kTextMode));
  const std::string base = program.substr(program.rfind('/') + 1);
  const std::string copy = root + "/bin/" + base;
  TRY_VOID(files.write(copy, content, kProgramMode));
  if (base == "busybox") {
    TRY_VOID(posix::run_program({copy, "--install", root + "/bin"}));
  }
  UnpackedLayer layer;
  layer.digest = sha256_digest("static " + base + "\n" + content);
  layer.bytes = content.size();
  std::vector<NewImage> images;
  images.push_back(files_only());
  images.back().layers.push_back({{}, std::move(layer), root});
  TRY(std::vector<LoadedImage> loaded, add_all(store, place, std::move(images), name));
  return std::move(loaded.front());
}

Result<LoadedImage> load_copied(ImageStore& store, const NewImagePlace& place,
                                const std::string& directory, std::vector<std::string> names,
                                const std::string& digest) {
  const ImageFolder folder(directory);
  TRY(std::vector<NewImage> images, images_in(folder, {}, SourceKind::copied));
  images.front().digest = digest;
  images.front().names = std::move(names);
  TRY(std::vector<LoadedImage> loaded, add_all(store, place, std::move(images), ""));
  return std::move(loaded.front());
}

}  // namespace windlass::images
