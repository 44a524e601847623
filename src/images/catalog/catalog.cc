#include "images/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace windlass::images {
namespace {

constexpr size_t kMaxNameBytes = 8 * 1024;
constexpr size_t kMaxRecordBytes = size_t{4} * 1024 * 1024;
constexpr size_t kMaxUserFileBytes = size_t{1024} * 1024;
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    out += kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string unescaped(std::string_view file) {
  constexpr size_t kEscapeLength = 3;
  constexpr int kHex = 16;
  std::string out;
  for (size_t i = 0; i < file.size(); ++i) {
    if (file[i] != '%' || i + kEscapeLength > file.size()) {
      out += file[i];
      continue;
    }
    out +=
        static_cast<char>(std::strtol(std::string(file.substr(i + 1, 2)).c_str(), nullptr, kHex));
    i += kEscapeLength - 1;
  }
  return out;
}

bool json_flag(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* found = value.find(name);
  return found != nullptr && found->text == "true";
}

}  // namespace

std::string NamedImage::status_id() const {
  const api::ImageName parsed = api::parse_image_name(name).value_or(api::ImageName());
  return digest.empty() ? image.image_id() : name_by_digest(parsed, digest);
}

std::string name_by_digest(const api::ImageName& image, std::string_view digest) {
  return std::string(image.repository) + "@" + std::string(digest);
}

std::string stored_record(const ImageRecord& record) {
  std::string out;
  JsonWriter writer(out);
  writer.open_object();
  writer.member("id", record.id);
  writer.member("root", record.root);
  writer.key("bytes").number(static_cast<int64_t>(record.bytes));
  writer.key("inPlace").boolean(record.in_place);
  writer.key("hasConfig").boolean(record.has_config);
  writer.key("config");
  write_stored_config(record.config, writer);
  writer.close_object();
  return out + "\n";
}

Result<ImageRecord> read_stored_record(std::string_view json) {
  TRY(const api::JsonTree tree, api::parse_json_value(json));
  ImageRecord record;
  record.id = json_text(tree.value, "id");
  record.root = json_text(tree.value, "root");
  record.bytes = json_count(tree.value, "bytes");
  record.in_place = json_flag(tree.value, "inPlace");
  record.has_config = json_flag(tree.value, "hasConfig");
  if (const api::JsonValue* config = tree.value.find("config")) {
    record.config = read_stored_config(*config);
  }
  return record;
}

ImageCatalog::ImageCatalog(env::Files& files, std::string directory)
    : files_(files), directory_(std::move(directory)) {}

std::string ImageCatalog::name_path(const std::string& name) const {
  return directory_ + "/names/" + escaped(name);
}

std::string ImageCatalog::image_path(const std::string& id) const {
  return directory_ + "/images/" + id;
}

std::optional<ImageRecord> ImageCatalog::image(const std::string& id) const {
  const auto text = files_.read(image_path(id) + "/record", kMaxRecordBytes);
  auto record = text ? read_stored_record(*text) : fail(text.error());
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

std::optional<NamedImage> ImageCatalog::find_exactly(const std::string& name) const {
  const auto text = files_.read(name_path(name), kMaxNameBytes);
  if (!text || !text->ends_with('\n')) {
    return std::nullopt;
  }
  const size_t line = text->find('\n');
  const size_t end = text->find('\n', line + 1);
  auto found = image(text->substr(0, line));
  if (!found) {
    return std::nullopt;
  }
  const std::string digest = end == std::string::npos ? "" : text->substr(line + 1, end - line - 1);
  return NamedImage{name, digest, *std::move(found)};
}

std::optional<NamedImage> ImageCatalog::find(const api::ImageName& image) const {
  if (!image.digest.empty()) {
    return find_exactly(name_by_digest(image, image.digest));
  }
  for (const std::string& name : api::known_names(image)) {
    if (auto found = find_exactly(name)) {
      return found;
    }
  }
  return std::nullopt;
}

std::vector<NamedImage> ImageCatalog::list() const {
  std::vector<NamedImage> images;
  const auto names = files_.list(directory_ + "/names");
  for (const std::string& file : names.value_or(std::vector<std::string>())) {
    if (auto found = find_exactly(unescaped(file))) {
      images.push_back(*std::move(found));
    }
  }
  std::sort(images.begin(), images.end(),
            [](const NamedImage& a, const NamedImage& b) { return a.name < b.name; });
  return images;
}

std::vector<std::string> ImageCatalog::image_ids() const {
  return files_.list(directory_ + "/images").value_or(std::vector<std::string>());
}

Result<ImageUser> ImageCatalog::user(const ImageRecord& image, std::string_view text) const {
  const std::string folder = image_path(image.id);
  const auto passwd = files_.read(folder + "/passwd", kMaxUserFileBytes);
  const auto groups = files_.read(folder + "/group", kMaxUserFileBytes);
  return find_user(text, passwd ? *passwd : "", groups ? *groups : "");
}

}  // namespace windlass::images
