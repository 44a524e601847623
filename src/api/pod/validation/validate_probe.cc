// Probes and lifecycle hooks, which share their handlers.
#include <fmt/format.h>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::LifecycleHandler;
using core::v1::Probe;

constexpr int64_t kIntOrStringIsString = 1;

void validate_port_number(FieldErrors& errors, const FieldPath& path, int32_t port) {
  if (port < 1 || port > 65535) {
    errors.invalid(path, BadValue::number(port), "must be between 1 and 65535, inclusive");
  }
}

void validate_port(FieldErrors& errors, const FieldPath& path, const meta::v1::IntOrString& port) {
  if (port.type() == kIntOrStringIsString) {
    add_problems(errors, path, port.str_val(), check_port_name(port.str_val()));
  } else {
    validate_port_number(errors, path, port.int_val());
  }
}

void validate_exec(FieldErrors& errors, const FieldPath& path, const core::v1::ExecAction& exec) {
  if (exec.command().empty()) {
    errors.required(path.child("command"));
  }
}

void validate_http_get(FieldErrors& errors, const FieldPath& path,
                       const core::v1::HTTPGetAction& http) {
  if (http.path().empty()) {
    errors.required(path.child("path"));
  }
  validate_port(errors, path.child("port"), http.port());
  if (http.scheme() != "HTTP" && http.scheme() != "HTTPS") {
    errors.not_supported(path.child("scheme"), http.scheme(), {"HTTP", "HTTPS"});
  }
  for (const core::v1::HTTPHeader& header : http.http_headers()) {
    add_problems(errors, path.child("httpHeaders"), header.name(),
                 check_http_header_name(header.name()));
  }
}

// The handlers of one probe or hook, in the order of Kubernetes: the first one counts, every
// further one is an error.
class HandlerCheck {
 public:
  HandlerCheck(FieldErrors& errors, const FieldPath& path) : errors_(errors), path_(path) {}

  template <class Validate>
  void handler(bool present, std::string_view name, Validate validate) {
    if (!present) {
      return;
    }
    if (found_) {
      errors_.forbidden(path_.child(name), "may not specify more than 1 handler type");
    } else {
      validate(path_.child(name));
    }
    found_ = true;
  }

  void done() {
    if (!found_) {
      errors_.required(path_, "must specify a handler type");
    }
  }

 private:
  FieldErrors& errors_;
  const FieldPath& path_;
  bool found_ = false;
};

template <class Handler>
void validate_common_handlers(FieldErrors& errors, HandlerCheck& check, const Handler& handler) {
  check.handler(handler.has_exec(), "exec",
                [&](const FieldPath& path) { validate_exec(errors, path, handler.exec()); });
  check.handler(handler.has_http_get(), "httpGet", [&](const FieldPath& path) {
    validate_http_get(errors, path, handler.http_get());
  });
  check.handler(handler.has_tcp_socket(), "tcpSocket", [&](const FieldPath& path) {
    validate_port(errors, path.child("port"), handler.tcp_socket().port());
  });
}

void validate_not_negative(FieldErrors& errors, const FieldPath& path, std::string_view name,
                           int64_t value) {
  if (value < 0) {
    errors.invalid(path.child(name), BadValue::number(value), "must be greater than or equal to 0");
  }
}

void validate_probe(FieldErrors& errors, const FieldPath& path, const Probe& probe) {
  HandlerCheck check(errors, path);
  validate_common_handlers(errors, check, probe.handler());
  check.handler(probe.handler().has_grpc(), "grpc", [&](const FieldPath& grpc) {
    validate_port_number(errors, grpc.child("port"), probe.handler().grpc().port());
  });
  check.done();
  validate_not_negative(errors, path, "initialDelaySeconds", probe.initial_delay_seconds());
  validate_not_negative(errors, path, "timeoutSeconds", probe.timeout_seconds());
  validate_not_negative(errors, path, "periodSeconds", probe.period_seconds());
  validate_not_negative(errors, path, "successThreshold", probe.success_threshold());
  validate_not_negative(errors, path, "failureThreshold", probe.failure_threshold());
  if (probe.has_termination_grace_period_seconds() &&
      probe.termination_grace_period_seconds() <= 0) {
    errors.invalid(path.child("terminationGracePeriodSeconds"),
                   BadValue::number(probe.termination_grace_period_seconds()),
                   "must be greater than 0");
  }
}

void validate_succeeds_at_once(FieldErrors& errors, const FieldPath& path, const Probe& probe) {
  validate_probe(errors, path, probe);
  if (probe.success_threshold() != 1) {
    errors.invalid(path.child("successThreshold"), BadValue::number(probe.success_threshold()),
                   "must be 1");
  }
}

void validate_hook(FieldErrors& errors, const FieldPath& path, const LifecycleHandler& hook,
                   const core::v1::PodSpec& spec) {
  HandlerCheck check(errors, path);
  validate_common_handlers(errors, check, hook);
  check.handler(hook.has_sleep(), "sleep", [&](const FieldPath& sleep) {
    const int64_t grace = spec.termination_grace_period_seconds();
    if (spec.has_termination_grace_period_seconds() &&
        (hook.sleep().seconds() < 0 || hook.sleep().seconds() > grace)) {
      errors.invalid(sleep, BadValue::number(hook.sleep().seconds()),
                     fmt::format("must be non-negative and less than "
                                 "terminationGracePeriodSeconds ({})",
                                 grace));
    }
  });
  check.done();
}

}  // namespace

void validate_probes(FieldErrors& errors, const FieldPath& path, const Container& container) {
  if (container.has_liveness_probe()) {
    validate_succeeds_at_once(errors, path.child("livenessProbe"), container.liveness_probe());
  }
  if (container.has_readiness_probe()) {
    const FieldPath readiness = path.child("readinessProbe");
    const Probe& probe = container.readiness_probe();
    validate_probe(errors, readiness, probe);
    if (probe.has_termination_grace_period_seconds()) {
      errors.invalid(readiness.child("terminationGracePeriodSeconds"),
                     BadValue::number(probe.termination_grace_period_seconds()),
                     "must not be set for readinessProbes");
    }
  }
  if (container.has_startup_probe()) {
    validate_succeeds_at_once(errors, path.child("startupProbe"), container.startup_probe());
  }
}

void validate_lifecycle(FieldErrors& errors, const FieldPath& path,
                        const core::v1::Lifecycle& lifecycle, const core::v1::PodSpec& spec) {
  if (lifecycle.has_post_start()) {
    validate_hook(errors, path.child("postStart"), lifecycle.post_start(), spec);
  }
  if (lifecycle.has_pre_stop()) {
    validate_hook(errors, path.child("preStop"), lifecycle.pre_stop(), spec);
  }
}

}  // namespace windlass::api
