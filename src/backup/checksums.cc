#include "backup/checksums.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <sstream>
#include <string_view>

#include "backup/backup.h"
#include "posix/files/private_file.h"

namespace windlass::backup {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kMaxListBytes = size_t{64} << 10;
constexpr size_t kDigits = 64;
constexpr std::string_view kGap = "  ";

Result<std::string> digest_of(env::Files& files, const std::string& path) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(::EVP_MD_CTX_new(),
                                                                   &::EVP_MD_CTX_free);
  bool good =
      context != nullptr && ::EVP_DigestInit_ex(context.get(), ::EVP_sha256(), nullptr) == 1;
  for (uint64_t offset = 0; good;) {
    TRY(const std::string part, files.read_from(path, offset, kChunk));
    if (part.empty()) {
      break;
    }
    offset += part.size();
    good = ::EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes = {};
  unsigned int size = 0;
  if (!good || ::EVP_DigestFinal_ex(context.get(), bytes.data(), &size) != 1) {
    return fail(plain_error(fmt::format("cannot compute the digest of {}", path)));
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", bytes.at(i));
  }
  return text;
}

// The list comes from a file that others may have made: no name leads out of the directory.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

}  // namespace

Result<void> write_checksums(env::Files& files, const std::string& directory) {
  TRY(const std::vector<std::string> names, files.list(directory));
  std::string list;
  for (const std::string& name : names) {
    if (name != kChecksums) {
      TRY(const std::string digest, digest_of(files, directory + '/' + name));
      list += fmt::format("{}{}{}\n", digest, kGap, name);
    }
  }
  return posix::write_private_file(directory + '/' + kChecksums, list);
}

Result<std::vector<std::string>> verify_checksums(env::Files& files, const std::string& directory) {
  const std::string path = directory + '/' + kChecksums;
  if (!files.type(path)) {
    return fail(
        plain_error(fmt::format("{} is not a backup: it has no {}", directory, kChecksums)));
  }
  TRY(const std::string list, files.read(path, kMaxListBytes));
  std::vector<std::string> names;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::string name =
        line.size() > kDigits + kGap.size() ? line.substr(kDigits + kGap.size()) : "";
    if (!is_plain_name(name) || line.substr(kDigits, kGap.size()) != kGap) {
      return fail(plain_error(fmt::format("{} has a broken line: {}", path, line)));
    }
    TRY(const std::string digest, digest_of(files, directory + '/' + name));
    if (line.substr(0, kDigits) != digest) {
      return fail(plain_error(fmt::format("the backup is damaged: {}/{} is not as {} says",
                                          directory, name, kChecksums)));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace windlass::backup
