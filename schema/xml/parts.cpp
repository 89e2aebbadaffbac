// Names of the two documents.
#include "schema/xml/parts.hpp"

#include <ostream>

namespace whence::schema {

std::string_view name_of(XmlFormat format) noexcept {
  return format == XmlFormat::llm_query ? "llm-query" : "llm-response";
}

std::optional<XmlFormat> find_xml_format(std::string_view name) noexcept {
  for (XmlFormat const format : {XmlFormat::llm_query, XmlFormat::llm_response}) {
    if (name == name_of(format)) return format;
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, XmlFormat format) {
  return out << name_of(format);
}

XmlFormat format_of(XmlParts const& parts) noexcept {
  return std::holds_alternative<QueryParts>(parts) ? XmlFormat::llm_query : XmlFormat::llm_response;
}

}  // namespace whence::schema
