#pragma once
// Facts as the JSON that PROV records keep of them.

#include "net/capture/trace/facts.hpp"
#include "schema/records/prov/records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net::capture {

/// Sets the facts and the label of a record.
void set_facts(schema::ProvNode& node, boost::json::object facts, std::string_view label);

/// The facts of a span that a record keeps; nothing where it is not ours, or only mentioned.
[[nodiscard]] std::optional<SpanFacts> span_facts(schema::ProvNode const& node);
/// The facts of a log record that a record keeps; nothing of other records.
[[nodiscard]] std::optional<LogFacts> log_facts(schema::ProvNode const& node);

[[nodiscard]] boost::json::object log_facts_json(LogFacts const& facts);
[[nodiscard]] boost::json::object json_of(RemoteFacts const& facts);

/// The call of whose tool the whole message is the result.
[[nodiscard]] std::vector<std::string> calls_in(LogFacts const& facts);

}  // namespace whence::net::capture
