// Floats have the fewest digits that read back as the same, plain from 0.001 up to 10,000,000 and with an exponent
// elsewhere.
#include "queries/cypher/values/text.hpp"

#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/property_graph.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace whence::queries::cypher {
namespace {

std::string quoted(std::string_view text) {
  std::string made = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') made += '\\';
    made += c;
  }
  return made + "'";
}

std::string map_text(Map const& map) {
  std::string text = "{";
  for (auto const& entry : map) {
    if (text.size() > 1) text += ", ";
    text += entry.first + ": " + to_text(entry.second);
  }
  return text + "}";
}

std::string node_text(Node const& node) {
  std::string text = "(";
  for (auto const& label : node.graph->labels_of(node.id)) text += ":" + label;
  auto const properties = node.graph->node_properties(node.id);
  if (!properties.empty()) text += (text.size() > 1 ? " " : "") + map_text(properties);
  return text + ")";
}

std::string relation_text(Relation const& relation) {
  auto text = "[:" + relation.graph->type_name(relation.graph->type_of(relation));
  auto const properties = relation.graph->relation_properties(relation);
  if (!properties.empty()) text += " " + map_text(properties);
  return text + "]";
}

std::string path_text(Path const& path) {
  auto text = "<" + node_text(path.nodes.front());
  for (std::size_t i = 0; i < path.relations.size(); ++i) {
    auto const& relation = path.relations[i];
    bool const is_forward = relation.from == path.nodes[i].id;
    text +=
        (is_forward ? "-" : "<-") + relation_text(relation) + (is_forward ? "->" : "-") + node_text(path.nodes[i + 1]);
  }
  return text + ">";
}

}  // namespace

std::string to_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  std::array<char, 64> buffer{};
  auto const size = std::fabs(number);
  bool const is_plain = number == 0 || (size >= 1e-3 && size < 1e7);
  auto const form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, form).ptr;
  std::string text{buffer.data(), end};
  if (is_plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  // 1.5e+07 becomes 1.5E7.
  auto const exponent = text.find('e');
  auto const mantissa = text.substr(0, exponent);
  return mantissa + (mantissa.find('.') == std::string::npos ? ".0" : "") + "E" +
         std::to_string(std::stoi(text.substr(exponent + 1)));
}

std::string to_text(Value const& value) {
  switch (value.type()) {
    case ValueType::null:
      return "null";
    case ValueType::boolean:
      return *value.find_bool() ? "true" : "false";
    case ValueType::integer:
      return std::to_string(*value.find_integer());
    case ValueType::floating:
      return to_text(*value.find_double());
    case ValueType::text:
      return quoted(*value.find_text());
    case ValueType::list: {
      std::string text = "[";
      for (auto const& each : *value.find_list()) text += (text.size() > 1 ? ", " : "") + to_text(each);
      return text + "]";
    }
    case ValueType::map:
      return map_text(*value.find_map());
    case ValueType::node:
      return node_text(*value.find_node());
    case ValueType::relation:
      return relation_text(*value.find_relation());
    case ValueType::path:
      return path_text(*value.find_path());
    default:
      return quoted(temporal_text(value));
  }
}

std::size_t find_in(std::string_view text, std::string_view part, std::size_t from) noexcept {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  auto const rest = text.substr(from);
  auto const* const found = static_cast<char const*>(::memmem(rest.data(), rest.size(), part.data(), part.size()));
  return found == nullptr ? std::string_view::npos : from + static_cast<std::size_t>(found - rest.data());
}

}  // namespace whence::queries::cypher
