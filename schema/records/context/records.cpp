// The names of what responses use; units given within a response, and the ids made for units.
#include "schema/records/context/records.hpp"

#include "schema/json/writer.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <utility>

namespace whence::schema {
namespace {

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

std::string unit_id_of(SecretKey const& key, std::string_view source, std::string_view content,
                       std::string_view person) {
  std::string text = "[";
  json::append_string(text, source);
  text.push_back(',');
  json::append_string(text, content);
  if (!person.empty()) {
    text.push_back(',');
    json::append_string(text, person);
  }
  text.push_back(']');
  constexpr std::size_t digits = 32;
  return "cu_" + to_hex(hmac_sha256(key, text)).substr(0, digits);
}

ContextReference use_of(RecordType type, std::string_view id, double weight) {
  if (type == RecordType::context_unit) return {std::string{id}, weight};
  return {.weight = weight, .ref = format_ref(type, id)};
}

ContextReference use_named(std::string_view name, double weight) {
  if (name.starts_with(unit_prefix)) return {std::string{name}, weight};
  return {.weight = weight, .ref = std::string{name}};
}

bool is_decidable(RecordType type) noexcept {
  return std::ranges::any_of(
      edge_rules(), [type](EdgeRule const& rule) { return rule.type == EdgeType::decides && rule.to == type; });
}

}  // namespace whence::schema
