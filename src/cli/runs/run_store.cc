#include "cli/runs/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "cli/output/text.h"
#include "posix/files/counter_file.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/files/private_file.h"

namespace windlass::cli {
namespace {

constexpr const char* kRecordFile = "/run.json";
constexpr const char* kManifestFile = "/manifest.yaml";
constexpr const char* kReportFile = "/report.json";
constexpr const char* kCounterFile = "/counter";
constexpr size_t kMaxFileBytes = size_t{256} << 20U;
constexpr size_t kMostNamed = 5;  // runs, in an error

// The number that `text` is, or 0.
int64_t number_in(std::string_view text) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && number > 0 &&
                 text.front() != '0'
             ? number
             : 0;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Result<StoredRun> read_run(const std::string& path) {
  posix::PosixFiles files;
  StoredRun run;
  run.path = path;
  run.name = last_part(path);
  TRY(const std::string record, files.read(path + kRecordFile, kMaxFileBytes));
  TRY(run.record, read_record(record));
  run.goes_on = posix::data_directory_in_use(path);
  if (const auto report = files.read(path + kReportFile, kMaxFileBytes)) {
    if (auto summary = read_report(*report)) {
      run.report = *std::move(summary);
    }
  }
  return run;
}

}  // namespace

RunFolder::RunFolder(std::unique_ptr<env::DataDirectory> held)
    : held_(std::move(held)), name_(last_part(held_->path())) {}

Result<void> RunFolder::save_report(const RunAccount& report) {
  return posix::write_private_file(path() + kReportFile, report_json(report) + "\n");
}

std::string StoredRun::verdict() const {
  if (goes_on) {
    return "Running";
  }
  const bool ended = report && report->verdict != name_of(RunVerdict::running);
  return ended ? report->verdict : "Killed";
}

Result<std::vector<int64_t>> RunStore::numbers() const {
  posix::PosixFiles files;
  std::vector<int64_t> numbers;
  if (!files.type(directory_)) {
    return numbers;  // no run yet
  }
  TRY(const std::vector<std::string> names, files.list(directory_));
  for (const std::string& name : names) {
    if (const int64_t number = number_in(name); number > 0) {
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

Result<std::unique_ptr<RunFolder>> RunStore::create(const RunRecord& record,
                                                    std::string_view manifest,
                                                    const RunLimits& limits) {
  TRY_VOID(posix::PosixFiles().make_directory(directory_.substr(0, directory_.rfind('/'))));
  TRY_VOID(posix::make_data_directory(directory_));
  TRY(posix::CounterFile counter, posix::CounterFile::lock(directory_ + kCounterFile));
  TRY(const std::vector<int64_t> present, numbers());
  const int64_t number = std::max(counter.last(), present.empty() ? 0 : present.front()) + 1;
  const std::string path = path_of(std::to_string(number));
  TRY(std::unique_ptr<env::DataDirectory> held, posix::open_data_directory(path));
  auto folder = std::make_unique<RunFolder>(std::move(held));
  TRY_VOID(counter.keep(number));
  Result<void> written = posix::write_private_file(path + kManifestFile, manifest);
  // Last: without it the folder is no run.
  written = written ? posix::write_private_file(path + kRecordFile, record_json(record) + "\n")
                    : std::move(written);
  if (!written) {
    static_cast<void>(posix::PosixFiles().remove_tree(path));
    return fail(std::move(written).error());
  }
  // What cannot be removed is no reason not to run.
  static_cast<void>(prune_held(limits));
  return folder;
}

Result<std::vector<StoredRun>> RunStore::list() const {
  TRY(const std::vector<int64_t> present, numbers());
  std::vector<StoredRun> runs;
  for (const int64_t number : present) {
    if (auto run = read_run(path_of(std::to_string(number)))) {
      runs.push_back(*std::move(run));
    }
  }
  return runs;
}

Result<StoredRun> RunStore::find(std::string_view name) const {
  constexpr std::string_view kPrefix = "run/";
  const std::string_view wanted = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  TRY(const std::vector<StoredRun> runs, list());
  if (runs.empty()) {
    return fail(plain_error(fmt::format("no run is kept in {}", directory_)));
  }
  if (wanted == "last") {
    return runs.front();
  }
  std::vector<std::string> names;
  for (const StoredRun& run : runs) {
    if (run.name == wanted) {
      return run;
    }
    names.push_back(run.name);
  }
  const size_t left = names.size() - std::min(names.size(), kMostNamed);
  names.resize(names.size() - left);
  return fail(
      plain_error(fmt::format("no run \"{}\" is kept. The newest are {}; `windlass runs` lists all",
                              wanted, fmt::join(names, ", "))));
}

std::string RunStore::manifest_path(const StoredRun& run) {
  return run.path + kManifestFile;
}

Result<std::string> RunStore::manifest(const StoredRun& run) const {
  return posix::PosixFiles().read(manifest_path(run), kMaxFileBytes);
}

Result<void> RunStore::remove(const StoredRun& run) {
  if (posix::data_directory_in_use(run.path)) {
    return fail(plain_error(fmt::format("run/{} is still running: stop it first", run.name)));
  }
  return posix::PosixFiles().remove_tree(run.path);
}

Result<std::vector<std::string>> RunStore::prune(const RunLimits& limits) {
  if (!posix::PosixFiles().type(directory_)) {
    return std::vector<std::string>();
  }
  TRY(const posix::CounterFile counter, posix::CounterFile::lock(directory_ + kCounterFile));
  return prune_held(limits);
}

Result<std::vector<std::string>> RunStore::prune_held(const RunLimits& limits) {
  posix::PosixFiles files;
  TRY(const std::vector<int64_t> present, numbers());
  std::vector<std::string> removed;
  uint64_t bytes = 0;
  for (size_t i = 0; i < present.size(); ++i) {
    const std::string path = path_of(std::to_string(present[i]));
    bytes += files.tree_size(path).value_or(env::Files::TreeSize{}).bytes;
    const bool is_over = i >= limits.runs || bytes > limits.bytes;
    if (is_over && !posix::data_directory_in_use(path)) {
      TRY_VOID(files.remove_tree(path));
      removed.push_back(last_part(path));
    }
  }
  return removed;
}

}  // namespace windlass::cli
