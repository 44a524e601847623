// Between API messages and the plain structs of the Job engine: a Job and a pod read into views, a
// status written back, a pod made from the Job's template. Pure; any thread. The engine never sees
// a message, and nothing outside this file reads one for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/codec/json/outline.h"
#include "api/object.h"
#include "engine/decision.h"
#include "engine/types.h"

namespace windlass::controllers::job {

engine::JobView read_job(const api::Message& job);
// `finalizer` is the one that tracks pods: under spec.managedBy the built-in name is taken.
engine::PodView read_pod(const api::Message& pod, std::string_view finalizer);
// Of a condition of either.
engine::ConditionStatus read_condition_status(std::string_view text);
// What this and its callers look at, for clients that can leave out the rest.
const api::Outline& pod_outline();

// UID and name of the Job that controls the pod; "" when none does (job-controller.md 1.33).
std::string owner_job_uid(const api::Message& pod);
std::string owner_job_name(const api::Message& pod);
// Whether something controls it that is not a Job of batch/v1: other groups have Jobs, too (1.37).
bool has_foreign_owner(const api::Message& pod);

// Puts the new status, the record annotation and the version it is based on into a copy of the Job.
std::unique_ptr<api::Message> with_status(const api::Message& job,
                                          const engine::StatusWrite& write);

// A pod for the Job: its template, the engine's plan, owner and finalizer (section 4).
std::unique_ptr<api::Message> make_pod(const api::Message& job, const engine::PodPlan& plan,
                                       std::string_view finalizer);

// Makes the Job the pod's controller (4.6).
void add_owner(api::Message& pod, const std::string& job_name, const std::string& job_uid);

// Takes the tracking finalizer off; false when it is not there.
bool remove_tracking_finalizer(api::Message& pod, std::string_view finalizer);

}  // namespace windlass::controllers::job
