// Joining stored content with what the graph holds.
#include "schema/record_reader.hpp"

#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {

void complete(Record& record, std::string id, std::vector<ContextReference> context_units) {
  set_id(record, std::move(id));
  if (auto* response = std::get_if<Response>(&record)) {
    response->context_units = std::move(context_units);
  } else {
    BOOST_ASSERT(context_units.empty());
  }
}

}  // namespace whence::schema
