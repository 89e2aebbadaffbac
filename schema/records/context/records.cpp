// The names of context types, and of what responses use; units given within a response, and the ids made for units.
#include "schema/records/context/records.hpp"

#include "schema/json/writer.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Indexed by `ContextType`.
constexpr std::array<std::string_view, 4> context_type_names = {"System", "User", "External", "ModelState"};

constexpr std::string_view unit_prefix = info(RecordType::context_unit).id_prefix;

}  // namespace

bool is_inline(ContextReference const& use) noexcept {
  return use.content || use.source || use.type || use.timestamp || use.embedding_id || use.summary || use.attributes;
}

ContextUnit unit_of(ContextReference use) {
  return {.id = std::move(use.context_unit_id),
          .type = use.type.value_or(ContextType::external),
          .source = std::move(use.source).optional().value_or(""),
          .timestamp = std::move(use.timestamp).optional(),
          .embedding_id = std::move(use.embedding_id).optional(),
          .summary = std::move(use.summary).optional(),
          .attributes = std::move(use.attributes).optional(),
          .content = std::move(use.content).optional()};
}

std::string unit_id_of(std::string_view source, std::string_view content) {
  std::string text = "[";
  json::append_string(text, source);
  text.push_back(',');
  json::append_string(text, content);
  text.push_back(']');
  constexpr std::size_t digits = 32;
  return "cu_" + to_hex(sha256(text)).substr(0, digits);
}

ContextReference use_of(RecordType type, std::string_view id, double weight) {
  if (type == RecordType::context_unit) return {std::string{id}, weight};
  return {.weight = weight, .ref = format_ref(type, id)};
}

ContextReference use_named(std::string_view name, double weight) {
  if (name.starts_with(unit_prefix)) return {std::string{name}, weight};
  return {.weight = weight, .ref = std::string{name}};
}

std::string_view name_of(ContextType type) noexcept {
  BOOST_ASSERT(static_cast<std::size_t>(type) < context_type_names.size());
  return context_type_names[static_cast<std::size_t>(type)];
}

std::optional<ContextType> find_context_type(std::string_view name) noexcept {
  auto const found = std::ranges::find(context_type_names, name);
  if (found == context_type_names.end()) return std::nullopt;
  return static_cast<ContextType>(found - context_type_names.begin());
}

std::ostream& operator<<(std::ostream& out, ContextType type) {
  return out << name_of(type);
}

std::string_view name_of(Verdict verdict) noexcept {
  BOOST_ASSERT(static_cast<std::size_t>(verdict) < verdict_names.size());
  return verdict_names[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> find_verdict(std::string_view name) noexcept {
  auto const found = std::ranges::find(verdict_names, name);
  if (found == verdict_names.end()) return std::nullopt;
  return static_cast<Verdict>(found - verdict_names.begin());
}

std::ostream& operator<<(std::ostream& out, Verdict verdict) {
  return out << name_of(verdict);
}

bool is_decidable(RecordType type) noexcept {
  return std::ranges::any_of(
      edge_rules(), [type](EdgeRule const& rule) { return rule.type == EdgeType::decides && rule.to == type; });
}

}  // namespace whence::schema
