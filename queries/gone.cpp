#include "queries/gone.hpp"

#include "schema/base/report.hpp"
#include "schema/records/ref.hpp"

#include <string>

namespace whence::queries {

Error gone_error(Snapshot const& snapshot, VertexId vertex, graph::GoneWhy why, std::string_view path) {
  bool const is_purged = why == graph::GoneWhy::purged;
  return error_from(Violation{.code = is_purged ? Errc::purged : Errc::expired,
                              .rule = is_purged ? "purged" : "expired",
                              .path = std::string(path),
                              .seen = schema::shown(schema::format_ref(snapshot.type(vertex), snapshot.id(vertex))),
                              .message = is_purged ? "its content was purged" : "its content has expired"});
}

void leave_out_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices) {
  std::erase_if(vertices, [&](VertexId vertex) { return snapshot.gone(vertex).has_value(); });
}

}  // namespace whence::queries
