#pragma once

#include "cli/run.h"
#include "env/files.h"

namespace windlass::cli {

// What this machine offers an embedded node: its processors, its memory (from /proc/meminfo), and
// the environment that containers get when their image says nothing.
RunSession::Machine this_machine(env::Files& files);

// Of the text of /proc/meminfo, as a quantity (`24102340Ki`); "1Gi" when it does not say.
std::string total_memory(std::string_view meminfo);

}  // namespace windlass::cli
