// Tar archives, byte by byte, for tests: also those that no honest program writes.
#pragma once

#include <fmt/format.h>

#include <string>

namespace windlass::images {

class TarText {
 public:
  TarText& file(const std::string& path, const std::string& content, unsigned mode = 0644) {
    return add(path, '0', mode, "", content);
  }
  TarText& directory(const std::string& path, unsigned mode = 0755) {
    return add(path, '5', mode, "", "");
  }
  TarText& link(const std::string& path, const std::string& target) {
    return add(path, '2', 0777, target, "");
  }
  TarText& hard_link(const std::string& path, const std::string& target) {
    return add(path, '1', 0644, target, "");
  }
  TarText& device(const std::string& path) { return add(path, '3', 0666, "", ""); }
  TarText& pipe(const std::string& path) { return add(path, '6', 0600, "", ""); }

  std::string text() const { return text_ + std::string(2 * kBlock, '\0'); }

 private:
  static constexpr size_t kBlock = 512;

  static void put(std::string& header, size_t at, const std::string& value) {
    header.replace(at, value.size(), value);
  }

  // The fields of a ustar header at their offsets.
  TarText& add(const std::string& path, char type, unsigned mode, const std::string& target,
               const std::string& content) {
    std::string header(kBlock, '\0');
    put(header, 0, path.substr(0, 100));
    put(header, 100, fmt::format("{:07o}", mode));
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, 124, fmt::format("{:011o}", content.size()));
    put(header, 136, "00000000000");
    put(header, 148, "        ");
    header[156] = type;
    put(header, 157, target.substr(0, 100));
    put(header, 257, std::string("ustar\0", 6) + "00");
    unsigned sum = 0;
    for (const char c : header) {
      sum += static_cast<unsigned char>(c);
    }
    put(header, 148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    text_ += header + content + std::string((kBlock - content.size() % kBlock) % kBlock, '\0');
    return *this;
  }

  std::string text_;
};

}  // namespace windlass::images
