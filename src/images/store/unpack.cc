#include "images/store/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "images/store/tree_writer.h"

namespace windlass::images {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";
constexpr std::string_view kOtherMark = ".wh..wh.";
constexpr size_t kMaxMarks = 1'000'000;
constexpr size_t kMaxAttributes = 100;
constexpr size_t kReadSize = size_t{256} * 1024;

class Sha256 {
 public:
  Sha256() : context_(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free) {
    ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr);
  }
  void add(const void* data, size_t size) { ::EVP_DigestUpdate(context_.get(), data, size); }
  std::string digest() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    ::EVP_DigestFinal_ex(context_.get(), bytes, &size);
    std::string out = "sha256:";
    for (unsigned i = 0; i < size; ++i) {
      out += fmt::format("{:02x}", bytes[i]);
    }
    return out;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// Names in archives are UTF-8, whatever the locale of this process is.
class Utf8Locale {
 public:
  Utf8Locale()
      : own_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
        before_(own_ != nullptr ? ::uselocale(own_) : nullptr) {}
  ~Utf8Locale() {
    if (own_ != nullptr) {
      ::uselocale(before_);
      ::freelocale(own_);
    }
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t own_;
  locale_t before_;
};

using Reader = std::unique_ptr<archive, int (*)(archive*)>;

Reader new_reader() {
  return {::archive_read_new(), &::archive_read_free};
}

Failure unreadable(archive* reader, std::string_view what) {
  const char* why = ::archive_error_string(reader);
  return fail(plain_error(fmt::format("{}: {}", what, why != nullptr ? why : "it is damaged")));
}

// The archive without its compression, in pieces; each is counted in the digest.
class UncompressedStream {
 public:
  UncompressedStream() : reader_(new_reader()) {}

  Result<void> open(int fd) {
    archive* reader = reader_.get();
    ::archive_read_support_filter_gzip(reader);
    ::archive_read_support_filter_zstd(reader);
    ::archive_read_support_filter_bzip2(reader);
    ::archive_read_support_filter_xz(reader);
    ::archive_read_support_format_raw(reader);
    ::archive_read_support_format_empty(reader);
    archive_entry* entry = nullptr;
    if (::archive_read_open_fd(reader, fd, kReadSize) != ARCHIVE_OK) {
      return unreadable(reader, "reading the layer failed");
    }
    const int found = ::archive_read_next_header(reader, &entry);
    ended_ = found == ARCHIVE_EOF;
    return found == ARCHIVE_OK || ended_ ? Result<void>()
                                         : unreadable(reader, "reading the layer failed");
  }

  // The next piece; 0 at the end, less for an error.
  la_ssize_t next(const void** piece) {
    size_t size = 0;
    la_int64_t offset = 0;
    while (!ended_) {
      const int got = ::archive_read_data_block(reader_.get(), piece, &size, &offset);
      if (got != ARCHIVE_OK && got != ARCHIVE_EOF) {
        return -1;
      }
      ended_ = got == ARCHIVE_EOF;
      if (size > 0 && !ended_) {
        total_ += size;
        digest_.add(*piece, size);
        return total_ > kMaxLayerBytes ? -1 : static_cast<la_ssize_t>(size);
      }
    }
    return 0;
  }

  // What comes after the end of the tar archive is part of the digest.
  Result<std::string> finish() {
    const void* piece = nullptr;
    la_ssize_t got = 0;
    while ((got = next(&piece)) > 0) {
    }
    return got < 0 ? Result<std::string>(failure()) : digest_.digest();
  }

  Failure failure() const {
    return total_ > kMaxLayerBytes
               ? fail(plain_error(fmt::format("the layer has more than {} bytes", kMaxLayerBytes)))
               : unreadable(reader_.get(), "the layer is damaged or incomplete");
  }
  bool failed() const { return ::archive_errno(reader_.get()) != 0 || total_ > kMaxLayerBytes; }

 private:
  Reader reader_;
  Sha256 digest_;
  uint64_t total_ = 0;
  bool ended_ = false;
};

la_ssize_t read_plain(archive* /*reader*/, void* stream, const void** piece) {
  return static_cast<UncompressedStream*>(stream)->next(piece);
}

std::string text_or_empty(const char* text, const char* otherwise) {
  return text != nullptr ? text : otherwise != nullptr ? otherwise : "";
}

EntryMetadata metadata_of(archive_entry* entry) {
  EntryMetadata metadata;
  metadata.uid = static_cast<uid_t>(::archive_entry_uid(entry));
  metadata.gid = static_cast<gid_t>(::archive_entry_gid(entry));
  metadata.mode = ::archive_entry_perm(entry);
  metadata.changed = {::archive_entry_mtime(entry), ::archive_entry_mtime_nsec(entry)};
  ::archive_entry_xattr_reset(entry);
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  while (metadata.attributes.size() < kMaxAttributes &&
         ::archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
    metadata.attributes.emplace_back(name, std::string(static_cast<const char*>(value), size));
  }
  return metadata;
}

class LayerUnpacking {
 public:
  LayerUnpacking(TreeWriter& tree, UnpackedLayer& layer) : tree_(tree), layer_(layer) {}

