// Revisions of responses.
#include "schema/records/context/rules.hpp"

namespace whence::schema {

void fold_into(Response& /*into*/, Response&& /*later*/) {}

}  // namespace whence::schema
