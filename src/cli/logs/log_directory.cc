#include <utility>

#include "cli/logs/log_keeper.h"
#include "posix/files/growing_files.h"

namespace windlass::cli {
namespace {

class LogDirectory final : public LogFiles {
 public:
  explicit LogDirectory(posix::GrowingFiles files) : files_(std::move(files)) {}

  Result<void> append(const std::string& name, std::string_view bytes) override {
    return files_.append(name, bytes);
  }

 private:
  posix::GrowingFiles files_;
};

}  // namespace

Result<std::unique_ptr<LogFiles>> open_log_directory(const std::string& path) {
  TRY(posix::GrowingFiles files, posix::GrowingFiles::open(path));
  return std::unique_ptr<LogFiles>(std::make_unique<LogDirectory>(std::move(files)));
}

}  // namespace windlass::cli
