// Params to jobs.

#include "net/calls/export_calls.hpp"

#include "net/exports.hpp"
#include "net/params/export_params.hpp"
#include "net/params/params.hpp"
#include "net/service_state.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/json/json.hpp"

#include <utility>

namespace whence::net {

Result<std::string> start_export(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  schema::NoInterrupt const never;
  auto prepared = prepare_export(service.engine, params, never);
  if (!prepared) return prepared.error();
  auto const* const asked = params.if_contains("progress");
  bool const has_listener = asked != nullptr && asked->is_bool() && asked->get_bool();
  auto const tx = schema::number(prepared->source.view.snapshot.tx());
  auto const job = service.exports->start(std::move(*prepared),
                                          has_listener ? progress.notify_later : decltype(progress.notify_later){});
  if (!job) return job.error();
  std::string text;
  schema::json::Writer(text).begin_object().member("job", std::string_view(*job)).member("tx", tx).end_object();
  return text;
}

Result<std::string> export_status(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ExportJobParams>(params);
  if (!asked) return asked.error();
  return service.exports->status(asked->job);
}

Result<std::string> cancel_export(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ExportJobParams>(params);
  if (!asked) return asked.error();
  return service.exports->cancel(asked->job);
}

}  // namespace whence::net
