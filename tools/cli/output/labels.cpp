// Labels of nodes.

#include "tools/cli/output/labels.hpp"

#include "net/plain_text/record_line.hpp"

#include <boost/json/array.hpp>

namespace whence::tools {

std::string label_of_node(boost::json::object const& node) {
  boost::json::value const* const record = node.if_contains("record");
  if (record != nullptr && record->is_object()) return net::plain_text::label(record->get_object());
  for (char const* gone : {"purged", "expired"}) {
    if (node.contains(gone)) return std::string{"["} + gone + "]";
  }
  return {};
}

void replace_records_by_labels(boost::json::object& answer) {
  for (auto& member : answer) {
    if (!member.value().is_array()) continue;
    for (boost::json::value& item : member.value().get_array()) {
      if (!item.is_object() || !item.get_object().contains("ref")) continue;
      boost::json::object& node = item.get_object();
      std::string const label = label_of_node(node);
      node.erase("record");
      if (!label.empty()) node["label"] = label;
    }
  }
}

}  // namespace whence::tools
