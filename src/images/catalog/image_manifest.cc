#include "images/catalog/image_manifest.h"

#include <fmt/format.h>

#include <set>

#include "images/catalog/image_config.h"

namespace windlass::images {
namespace {

constexpr size_t kMaxManifestsInIndex = 1000;

BlobReference read_reference(const api::JsonValue& value) {
  BlobReference out;
  out.digest = json_text(value, "digest");
  out.media_type = json_text(value, "mediaType");
  out.bytes = json_count(value, "size");
  if (const api::JsonValue* platform = value.find("platform")) {
    out.system = json_text(*platform, "os");
    out.architecture = json_text(*platform, "architecture");
    out.variant = json_text(*platform, "variant");
  }
  if (const api::JsonValue* notes = value.find("annotations")) {
    out.name = json_text(*notes, "io.containerd.image.name");
    out.name = out.name.empty() ? json_text(*notes, "org.opencontainers.image.ref.name") : out.name;
  }
  return out;
}

Result<std::vector<BlobReference>> read_references(const api::JsonValue& list, size_t limit) {
  std::vector<BlobReference> out;
  if (list.items.size() > limit) {
    return fail(plain_error("the image manifest has too many entries"));
  }
  for (const api::JsonValue& item : list.items) {
    out.push_back(read_reference(item));
    if (!is_sha256(out.back().digest)) {
      return fail(plain_error(fmt::format(
          "the image manifest has the digest \"{}\", which is not a sha256", out.back().digest)));
    }
  }
  return out;
}

}  // namespace

uint64_t ImageManifest::layer_bytes() const {
  uint64_t sum = 0;
  for (const BlobReference& layer : layers) {
    sum += layer.bytes;
  }
  return sum;
}

Result<ImageManifest> read_image_manifest(std::string_view json) {
  if (json.size() > kMaxManifestBytes) {
    return fail(
        plain_error(fmt::format("the image manifest has more than {} bytes", kMaxManifestBytes)));
  }
  auto tree = api::parse_json_value(json);
  if (!tree || !tree->value.is_object()) {
    return fail(plain_error("the image manifest is not a JSON object"));
  }
  const api::JsonValue& all = tree->value;
  ImageManifest manifest;
  if (const api::JsonValue* manifests = all.find("manifests")) {
    manifest.is_index = true;
    TRY(manifest.manifests, read_references(*manifests, kMaxManifestsInIndex));
    return manifest;
  }
  const api::JsonValue* config = all.find("config");
  const api::JsonValue* layers = all.find("layers");
  if (config == nullptr || layers == nullptr) {
    return fail(plain_error(
        json_count(all, "schemaVersion") == 1
            ? "the image manifest has Docker's schema 1, which is not supported: push the image "
              "again with a newer program"
            : "the image manifest has no config and layers"));
  }
  manifest.config = read_reference(*config);
  if (!is_sha256(manifest.config.digest)) {
    return fail(plain_error("the image manifest names no configuration by its sha256"));
  }
  TRY(manifest.layers, read_references(*layers, kMaxImageLayers));
  return manifest;
}

Result<std::vector<BlobReference>> for_platform(const ImageManifest& index,
                                                std::string_view architecture) {
  std::vector<BlobReference> fitting;
  std::set<std::string> platforms;
  for (const BlobReference& each : index.manifests) {
    const bool any = each.system.empty() && each.architecture.empty();
    if (any || (each.system == "linux" && each.architecture == architecture)) {
      fitting.push_back(each);
    } else if (each.system != "unknown") {  // attestations
      platforms.insert(each.system + "/" + each.architecture +
                       (each.variant.empty() ? "" : "/" + each.variant));
    }
  }
  if (fitting.empty()) {
    return fail(plain_error(fmt::format("the image has no manifest for linux/{}, only for: {}",
                                        architecture, fmt::join(platforms, ", "))));
  }
  return fitting;
}

}  // namespace windlass::images
