#include "cli/runs/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/flags/manifest_flags.h"
#include "cli/output/line_diff.h"
#include "cli/output/terminal_text.h"
#include "cli/runs/run_storage.h"
#include "ledger/sqlite/attempt_reader.h"
#include "posix/files/data_directory.h"

namespace windlass::cli {
namespace {

// Relative to where the run began.
std::vector<std::string> files_of(const RunRecord& record) {
  std::vector<std::string> paths;
  for (const std::string& file : record.files) {
    paths.push_back(file.starts_with('/') || file == "-" ? file : record.directory + "/" + file);
  }
  return paths;
}

bool are_there(const std::vector<std::string>& paths, env::Files& files) {
  return std::all_of(paths.begin(), paths.end(), [&files](const std::string& path) {
    return path != "-" && files.type(path).has_value();
  });
}

bool has_secrets(const RunPlan& plan) {
  return std::any_of(plan.objects.begin(), plan.objects.end(), [](const ObjectToCreate& object) {
    return object.ref.kind == &api::kinds::secret();
  });
}

// As it is printed on a terminal: manifests have any text in them.
std::string shown(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += terminal_line(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<Resume> Resume::find(const RunStore& store, const std::string& name, env::Files& files,
                            JobOptions& options) {
  TRY(StoredRun run, store.find(name.empty() ? "last" : name));
  if (run.goes_on) {
    return fail(plain_error(fmt::format("run/{} is still running: stop it first", run.name)));
  }
  Resume resume(std::move(run));
  TRY(resume.kept_manifest_, store.manifest(resume.run_));
  const RunRecord& record = resume.run_.record;
  if (options.ns == JobOptions{}.ns) {
    options.ns = record.ns;
  }
  if (!options.manifests.paths.empty()) {
    return resume;
  }
  options.manifests.paths = files_of(record);
  options.manifests.recursive = record.recursive;
  if (!are_there(options.manifests.paths, files)) {
    resume.uses_kept_manifest_ = true;
    options.manifests.paths = {RunStore::manifest_path(resume.run_)};
    options.manifests.recursive = false;
  }
  return resume;
}

Result<void> Resume::check_manifest(const std::string& kept, const RunPlan& plan, bool force,
                                    Output& output) const {
  if (uses_kept_manifest_) {
    if (has_secrets(plan)) {
      return fail(plain_error(fmt::format(
          "the files of run/{} are gone ({}), and values of Secrets are not kept. Name the files: "
          "windlass run --resume={} FILE",
          run_.name, fmt::join(run_.record.files, ", "), run_.name)));
    }
    return {};
  }
  const std::string difference = line_diff(kept, kept_manifest(plan));
  if (difference.empty()) {
    return {};
  }
  output.err(fmt::format("The manifest differs from that of run/{} (-):\n{}", run_.name,
                         shown(difference)));
  if (!force) {
    return fail(plain_error(fmt::format(
        "the manifest has changed since run/{}. Add --force to continue with the new one; "
        "indexes that are done stay done",
        run_.name)));
  }
  return {};
}

Result<void> Resume::read_ledger(DoneWork& work) const {
  const ledger::LedgerPlace place;
  TRY(auto directory, posix::enter_directory(run_.path));
  TRY(const bool has_ledger, directory->has(place.file));
  if (!has_ledger) {
    return {};  // no attempt ended, or the run kept none
  }
  TRY(const auto reader, ledger::AttemptReader::open(std::move(directory), place));
  ledger::AttemptFilter succeeded;
  succeeded.counted = "Succeeded";
  std::string next;
  do {
    TRY(const ledger::AttemptPage page,
        reader->find(succeeded, ledger::AttemptSource::kMaxPage, next));
    for (const ledger::AttemptPtr& attempt : page.items) {
      work.add(*attempt);
    }
    next = page.next;
  } while (!next.empty());
  return {};
}

Result<RestOfPlan> Resume::rest_of(const RunPlan& plan, bool force, Output& output) {
  TRY_VOID(check_manifest(kept_manifest_, plan, force, output));
  DoneWork work(run_);
  TRY_VOID(read_ledger(work));
  done_ = work.jobs();
  return without_done(plan, done_);
}

}  // namespace windlass::cli
