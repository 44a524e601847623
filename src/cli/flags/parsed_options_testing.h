// For tests only: the options that arguments become.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/flags/command_line.h"
#include "cli/output/captured_output_testing.h"

namespace windlass::cli::testing {

// `arguments` begin with the name of the command, without that of its group.
template <class Options>
Options parsed(const std::vector<std::string>& arguments, const Options& initial = {}) {
  std::optional<Options> options;
  TextOutput output;
  run_command_line({make_command<Options>(
                       arguments.front(), "",
                       [&options](const Options& given, Output& /*output*/) {
                         options = given;
                         return ExitCode::ok;
                       },
                       initial)},
                   arguments, output);
  EXPECT_TRUE(options.has_value()) << output.err_text;
  return options.value_or(Options());
}

}  // namespace windlass::cli::testing
