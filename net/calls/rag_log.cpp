// Reads the logged numbers from the answers themselves, so that the log shows what the client saw.

#include "net/calls/rag_log.hpp"

#include <cstdint>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

void describe_retrieval(schema::json::Writer& out, boost::json::object const& result) {
  auto const* chunks = result.if_contains("chunks");
  out.member("chunks_retrieved", std::uint64_t{chunks != nullptr ? chunks->as_array().size() : 0});
}

void describe_answer(schema::json::Writer& out, boost::json::object const& result) {
  auto const* answer = result.if_contains("answer");
  if (answer == nullptr || !answer->is_object()) return;
  out.member("citations", std::uint64_t{answer->at("citations").as_array().size()});
  if (auto const* confidence = answer->get_object().if_contains("confidence")) {
    out.member("confidence", confidence->to_number<double>());
  }
  if (result.contains("withheld")) out.member("withheld", true);
}

}  // namespace whence::net
