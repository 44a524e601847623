#include "images/store/image_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "images/store/tree_merge.h"
#include "posix/error.h"

namespace windlass::images {
namespace {

constexpr unsigned kRecordMode = 0600;
constexpr unsigned kRootMode = 0755;
constexpr size_t kMaxLayerRecord = size_t{256} * 1024 * 1024;
constexpr size_t kMaxUserFile = size_t{1024} * 1024;
constexpr size_t kAlgorithm = std::string_view("sha256:").size();

std::string layer_record(const UnpackedLayer& layer) {
  std::string out;
  JsonWriter writer(out);
  writer.open_object().key("bytes").number(static_cast<int64_t>(layer.bytes));
  writer.strings("removed", layer.marks.removed);
  writer.strings("emptied", layer.marks.emptied);
  writer.strings("implied", layer.marks.implied);
  writer.close_object();
  return out + "\n";
}

Result<UnpackedLayer> read_layer_record(env::Files& files, const std::string& layer) {
  TRY(const std::string text, files.read(layer + "/layer", kMaxLayerRecord));
  TRY(const api::JsonTree tree, api::parse_json_value(text));
  UnpackedLayer out;
  out.bytes = json_count(tree.value, "bytes");
  out.marks = {json_texts(tree.value, "removed"), json_texts(tree.value, "emptied"),
               json_texts(tree.value, "implied")};
  return out;
}

// Replaces what is there, unless that is a directory with something in it: then it is the same.
Result<void> publish(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST) {
    return fail(posix::system_error("rename", to, errno));
  }
  return {};
}

void sync_disk(const std::string& directory) {
  const posix::FileDescriptor opened(
      ::openat(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::syncfs(opened.get());
}

Failure no_such_image(const api::ImageName& name) {
  const std::string text = name.digest.empty() ? name.text() : name_by_digest(name, name.digest);
  return fail(plain_error(fmt::format("there is no image \"{}\"", text)));
}

}  // namespace

NewImagePlace::~NewImagePlace() {
  if (scratch_) {
    static_cast<void>(scratch_->remove());  // or the next one does
  }
}

ImageStore::ImageStore(std::string directory, InUse in_use, uint64_t keep_free)
    : directory_(std::move(directory)),
      catalog_(files_, directory_),
      in_use_(std::move(in_use)),
      keep_free_(keep_free) {}

std::string ImageStore::layer_path(const std::string& digest) const {
  return directory_ + "/layers/" + digest.substr(std::min(digest.size(), kAlgorithm));
}

Result<NewImagePlace> ImageStore::begin() {
  for (const char* folder : {"/layers", "/images", "/names"}) {
    TRY_VOID(files_.make_directory(directory_ + folder));
  }
  TRY(posix::ScratchDirectory scratch, posix::ScratchDirectory::make(directory_, "new-"));
  return NewImagePlace(std::move(scratch));
}

Result<posix::FileDescriptor> ImageStore::lock() {
  const std::string path = directory_ + "/lock";
  posix::FileDescriptor held(
      ::openat(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kRecordMode));
  while (held.valid() && ::flock(held.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  if (!held.valid()) {
    return fail(posix::system_error("open", path, errno));
  }
  return held;
}

// Unpacks the layers that are not there yet; names their directories.
Result<std::vector<std::string>> ImageStore::prepare_layers(const NewImagePlace& place,
                                                            NewImage& image) {
  std::vector<std::string> prepared;
  std::vector<std::string>& digests = image.config.layers;
  if (!image.in_place.empty()) {
    return prepared;
  }
  if (image.has_config && digests.size() != image.layers.size()) {
    return fail(plain_error(fmt::format("the image has {} layers, and its configuration names {}",
                                        image.layers.size(), digests.size())));
  }
  for (size_t i = 0; i < image.layers.size(); ++i) {
    NewImage::Layer& layer = image.layers[i];
    const std::string folder = fmt::format("{}/layer-{}", place.path(), i);
    if (image.has_config && files_.type(layer_path(digests[i]) + "/layer")) {
      prepared.emplace_back();
      continue;
    }
    TRY_VOID(files_.make_directory(folder));
    if (layer.unpacked) {
      TRY_VOID(publish(layer.files, folder + "/files"));
    } else {
      TRY_VOID(files_.make_directory(folder + "/files"));
      TRY_VOID(files_.set_mode(folder + "/files", kRootMode));
      TRY(layer.unpacked, unpack_layer(layer.archive.get(), folder + "/files", keep_free_));
    }
    if (image.has_config && layer.unpacked->digest != digests[i]) {
      return fail(plain_error(fmt::format("a layer has the digest {}, and the image names {}",
                                          layer.unpacked->digest, digests[i])));
    }
    if (!image.has_config) {
      digests.push_back(layer.unpacked->digest);
    }
    TRY_VOID(files_.write(folder + "/layer", layer_record(*layer.unpacked), kRecordMode));
    prepared.push_back(folder);
  }
  return prepared;
}

Result<void> ImageStore::keep_layers(const std::vector<std::string>& prepared,
                                     const ImageConfig& config) {
  for (size_t i = 0; i < prepared.size(); ++i) {
    const std::string path = layer_path(config.layers[i]);
    if (prepared[i].empty() || files_.type(path + "/layer")) {
      continue;
    }
    TRY_VOID(files_.remove_tree(path));  // half removed
    TRY_VOID(publish(prepared[i], path));
  }
  return {};
}

Result<void> ImageStore::make_root(const NewImagePlace& place, ImageRecord& record) {
  const std::string folder = place.path() + "/image";
  std::string root = record.root;
  TRY_VOID(files_.make_directory(folder));
  if (!record.in_place) {
    root = folder + "/root";
    record.root = catalog_.image_path(record.id) + "/root";
    TRY_VOID(files_.make_directory(root));
    TRY_VOID(files_.set_mode(root, kRootMode));
    for (const std::string& digest : record.config.layers) {
      const std::string layer = layer_path(digest);
      TRY(const UnpackedLayer known, read_layer_record(files_, layer));
      TRY_VOID(merge_layer(layer + "/files", known.marks, root));
      record.bytes += known.bytes;
    }
    for (const std::string& volume : record.config.volumes) {
      make_in_root(root, volume);
    }
    make_in_root(root, record.config.working_directory);
  }
  for (const char* name : {"passwd", "group"}) {
    TRY_VOID(files_.write(folder + "/" + name,
                          read_in_root(root, std::string("etc/") + name, kMaxUserFile),
                          kRecordMode));
  }
  return files_.write(folder + "/record", stored_record(record), kRecordMode);
}

Result<ImageRecord> ImageStore::add(const NewImagePlace& place, NewImage image) {
  TRY(const std::vector<std::string> prepared, prepare_layers(place, image));
  if (image.id.empty()) {
    std::string text = image.in_place;
    JsonWriter writer(text);
    write_stored_config(image.config, writer);
    image.id = sha256_digest(text).substr(kAlgorithm);
  }
  sync_disk(place.path());
  TRY(const posix::FileDescriptor held, lock());
  TRY_VOID(keep_layers(prepared, image.config));
  std::optional<ImageRecord> record = catalog_.image(image.id);
  if (!record) {
    record = ImageRecord{image.id,         image.in_place,         0, !image.in_place.empty(),
                         image.has_config, std::move(image.config)};
    TRY_VOID(make_root(place, *record));
    TRY_VOID(files_.remove_tree(catalog_.image_path(image.id)));  // without a record
    TRY_VOID(publish(place.path() + "/image", catalog_.image_path(image.id)));
  }
  for (const std::string& name : image.names) {
    TRY_VOID(write_name(name, image.id, image.digest));
  }
  return *std::move(record);
}

Result<void> ImageStore::add_name(const std::string& name, const std::string& id,
                                  const std::string& digest) {
  TRY(const posix::FileDescriptor held, lock());
  return write_name(name, id, digest);
}

Result<void> ImageStore::write_name(const std::string& name, const std::string& id,
                                    const std::string& digest) {
  const std::string half = directory_ + "/name";
  TRY_VOID(files_.write(half, id + "\n" + digest + "\n", kRecordMode));
  return publish(half, catalog_.name_path(name));
}

Result<Pruned> ImageStore::remove(const api::ImageName& name) {
  TRY(const NewImagePlace place, begin());
  TRY(const posix::FileDescriptor held, lock());
  const auto found = name.digest.empty() ? catalog_.find_exactly(name.text())
                                         : catalog_.find_exactly(name_by_digest(name, name.digest));
  const auto latest = found || !name.digest.empty() || !name.tag.empty()
                          ? found
                          : catalog_.find_exactly(name.text() + ":latest");
  if (!latest) {
    return no_such_image(name);
  }
  Pruned pruned{{latest->name}, 0};
  bool last = true;
  for (const NamedImage& each : catalog_.list()) {
    const bool same = each.image.id == latest->image.id && each.name != latest->name;
    const bool by_digest = each.name.find('@') != std::string::npos;
    last = last && (!same || by_digest);
    if (same && by_digest) {
      pruned.names.push_back(each.name);
    }
  }
  if (!last) {
    pruned.names.resize(1);
  } else if (in_use_(directory_).contains(latest->image.root)) {
    return fail(plain_error(fmt::format(
        "image \"{}\" is in use: end the containers that run on it first", latest->name)));
  }
  for (const std::string& each : pruned.names) {
    TRY_VOID(files_.remove_tree(catalog_.name_path(each)));
  }
  if (last) {
    TRY(pruned.bytes, discard({latest->image.id}));
  }
  return pruned;
}

// The oldest first.
std::vector<std::string> ImageStore::by_age() const {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const std::string& id : catalog_.image_ids()) {
    struct stat info = {};
    const bool there = ::stat((catalog_.image_path(id) + "/record").c_str(), &info) == 0;
    constexpr int64_t kNano = 1'000'000'000;
    found.emplace_back(there ? info.st_mtim.tv_sec * kNano + info.st_mtim.tv_nsec : 0, id);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> ids;
  for (auto& [time, id] : found) {
    ids.push_back(std::move(id));
  }
  return ids;
}

Result<Pruned> ImageStore::prune(bool all, std::optional<uint64_t> limit) {
  TRY(const NewImagePlace place, begin());
  TRY(const posix::FileDescriptor held, lock());
  const std::set<std::string> used = in_use_(directory_);
  const std::vector<NamedImage> named = catalog_.list();
  Pruned pruned;
  uint64_t left = bytes();
  for (const std::string& id : by_age()) {
    const auto record = catalog_.image(id);
    std::vector<std::string> names;
    bool tagged = false;
    for (const NamedImage& each : named) {
      if (each.image.id == id) {
        names.push_back(each.name);
        tagged = tagged || each.name.find('@') == std::string::npos;
      }
    }
    const bool wanted = all || (limit ? left > *limit : !tagged);
    if ((record && used.contains(record->root)) || !wanted) {
      continue;
    }
    for (const std::string& name : names) {
      TRY_VOID(files_.remove_tree(catalog_.name_path(name)));
    }
    TRY(const uint64_t freed, discard({id}));
    left -= std::min(left, freed);
    pruned.bytes += freed;
    pruned.names.insert(pruned.names.end(), names.begin(), names.end());
  }
  TRY(const uint64_t freed, discard_unused_layers());
  pruned.bytes += freed;
  return pruned;
}

// Records first: what is half removed is not known any more.
Result<uint64_t> ImageStore::discard(const std::set<std::string>& ids) {
  for (const std::string& id : ids) {
    TRY_VOID(files_.remove_tree(catalog_.image_path(id) + "/record"));
    TRY_VOID(files_.remove_tree(catalog_.image_path(id)));
  }
  return discard_unused_layers();
}

Result<uint64_t> ImageStore::discard_unused_layers() {
  std::set<std::string> wanted;
  for (const std::string& id : catalog_.image_ids()) {
    if (const auto record = catalog_.image(id)) {
      for (const std::string& digest : record->config.layers) {
        wanted.insert(layer_path(digest));
      }
    }
  }
  uint64_t freed = 0;
  const auto there = files_.list(directory_ + "/layers");
  for (const std::string& name : there.value_or(std::vector<std::string>())) {
    const std::string path = directory_ + "/layers/" + name;
    if (!wanted.contains(path)) {
      const auto known = read_layer_record(files_, path);
      TRY_VOID(files_.remove_tree(path + "/layer"));
      TRY_VOID(files_.remove_tree(path));
      freed += known ? known->bytes : 0;
    }
  }
  return freed;
}

uint64_t ImageStore::bytes() const {
  posix::PosixFiles files;
  uint64_t sum = 0;
  const auto there = files.list(directory_ + "/layers");
  for (const std::string& name : there.value_or(std::vector<std::string>())) {
    const auto known = read_layer_record(files, directory_ + "/layers/" + name);
    sum += known ? known->bytes : 0;
  }
  return sum;
}

}  // namespace windlass::images
