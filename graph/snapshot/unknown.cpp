#include "graph/snapshot/unknown.hpp"

#include "schema/base/report.hpp"
#include "schema/base/time.hpp"

#include <utility>

namespace whence::graph {

std::string at_its_moment(Snapshot const& snapshot) {
  if (!snapshot.is_earlier()) return {};
  if (snapshot.tx() == TxId{0}) return " at transaction 0 (before the first)";
  return " at transaction " + std::to_string(schema::number(snapshot.tx())) + " (" +
         schema::format_rfc3339(snapshot.at()) + ")";
}

Violation unknown_ref(Snapshot const& snapshot, schema::NodeRef const& ref, std::string path) {
  bool const is_deleted = snapshot.find_deleted(ref.type, ref.id).has_value();
  auto const name = schema::format_ref(ref);
  return {.code = Errc::not_found,
          .rule = is_deleted ? "deleted" : "unknown_reference",
          .path = std::move(path),
          .seen = schema::shown(name),
          .message = name + (is_deleted ? " is deleted" : " does not exist") + at_its_moment(snapshot)};
}

Violation gone_content(Snapshot const& snapshot, VertexId vertex, GoneWhy why, std::string path) {
  bool const is_purged = why == GoneWhy::purged;
  return {.code = is_purged ? Errc::purged : Errc::expired,
          .rule = is_purged ? "purged" : "expired",
          .path = std::move(path),
          .seen = schema::shown(schema::format_ref(snapshot.type(vertex), snapshot.id(vertex))),
          .message = is_purged ? "its content was purged" : "its content has expired"};
}

Violation gone_content(Snapshot const& snapshot, VertexId vertex, std::string path) {
  return gone_content(snapshot, vertex, snapshot.gone(vertex).value_or(GoneWhy::expired), std::move(path));
}

}  // namespace whence::graph
