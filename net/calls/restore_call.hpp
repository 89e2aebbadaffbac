#pragma once
// `admin.restore`: a history as exported, back into an empty store.

#include "engine/values/history.hpp"
#include "engine/values/write_answer.hpp"
#include "net/params/common_params.hpp"
#include "net/params/json_schema.hpp"
#include "net/rpc/envelope.hpp"
#include "schema/base/error.hpp"
#include "schema/base/fields.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include <boost/json/array.hpp>

namespace whence::net {

/// The elements of `events`, read one by one later; views the params it was read from.
struct EventElements {
  boost::json::array const* elements = nullptr;
};

struct RestoreParams : DryRunParams {
  EventElements events;
  std::uint64_t first_line = 1;
  bool keep_statuses = false;
};

/// Reads whole transactions of events. Fails with `invalid_params`, or with `invalid_record` naming the line of the
/// first event that is none.
[[nodiscard]] Result<WriteRequest> parse_restore(Request const& request);

/// Appends the result object: `tx`.
void write_restored(std::string& out, engine::WriteAnswer const& answer);

/// Rule "type".
void decode_value(boost::json::value const& value, EventElements& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);
void write_schema(schema::json::Writer& out, schema::Rule const& rule, Kinded<EventElements>);

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::RestoreParams> {
  using T = net::RestoreParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field(
              "events", &T::events, Presence::required, rules::items(1, std::numeric_limits<std::size_t>::max()),
              "Lines of a jsonl export, as objects or as text: whole transactions, the first of them the one after the "
              "head."),
          field("first_line", &T::first_line, Presence::optional, rules::number(1, limits::integer_max),
                "The line of the first event in its file, for errors. 1 where left out."),
          field("keep_statuses", &T::keep_statuses, Presence::optional, rules::any(),
                "Deprecates exactly the units that the history deprecates, whatever this server's threshold."),
      },
      fields_of<net::DryRunParams>);
};

}  // namespace whence::schema
