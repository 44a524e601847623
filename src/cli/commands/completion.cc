// `windlass completion`, and what its scripts call: `windlass __complete WORD...`. Also the manual
// pages, for packages.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/flags/cluster_flags.h"
#include "cli/flags/command_line.h"
#include "cli/flags/completion.h"
#include "cli/flags/man_page.h"
#include "cli/process.h"
#include "cli/runs/run_store.h"
#include "plane/version.h"
#include "posix/files/posix_files.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::cli {
namespace {

// A shell waits for no server longer than this.
constexpr Duration kPatience = seconds(1);
constexpr int64_t kMaxNames = 500;

// A user who presses TAB does not want to read errors.
class SilentOutput final : public Output {
 public:
  void out(std::string_view /*text*/) override {}
  void err(std::string_view /*text*/) override {}
  bool interactive() const override { return false; }
};

std::string value_of(const Completion& completion, std::string_view flag) {
  const auto found = completion.values.find(flag);
  return found == completion.values.end() ? "" : found->second;
}

void add_objects(const api::Kind& kind, bool in_namespace, const std::string& prefix,
                 Completion& completion) {
  posix::PosixFiles files;
  SilentOutput silent;
  const ClusterFlags flags{value_of(completion, "--kubeconfig"), value_of(completion, "--context")};
  const auto access = open_cluster(flags, LocalCluster::yes, files, silent);
  if (!access) {
    return;
  }
  const std::string given = value_of(completion, "--namespace");
  const std::string ns = !in_namespace ? "" : given.empty() ? access->ns : given;
  ClusterClient cluster(*access);
  cluster.run([&](const OnFinished& on_finished) {
    cluster.loop.schedule(kPatience, [on_finished] { on_finished(ExitCode::timed_out); });
    cluster.client.list({&kind, ns}, {.limit = kMaxNames},
                        [&completion, &prefix, on_finished](Result<client::ObjectList> list) {
                          for (const auto& object : list ? list->items : decltype(list->items)()) {
                            completion.add(prefix + api::metadata_of(*object).name());
                          }
                          on_finished(ExitCode::ok);
                        });
  });
}

void add_runs(Completion& completion) {
  const auto runs = RunStore(runs_directory()).list();
  for (const StoredRun& run : runs ? *runs : std::vector<StoredRun>()) {
    completion.add(run.name, run.verdict());
  }
}

void add_names(Completion& completion) {
  switch (completion.names) {
    case NameSource::none:
      break;
    case NameSource::jobs:
      return add_objects(api::kinds::job(), true, "job/", completion);
    case NameSource::job_names:
      return add_objects(api::kinds::job(), true, "", completion);
    case NameSource::namespaces:
      return add_objects(api::kinds::namespace_(), false, "", completion);
    case NameSource::nodes:
      return add_objects(api::kinds::node(), false, "", completion);
    case NameSource::runs:
      return add_runs(completion);
  }
}

Result<Shell> shell_named(const std::string& name) {
  for (const auto& [word, shell] :
       {std::pair("bash", Shell::bash), {"zsh", Shell::zsh}, {"fish", Shell::fish}}) {
    if (name == word) {
      return shell;
    }
  }
  return fail(
      plain_error(fmt::format("unsupported shell \"{}\": must be bash, zsh or fish", name)));
}

ExitCode write_man_pages(const CLI::App& program, const std::string& directory, Output& output) {
  posix::PosixFiles files;
  for (const ManPage& page : man_pages(program, plane::version_number())) {
    if (const auto written = files.write(directory + "/" + page.name, page.text, 0644); !written) {
      output.err(fmt::format("error: {}\n", written.error().message));
      return ExitCode::failed;
    }
  }
  return ExitCode::ok;
}

}  // namespace

Command completion_command() {
  return {"completion", "Print a script that completes commands, flags and names in a shell",
          [](Flags& flags) -> Execute {
            auto name = std::make_shared<std::string>();
            auto shell = std::make_shared<Shell>(Shell::bash);
            flags.argument("bash|zsh|fish", *name, "Shell to complete in");
            flags.check([name, shell]() -> Result<void> {
              TRY(*shell, shell_named(*name));
              return {};
            });
            flags.paragraph(
                "Completes commands, flags, their values and files; also Jobs, nodes and "
                "namespaces of the cluster that the kubeconfig names, and runs of this machine.");
            flags.examples({"source <(windlass completion bash)",
                            "windlass completion zsh > ~/.zsh/completions/_windlass",
                            "windlass completion fish > ~/.config/fish/completions/windlass.fish"});
            return [shell](Output& output) {
              output.out(completion_script(*shell));
              return ExitCode::ok;
            };
          }};
}

Command complete_command() {
  Command command{"__complete", "Print what may follow these words, for completion scripts"};
  command.hidden = true;
  command.execute_words = [](const CLI::App& program, const std::vector<std::string>& words,
                             Output& output) {
    Completion completion = complete(program, words);
    add_names(completion);
    output.out(completion.text());
    return ExitCode::ok;
  };
  return command;
}

Command man_command() {
  Command command{
      "man", "Write the manual pages of all commands into a folder", [](Flags& flags) -> Execute {
        auto directory = std::make_shared<std::string>();
        flags.argument("DIR", *directory, "Folder, which has to be there");
        flags.check([directory]() -> Result<void> {
          return directory->empty() ? fail(plain_error("must specify DIR")) : Result<void>();
        });
        return [directory, &program = flags.program()](Output& output) {
          return write_man_pages(program, *directory, output);
        };
      }};
  command.hidden = true;
  return command;
}

}  // namespace windlass::cli
