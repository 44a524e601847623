#pragma once

#include <deque>
#include <functional>
#include <string>

#include "env/log.h"

namespace windlass::virtual_world {

// Keeps what is logged, as `level message key=value`, newest last. One thread.
class VirtualLog final : public env::Log {
 public:
  // Older lines make room for newer ones.
  static constexpr size_t kMaxLines = 100'000;

  void write(env::LogLevel level, std::string_view message,
             std::initializer_list<env::LogField> fields) override;

  const std::deque<std::string>& lines() const { return lines_; }
  bool contains(std::string_view text) const;
  // Sees every line as it is written.
  void set_observer(std::function<void(const std::string&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  std::deque<std::string> lines_;
  std::function<void(const std::string&)> observer_;
};

}  // namespace windlass::virtual_world