  Result<void> run(archive* reader) {
    while (true) {
      archive_entry* entry = nullptr;
      const int found = ::archive_read_next_header(reader, &entry);
      if (found == ARCHIVE_EOF) {
        return tree_.finish();
      }
      if (found != ARCHIVE_OK && found != ARCHIVE_WARN) {
        return unreadable(reader, "the file is no tar archive, or damaged");
      }
      TRY_VOID(add(reader, entry));
    }
  }

 private:
  Result<void> add(archive* reader, archive_entry* entry) {
    const std::string given =
        text_or_empty(::archive_entry_pathname(entry), ::archive_entry_pathname_utf8(entry));
    if (given.empty()) {
      return fail(plain_error("the archive has a file whose name cannot be read"));
    }
    TRY(const std::string path, plain_entry_path(given));
    const size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (name.starts_with(kWhiteout)) {
      return add_mark(path.substr(0, path.size() - name.size()), name);
    }
    const std::string link =
        text_or_empty(::archive_entry_hardlink(entry), ::archive_entry_hardlink_utf8(entry));
    if (!link.empty()) {
      TRY(const std::string target, plain_entry_path(link));
      return tree_.add_hard_link(path, target);
    }
    const auto type = ::archive_entry_filetype(entry);
    if (path.empty() && type != AE_IFDIR) {
      return fail(plain_error("the archive has something else than a directory as its root"));
    }
    switch (type) {
      case AE_IFDIR:
        return tree_.add_directory(path, metadata_of(entry));
      case AE_IFLNK:
        return tree_.add_link(
            path,
            text_or_empty(::archive_entry_symlink(entry), ::archive_entry_symlink_utf8(entry)),
            metadata_of(entry));
      case AE_IFIFO:
        return tree_.add_pipe(path, metadata_of(entry));
      case AE_IFREG:
        return add_file(reader, entry, path);
      default:
        ++layer_.devices;
        return {};
    }
  }

  Result<void> add_mark(std::string parent, const std::string& name) {
    if (layer_.marks.removed.size() + layer_.marks.emptied.size() >= kMaxMarks) {
      return fail(plain_error("the layer removes too many files"));
    }
    if (name == kOpaque) {
      layer_.marks.emptied.push_back(parent.empty() ? "" : parent.substr(0, parent.size() - 1));
    } else if (!name.starts_with(kOtherMark)) {
      const std::string hidden = name.substr(kWhiteout.size());
      if (hidden.empty() || hidden == "." || hidden == "..") {
        return fail(plain_error("the layer removes a file without a name"));
      }
      layer_.marks.removed.push_back(parent + hidden);
    }
    return {};
  }

  Result<void> add_file(archive* reader, archive_entry* entry, const std::string& path) {
    const auto size = static_cast<uint64_t>(std::max<la_int64_t>(::archive_entry_size(entry), 0));
    TRY_VOID(tree_.begin_file(path, metadata_of(entry)));
    while (true) {
      const void* piece = nullptr;
      size_t length = 0;
      la_int64_t offset = 0;
      const int got = ::archive_read_data_block(reader, &piece, &length, &offset);
      if (got == ARCHIVE_EOF) {
        return tree_.end_file(size);
      }
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) {
        return unreadable(reader, "the layer is damaged or incomplete");
      }
      TRY_VOID(tree_.write(piece, length, static_cast<uint64_t>(offset)));
    }
  }

  TreeWriter& tree_;
  UnpackedLayer& layer_;
};

}  // namespace

std::string sha256_digest(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes.data(), bytes.size());
  return digest.digest();
}

Result<UnpackedLayer> unpack_layer(int archive_file, const std::string& directory,
                                   uint64_t keep_free) {
  const Utf8Locale utf8;
  UncompressedStream stream;
  TRY_VOID(stream.open(archive_file));
  const Reader reader = new_reader();
  ::archive_read_support_format_tar(reader.get());
  ::archive_read_support_format_empty(reader.get());
  TRY(TreeWriter tree, TreeWriter::open(directory, keep_free));
  UnpackedLayer layer;
  if (::archive_read_open(reader.get(), &stream, nullptr, &read_plain, nullptr) != ARCHIVE_OK) {
    return stream.failed() ? stream.failure()
                           : unreadable(reader.get(), "the file is no tar archive, or damaged");
  }
  if (auto done = LayerUnpacking(tree, layer).run(reader.get()); !done) {
    return stream.failed() ? stream.failure() : fail(done.error());
  }
  TRY(layer.digest, stream.finish());
  layer.bytes = tree.bytes();
  layer.marks.implied = tree.implied();
  return layer;
}

}  // namespace windlass::images
