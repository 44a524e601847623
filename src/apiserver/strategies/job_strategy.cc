// batch/v1 Job: api.md 1.3-1.8. The rules themselves are in api/.
#include "api/job/job_strategy.h"

#include "api/job/default_job.h"
#include "api/job/validation/validate_job.h"
#include "apiserver/strategies/strategies.h"
#include "base/quote.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::apiserver {
namespace {

using api::batch::v1::Job;

class JobStrategy final : public Strategy {
 public:
  JobStrategy() : Strategy(api::kinds::job(), {.has_status = true, .orphans_by_default = true}) {}

  void apply_defaults(Message& object, const Message* old,
                      const WriteContext& context) const override {
    Job& job = as<Job>(object);
    if (old == nullptr) {
      api::drop_disabled_job_fields(job, nullptr, context.gates);
      api::default_job_spec(job, context.gates);  // labels come with prepare_job_for_create
    } else {
      api::drop_disabled_job_fields(job, &as<Job>(*old), context.gates);
      api::default_job(job, context.gates);
    }
  }

  void prepare_for_create(Message& object, const WriteContext& context) const override {
    Job& job = as<Job>(object);
    const std::string uid = job.metadata().uid();
    api::prepare_job_for_create(job, {uid, context.now}, context.gates);
  }
  api::FieldErrors validate_create(const Message& object) const override {
    return api::validate_job_create(as<Job>(object));
  }

  void prepare_for_update(const Message& old, Message& object,
                          const WriteContext& context) const override {
    api::prepare_job_for_update(as<Job>(old), as<Job>(object), context.gates);
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    return api::validate_job_update(as<Job>(old), as<Job>(object));
  }

  void prepare_for_status_update(const Message& old, Message& object,
                                 const WriteContext&) const override {
    api::prepare_job_for_status_update(as<Job>(old), as<Job>(object));
  }
  api::FieldErrors validate_status_update(const Message& old,
                                          const Message& object) const override {
    return api::validate_job_status_update(as<Job>(old), as<Job>(object));
  }

  std::vector<std::string> warnings(const Message& object, const Message* old) const override {
    return old == nullptr ? api::job_create_warnings(as<Job>(object))
                          : api::job_update_warnings(as<Job>(*old), as<Job>(object));
  }

  // J152.
  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "status.successful") {
      return std::to_string(as<Job>(object).status().succeeded());
    }
    return Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label " + quote(field) + " not supported for Job";
  }
};

}  // namespace

const Strategy& job_strategy() {
  static const JobStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
