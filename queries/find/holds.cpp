#include "queries/find/holds.hpp"

#include "graph/snapshot/records.hpp"
#include "schema/base/interrupt.hpp"

#include <variant>

namespace whence::queries {

Result<HoldList> hold_list(View const& view, HoldListParams const& params, Budget const& /*budget*/) {
  HoldList found;
  auto const all = view.snapshot.vertices(schema::RecordType::hold);
  auto const read =
      graph::read_those_there(view.snapshot, *view.records, all, [&](std::size_t i, schema::Record&& record) {
        if (params.all || !std::get<schema::Hold>(record).cleared) found.holds.push_back(all[i]);
        return true;
      });
  if (!read) return read.error();
  return found;
}

}  // namespace whence::queries
