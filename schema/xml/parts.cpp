// Which of the two documents parts are of.
#include "schema/xml/parts.hpp"

namespace whence::schema {

XmlFormat format_of(XmlParts const& parts) noexcept {
  return std::holds_alternative<QueryParts>(parts) ? XmlFormat::llm_query : XmlFormat::llm_response;
}

}  // namespace whence::schema
