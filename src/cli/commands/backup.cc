#include "cli/commands/backup.h"

#include <fmt/format.h>

#include "backup/backup.h"
#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"

namespace windlass::cli {
namespace {

std::string summary(const backup::Content& content) {
  return fmt::format("{} objects at revision {}, {} attempts in the ledger", content.objects,
                     content.newest, content.attempts);
}

ExitCode refuse(const Status& why, Output& output) {
  output.err(fmt::format("error: {}\n", why.message));
  return ExitCode::failed;
}

}  // namespace

void declare_flags(Flags& flags, BackupOptions& options) {
  flags.argument("DIR", options.backup, "Directory to make, for the backup");
  declare_data_dir(flags, options.data_dir, "Data directory of the `windlass up`");
  flags.paragraph(
      "The server may run and write. The backup has every write that was acknowledged before the "
      "command began, and is opened and checked before it gets its name. It contains the keys of "
      "the server: keep it as safe as the data directory.");
  flags.paragraph("Pods, their logs and their volumes are not part of a backup.");
  flags.exit_codes({{0, "Made and verified"}, {1, "Cannot make the backup"}, {2, "Wrong usage"}});
  flags.examples({"windlass backup /srv/backups/windlass-monday"});
}

void declare_flags(Flags& flags, RestoreOptions& options) {
  flags.argument("DIR", options.backup, "Directory of the backup");
  declare_data_dir(flags, options.data_dir,
                   "Data directory to make; it must not exist, or be empty");
  flags.paragraph(
      "Verifies the backup, copies it, and checks the copy. Clients keep their kubeconfigs. "
      "Watches from before list again. Pods that ran have ended: Jobs replace them.");
  flags.exit_codes({{0, "Restored"}, {1, "Cannot restore the backup"}, {2, "Wrong usage"}});
  flags.examples({"windlass restore /srv/backups/windlass-monday"});
}

Command backup_command() {
  return make_command<BackupOptions>(
      "backup", "Back up the data directory of a `windlass up`, also while it runs",
      [](BackupOptions options, Output& output) {
        options.data_dir = data_dir_or_default(options.data_dir);
        options.backup = absolute_path(options.backup);
        posix::PosixFiles files;
        return back_up(options, files, output);
      });
}

Command restore_command() {
  return make_command<RestoreOptions>("restore", "Make a data directory of a backup",
                                      [](RestoreOptions options, Output& output) {
                                        options.data_dir = data_dir_or_default(options.data_dir);
                                        options.backup = absolute_path(options.backup);
                                        posix::PosixFiles files;
                                        return restore(options, files, output);
                                      });
}

ExitCode back_up(const BackupOptions& options, env::Files& files, Output& output) {
  const auto content = backup::make_backup(files, options.data_dir, options.backup);
  if (!content) {
    return refuse(content.error(), output);
  }
  output.out(fmt::format("{}: {}\n", options.backup, summary(*content)));
  return ExitCode::ok;
}

ExitCode restore(const RestoreOptions& options, env::Files& files, Output& output) {
  const auto content = backup::restore_backup(files, options.backup, options.data_dir);
  if (!content) {
    return refuse(content.error(), output);
  }
  output.out(fmt::format("{}: {}. Start it with: windlass up --data-dir {}\n", options.data_dir,
                         summary(*content), options.data_dir));
  return ExitCode::ok;
}

}  // namespace windlass::cli
