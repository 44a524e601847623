#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "env/log.h"

namespace windlass::env {

std::string_view name_of(LogLevel level);  // debug, info, warning, error

// `message key=value key="two words"`: one line without its end, whatever is in the values.
std::string format_log_line(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace windlass::env
