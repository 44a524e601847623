// Small questions about a Job's status that several files ask. Pure; any thread.
#pragma once

#include <string_view>

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

bool has_true_condition(const batch::v1::Job& job, std::string_view type);
// False is said: the condition is there.
bool has_false_condition(const batch::v1::Job& job, std::string_view type);

// Complete or Failed.
bool is_finished(const batch::v1::Job& job);

}  // namespace windlass::api
