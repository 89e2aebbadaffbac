#include "tests/cypher/canonical.hpp"

#include "queries/cypher/values/property_graph.hpp"
#include "queries/cypher/values/text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

namespace whence::tests {

using namespace queries::cypher;

namespace {

std::string joined(std::vector<std::string> parts, bool sorts, char open, char close) {
  if (sorts) std::ranges::sort(parts);
  std::string text(1, open);
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return text + close;
}

std::string quoted_text(std::string_view text) {
  return "'" + std::string{text} + "'";
}

std::string map_form(std::map<std::string, std::string> const& map) {
  std::vector<std::string> parts;
  parts.reserve(map.size());
  for (auto const& entry : map) parts.push_back(entry.first + ": " + entry.second);
  return joined(std::move(parts), true, '{', '}');
}

std::string node_form(std::vector<std::string> labels, std::map<std::string, std::string> const& properties) {
  std::ranges::sort(labels);
  std::string text = "(";
  for (auto const& label : labels) text += ":" + label;
  return text + map_form(properties) + ")";
}

std::string relation_form(std::string const& type, std::map<std::string, std::string> const& properties) {
  return "[:" + type + map_form(properties) + "]";
}

/// Reads what a feature file writes.
class ExpectedReader {
 public:
  ExpectedReader(std::string_view text, bool sorts) : text_(text), sorts_(sorts) {}

  std::string value() {
    blank();
    switch (peek()) {
      case '\'':
        return quoted_text(quoted());
      case '[':
        if (after_blank(1) == ':') return relation();
        return list();
      case '{':
        return map_form(map());
      case '(':
        return node();
      case '<':
        return path();
      default:
        return word();
    }
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] char after_blank(std::size_t ahead) const {
    auto const at = text_.find_first_not_of(' ', at_ + ahead);
    return at == std::string_view::npos ? '\0' : text_[at];
  }
  void blank() {
    while (peek() == ' ') ++at_;
  }
  bool accept(char c) {
    blank();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string quoted() {
    std::string made;
    ++at_;
    while (at_ < text_.size() && peek() != '\'') {
      if (peek() == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        char const c = peek();
        made += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      } else {
        made += peek();
      }
      ++at_;
    }
    ++at_;
    return made;
  }

  std::string list() {
    std::vector<std::string> parts;
    ++at_;
    blank();
    while (peek() != ']' && at_ < text_.size()) {
      parts.push_back(value());
      if (!accept(',')) break;
    }
    accept(']');
    return joined(std::move(parts), sorts_, '[', ']');
  }

  std::string name() {
    blank();
    auto const begin = at_;
    if (peek() == '`') {
      auto const end = text_.find('`', at_ + 1);
      at_ = end + 1;
      return std::string{text_.substr(begin + 1, end - begin - 1)};
    }
    while (at_ < text_.size() && std::string_view{" :,{}()[]<>"}.find(peek()) == std::string_view::npos) ++at_;
    return std::string{text_.substr(begin, at_ - begin)};
  }

  std::map<std::string, std::string> map() {
    std::map<std::string, std::string> made;
    accept('{');
    blank();
    while (peek() != '}' && at_ < text_.size()) {
      auto const key = name();
      accept(':');
      made[key] = value();
      if (!accept(',')) break;
    }
    accept('}');
    return made;
  }

  std::string node() {
    std::vector<std::string> labels;
    std::map<std::string, std::string> properties;
    accept('(');
    while (accept(':')) labels.push_back(name());
    blank();
    if (peek() == '{') properties = map();
    accept(')');
    return node_form(std::move(labels), properties);
  }

  std::string relation() {
    std::map<std::string, std::string> properties;
    accept('[');
    accept(':');
    auto const type = name();
    blank();
    if (peek() == '{') properties = map();
    accept(']');
    return relation_form(type, properties);
  }

  std::string path() {
    ++at_;
    std::string text = "<" + node();
    while (at_ < text_.size() && peek() != '>') {
      bool const is_left = accept('<');
      accept('-');
      auto const middle = relation();
      accept('-');
      accept('>');
      text += (is_left ? "<-" : "-") + middle + (is_left ? "-" : "->") + node();
    }
    ++at_;
    return text + ">";
  }

  std::string word() {
    auto const begin = at_;
    while (at_ < text_.size() && std::string_view{",]}) "}.find(peek()) == std::string_view::npos) ++at_;
    std::string made{text_.substr(begin, at_ - begin)};
    if (made == "Inf") return "Infinity";
    if (made == "-Inf") return "-Infinity";
    bool const is_float =
        made.find_first_of(".eE") != std::string::npos && made.find_first_of("0123456789") != std::string::npos;
    double number = 0;
    auto const digits = made.front() == '.' ? "0" + made : made;
    if (is_float && std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{})
      return to_text(number == 0 ? 0.0 : number);
    return made;
  }

  std::string_view text_;
  bool sorts_;
  std::size_t at_ = 0;
};

std::map<std::string, std::string> forms_of(Map const& map, bool sorts) {
  std::map<std::string, std::string> made;
  for (auto const& entry : map) made[entry.first] = canonical(entry.second, sorts);
  return made;
}

std::string form_of(Node const& node, bool sorts) {
  return node_form(node.graph->labels_of(node.id), forms_of(node.graph->node_properties(node.id), sorts));
}

std::string form_of(Relation const& one, bool sorts) {
  return relation_form(one.graph->type_name(one.graph->type_of(one)),
                       forms_of(one.graph->relation_properties(one), sorts));
}

}  // namespace

std::string canonical(std::string_view expected, bool sorts_lists) {
  return ExpectedReader{expected, sorts_lists}.value();
}

std::string canonical(Value const& value, bool sorts_lists) {
  if (auto const* text = value.find_text()) return quoted_text(*text);
  if (auto const* list = value.find_list()) {
    std::vector<std::string> parts;
    for (auto const& each : *list) parts.push_back(canonical(each, sorts_lists));
    return joined(std::move(parts), sorts_lists, '[', ']');
  }
  if (auto const* map = value.find_map()) return map_form(forms_of(*map, sorts_lists));
  if (auto const* node = value.find_node()) return form_of(*node, sorts_lists);
  if (auto const* relation = value.find_relation()) return form_of(*relation, sorts_lists);
  if (auto const* path = value.find_path()) {
    auto text = "<" + form_of(path->nodes[0], sorts_lists);
    for (std::size_t i = 0; i < path->relations.size(); ++i) {
      auto const& one = path->relations[i];
      bool const is_left = one.from != path->nodes[i].id;
      text += (is_left ? "<-" : "-") + form_of(one, sorts_lists) + (is_left ? "-" : "->") +
              form_of(path->nodes[i + 1], sorts_lists);
    }
    return text + ">";
  }
  if (auto const* number = value.find_double(); number != nullptr && *number == 0)
    return to_text(0.0);  // 0.0 equals -0.0
  return to_text(value);
}

}  // namespace whence::tests
