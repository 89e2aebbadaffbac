// Joining stored content with what the graph holds.
#include "schema/records/record_reader.hpp"

#include "schema/records/rules.hpp"

#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {

void complete(Record& record, std::string_view id, std::vector<ContextReference> context_units) {
  set_node_id(record, id);
  if (auto* response = std::get_if<Response>(&record)) {
    response->context_units = std::move(context_units);
  } else {
    BOOST_ASSERT(context_units.empty());
  }
}

void fold(Record& into, Record&& later) {
  BOOST_ASSERT(into.index() == later.index());
  std::visit(
      [&]<class T>(T& each) {
        T& revision = std::get<T>(later);
        if constexpr (requires { fold_into(each, std::move(revision)); }) {
          fold_into(each, std::move(revision));
        } else {
          each = std::move(revision);
        }
      },
      into);
}

}  // namespace whence::schema
