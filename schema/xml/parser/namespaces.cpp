// Elements without colons and declarations, nearly all, cost a look at their names and nothing else.
#include "schema/xml/parser/namespaces.hpp"

#include <algorithm>

#include <xercesc/util/XMLChar.hpp>

namespace whence::schema::xml {
namespace {

constexpr std::u16string_view xml_name = u"http://www.w3.org/XML/1998/namespace";
constexpr std::u16string_view xmlns_name = u"http://www.w3.org/2000/xmlns/";
constexpr std::u16string_view xmlns = u"xmlns";
constexpr std::u16string_view xmlns_colon = u"xmlns:";

constexpr bool has_colon(std::u16string_view name) noexcept {
  return name.find(u':') != std::u16string_view::npos;
}

constexpr std::u16string_view prefix_of(std::u16string_view name) noexcept {
  return name.substr(0, name.find(u':'));
}

bool is_declaration(std::u16string_view name) noexcept {
  return name.starts_with(xmlns) && (name.size() == xmlns.size() || name.starts_with(xmlns_colon));
}

}  // namespace

bool is_qualified_name(std::u16string_view name) {
  return xercesc::XMLChar1_0::isValidQName(name.data(), name.size());
}

void Namespaces::clear() {
  undo_.clear();
  bindings_.clear();
  numbers_.clear();
  depth_ = 0;
}

std::string_view Namespaces::enter(std::u16string_view name, std::span<RawAttribute const> attributes) {
  ++depth_;
  bool has_prefixes = false;
  for (RawAttribute const& attribute : attributes) {
    if (is_declaration(attribute.name)) {
      bool const is_default = attribute.name.size() == xmlns.size();
      if (!is_default && !is_qualified_name(attribute.name)) return "an attribute's name has colons in wrong places";
      auto const prefix = is_default ? std::u16string_view{} : attribute.name.substr(xmlns_colon.size());
      if (auto const wrong = declare(prefix, attribute.value); !wrong.empty()) return wrong;
    } else {
      has_prefixes = has_prefixes || has_colon(attribute.name);
    }
  }
  if (has_colon(name)) {
    if (auto const wrong = check_name(name); !wrong.empty()) return wrong;
  }
  return has_prefixes ? check_attributes(attributes) : std::string_view{};
}

void Namespaces::leave() {
  while (!undo_.empty() && undo_.back().first == depth_) {
    auto const binding = undo_.back().second;
    binding->second.pop_back();
    if (binding->second.empty()) bindings_.erase(binding);
    undo_.pop_back();
  }
  --depth_;
}

std::string_view Namespaces::declare(std::u16string_view prefix, std::u16string_view name) {
  if (prefix == u"xml") return name == xml_name ? "" : "the prefix xml is bound to another namespace";
  if (prefix == xmlns) return "the prefix xmlns cannot be declared";
  if (name == xml_name || name == xmlns_name) return "a reserved namespace cannot have this prefix";
  if (prefix.empty()) return {};  // no name is looked up in the default namespace: attributes have none by default
  if (name.empty()) return "a prefix is bound to an empty namespace";
  auto binding = bindings_.find(prefix);
  if (binding == bindings_.end()) binding = bindings_.emplace(prefix, std::vector<Number>{}).first;
  binding->second.push_back(number_of(name));
  undo_.emplace_back(depth_, binding);
  return {};
}

std::string_view Namespaces::check_name(std::u16string_view name) const {
  if (!is_qualified_name(name)) return "a name has colons in wrong places";
  std::u16string_view const prefix = prefix_of(name);
  if (prefix == xmlns) return "an element has the prefix xmlns";
  return prefix == u"xml" || bindings_.contains(prefix) ? "" : "a prefix is bound to no namespace";
}

std::string_view Namespaces::check_attributes(std::span<RawAttribute const> attributes) {
  expanded_.clear();
  for (RawAttribute const& attribute : attributes) {
    if (!has_colon(attribute.name) || is_declaration(attribute.name)) continue;
    if (auto const wrong = check_name(attribute.name); !wrong.empty()) return wrong;
    std::u16string_view const prefix = prefix_of(attribute.name);
    expanded_.emplace_back(find(prefix), attribute.name.substr(prefix.size() + 1));
  }
  std::sort(expanded_.begin(), expanded_.end());
  bool const is_unique = std::adjacent_find(expanded_.begin(), expanded_.end()) == expanded_.end();
  return is_unique ? "" : "an attribute occurs twice, with two prefixes of one namespace";
}

Namespaces::Number Namespaces::find(std::u16string_view prefix) const {
  auto const binding = bindings_.find(prefix);
  return binding == bindings_.end() ? 0 : binding->second.back();  // 0: the prefix xml
}

Namespaces::Number Namespaces::number_of(std::u16string_view name) {
  auto const found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  return numbers_.emplace(name, numbers_.size() + 1).first->second;
}

}  // namespace whence::schema::xml
