// The subresources of pods: binding (api.md P80, P81), eviction (P90) and log (P100-P103).
#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/body.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/delete_options.h"
#include "apiserver/rest/calls/log_options.h"
#include "apiserver/rest/object_access.h"
#include "apiserver/rest/options.h"
#include "apiserver/verbs/request_errors.h"
#include "schema/core/v1/binding.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/options.pb.h"
#include "schema/policy/v1/eviction.pb.h"

namespace windlass::apiserver {
namespace {

// Once the result is durable: 201 and a Status that says no more than Success.
void answer_created(RestContext& context, const Reply& reply, WriteResult result,
                    const Warnings& warnings) {
  if (!result.answer) {
    reply.result(std::move(result), 201, warnings);
    return;
  }
  context.server.store().when_committed(
      result.durable_at, [reply, warnings](const Result<void>& committed) {
        if (committed) {
          reply.message(201, status_type(), *created_message(), warnings);
        } else {
          reply.fail(committed.error(), warnings);
        }
      });
}

Result<void> match_name(const RestRequest& request, const Message& body, std::string_view kind) {
  const std::string& name = api::metadata_of(body).name();
  if (name == request.info.name) {
    return {};
  }
  return fail(bad_request(fmt::format("name in URL does not match name in {} object", kind)));
}

struct PodBody {
  Body body;
  WriteQuery query;
  WriteOptions options;
};

Result<PodBody> read_body(const RestRequest& request) {
  PodBody read;
  read.query = parse_write_query(request.target, request.http.headers);
  TRY(read.options, make_write_options(WriteVerb::create, read.query));
  TRY(read.body, decode_body(request.http, *request.served->body, read.options.field_validation));
  return read;
}

// disruption.md E-2: said in both places, it must be the same.
Result<void> match_dry_run(const WriteQuery& query, const api::meta::v1::DeleteOptions& options) {
  const std::vector<std::string> in_body(options.dry_run().begin(), options.dry_run().end());
  if (query.dry_run.empty() || in_body.empty() || query.dry_run == in_body) {
    return {};
  }
  return fail(
      plain_error(fmt::format("Non-matching dry-run options in request and content: [{}] and [{}]",
                              fmt::join(query.dry_run, " "), fmt::join(in_body, " "))));
}

}  // namespace

Prepared prepare_bind(RestContext& context, RestRequest request) {
  auto read = read_body(request);
  if (!read) {
    return failure_response(read.error(), request.format);
  }
  const bool subresource = !request.served->subresource.empty();
  const auto& binding = static_cast<const api::core::v1::Binding&>(*read->body.object);
  if (subresource) {
    if (const auto matched = match_name(request, binding, "Binding"); !matched) {
      return failure_response(matched.error(), request.format);
    }
  }
  ObjectRef pod{&api::kinds::pod(), request.info.ns, binding.metadata().name()};
  const auto& metadata = binding.metadata();
  BindRequest bind{.node = binding.target().name(),
                   .target_kind = binding.target().kind(),
                   .uid = metadata.uid(),
                   .resource_version = metadata.resource_version(),
                   .annotations = {metadata.annotations().begin(), metadata.annotations().end()}};
  return make_call([&context, pod = std::move(pod), bind = std::move(bind),
                    request = std::move(request), options = read->options,
                    warnings = read->body.warnings](std::shared_ptr<http::Exchange> exchange) {
    const Reply reply(context, request, std::move(exchange));
    if (const auto allowed = check_before_write(context, request, pod); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    answer_created(context, reply, context.server.bind(pod, bind, options), warnings);
  });
}

Prepared prepare_evict(RestContext& context, RestRequest request) {
  auto read = read_body(request);
  if (!read) {
    return failure_response(read.error(), request.format);
  }
  if (const auto matched = match_name(request, *read->body.object, "Eviction"); !matched) {
    return failure_response(matched.error(), request.format);
  }
  const auto& eviction = static_cast<const api::policy::v1::Eviction&>(*read->body.object);
  if (const auto same = match_dry_run(read->query, eviction.delete_options()); !same) {
    return failure_response(same.error(), request.format);
  }
  auto wanted = check_delete_options(eviction.delete_options());
  if (!wanted) {
    return failure_response(wanted.error(), request.format);
  }
  wanted->write.dry_run = wanted->write.dry_run || read->options.dry_run;
  return make_call([&context, request = std::move(request), wanted = *std::move(wanted),
                    warnings = read->body.warnings](std::shared_ptr<http::Exchange> exchange) {
    const Reply reply(context, request, std::move(exchange));
    if (const auto allowed = check_before_write(context, request, request.ref()); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    answer_created(context, reply,
                   context.server.evict(request.ref(), wanted.options, wanted.write), warnings);
  });
}

Prepared prepare_log(RestContext& context, RestRequest request) {
  auto log = parse_log_query(request.target, request.info.name);
  if (!log) {
    return failure_response(log.error(), request.format);
  }
  return make_call([&context, request = std::move(request),
                    log = *std::move(log)](std::shared_ptr<http::Exchange> exchange) mutable {
    const Reply reply(context, request, exchange);
    const auto allowed = check_before_read(context, request);
    const auto found = allowed ? context.server.get(request.ref()) : fail(allowed.error());
    if (!found) {
      reply.fail(found.error());
      return;
    }
    log.pod = api::object_as<api::core::v1::Pod>(*found);
    const auto chosen = choose_container(*log.pod, log.container);
    if (!chosen) {
      reply.fail(chosen.error());
      return;
    }
    log.container = *chosen;
    const std::string& node = log.pod->spec().node_name();
    if (node.empty()) {  // P102
      http::Response nothing;
      nothing.status = 204;
      reply.respond(std::move(nothing));
    } else if (!context.hooks.read_log) {
      reply.fail(not_found({"", "nodes", node}));
    } else {
      reply.note(200);
      context.hooks.read_log(std::move(log), std::move(exchange));
    }
  });
}

}  // namespace windlass::apiserver
